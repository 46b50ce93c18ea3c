// How many render processes there are, and when they end: idle, crashed, beside a large rendering, with the renderer.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RenderJob } from '../../../src/delivery/images/render-protocol.ts';
import { createRenderer } from '../../../src/delivery/images/renderer.ts';
import { quadrants, sharp } from '../../helpers/fixtures/images.ts';

const FILE = fileURLToPath(new URL('../../../src/delivery/images/render-process.ts', import.meta.url));
const JOB: RenderJob = {
  settings: { width: 20 },
  candidates: ['webp'],
  limits: { maxPixels: 100_000_000, maxOutputPixels: 16_777_216, maxFrames: 60 },
  fileName: 'a.png',
};

const fileOf = (bytes: Buffer) => ({ size: bytes.length, open: async () => Readable.from([bytes]) });

/** Takes all that it is sent, and answers nothing. */
const SLEEP = ['-e', 'process.stdin.resume()'];

function openRenderer(script: readonly string[] = [FILE]) {
  const started: ChildProcess[] = [];
  const start = () => {
    const child = spawn(process.execPath, script, { stdio: ['pipe', 'pipe', 'ignore'], env: {} });
    started.push(child);
    return child;
  };
  const renderer = createRenderer({ concurrency: 2, queue: 4, seconds: 20, maxSourceBytes: 1e7, start });
  onTestFinished(() => renderer.close());
  const alive = () => started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  return { renderer, started, alive };
}

describe('a render process', () => {
  afterEach(() => vi.useRealTimers());

  it('that is idle for half a minute ends', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { renderer, started } = openRenderer();
    const source = fileOf(await quadrants({ width: 80, height: 60 }));
    await renderer.render(JOB, source);
    vi.advanceTimersByTime(29_999);
    await renderer.render(JOB, source);
    expect(started).toHaveLength(1);
    const exit = once(started[0]!, 'exit');
    vi.advanceTimersByTime(30_000);
    await exit;
    await renderer.render(JOB, source);
    expect(started).toHaveLength(2);
  });

  it('that crashed while it was idle is replaced, and no request notices', async () => {
    const { renderer, started } = openRenderer();
    const source = fileOf(await quadrants({ width: 80, height: 60 }));
    await renderer.render(JOB, source);
    const exit = once(started[0]!, 'exit');
    started[0]!.kill('SIGSEGV');
    await exit;
    expect((await renderer.render(JOB, source)).info.width).toBe(20);
    expect(started).toHaveLength(2);
  });

  it('does not stay idle beside a large rendering, which may need all the memory', async () => {
    const { renderer, started } = openRenderer();
    const small = fileOf(await quadrants({ width: 80, height: 60 }));
    await Promise.all([renderer.render(JOB, small), renderer.render(JOB, small)]);
    expect(started).toHaveLength(2);
    const sent = started.map(({ stdin }) => (stdin as Socket).bytesWritten);
    const flat = sharp({ create: { width: 4000, height: 3000, channels: 3, background: 'red' } });
    const interlaced = fileOf(await flat.png({ progressive: true }).toBuffer());
    expect((await renderer.render(JOB, interlaced)).info.width).toBe(20);
    const idle = started.filter(({ stdin }, at) => (stdin as Socket).bytesWritten === sent[at]);
    expect(idle).toHaveLength(1);
    await expect.poll(() => idle[0]?.signalCode).toBe('SIGKILL');
  });

  it('ends in the middle of its work when the renderer closes, and none is started after that', async () => {
    const { renderer, started, alive } = openRenderer(SLEEP);
    const working = renderer.render(JOB, fileOf(Buffer.from('x')));
    const failed = expect(working).rejects.toMatchObject({ code: 'RENDER_FAILED' });
    const endless = new Readable({ read: () => undefined });
    const fetching = renderer.render(JOB, { size: 5, open: async () => endless });
    const refused = expect(fetching).rejects.toMatchObject({ code: 'RENDER_BUSY' });
    await expect.poll(() => started).toHaveLength(1);
    await renderer.close();
    await failed;
    await refused;
    await expect.poll(alive).toHaveLength(0);
    await expect.poll(() => endless.destroyed).toBe(true);
    const late = renderer.render(JOB, fileOf(await quadrants({ width: 80, height: 60 })));
    await expect(late).rejects.toMatchObject({ code: 'RENDER_BUSY' });
    expect(started).toHaveLength(1);
  });
});
