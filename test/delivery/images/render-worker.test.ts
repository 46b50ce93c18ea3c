// One render process: what it leaves behind and what it inherits.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import type { RenderJob } from '../../../src/delivery/images/render-job.ts';
import { RenderWorker } from '../../../src/delivery/images/render-worker.ts';
import { quadrants } from '../../helpers/fixtures/images.ts';
import { startChildrenWithoutCoverage } from '../../helpers/sandbox/process-coverage.ts';

startChildrenWithoutCoverage();

const JOB: RenderJob = {
  settings: { width: 20 },
  candidates: ['png'],
  limits: { maxPixels: 1e6, maxOutputPixels: 1e6, maxFrames: 1 },
  fileName: 'a.png',
};

function openWorker() {
  let held = 0;
  const reserve = async (bytes: number) => {
    held += bytes;
    return () => {
      held -= bytes;
    };
  };
  const worker = new RenderWorker({ reserve, timeoutMs: 20_000, maxSourceBytes: 1e6 });
  onTestFinished(() => worker.end());
  return { worker, held: () => held };
}

it('an image worker releases the memory that a rendering reserved, whether it succeeds or fails', async () => {
  const { worker, held } = openWorker();
  await worker.render(JOB, Readable.from([await quadrants({ width: 80, height: 60 })]));
  expect(held()).toBe(0);
  const invalid = worker.render(JOB, Readable.from([Buffer.from('x')]));
  await expect(invalid).rejects.toMatchObject({ code: 'IMAGE_INVALID' });
  expect(held()).toBe(0);
  expect(worker.isReusable).toBe(true);
});

it.skipIf(process.platform !== 'linux')(
  'an image worker inherits nothing of the environment of the server',
  async () => {
    const { worker } = openWorker();
    await worker.render(JOB, Readable.from([await quadrants({ width: 8, height: 6 })]));
    const names = readFileSync(`/proc/${worker.pid}/environ`, 'latin1').split('\0').filter(Boolean);
    expect(names).toEqual(['MALLOC_ARENA_MAX=2']);
  },
);

it('an image worker is not used again after a file above the size limit, as its rest is still being sent', async () => {
  const { worker } = openWorker();
  const long = worker.render(JOB, Readable.from([Buffer.alloc(1e6), Buffer.alloc(1)]));
  await expect(long).rejects.toMatchObject({ code: 'IMAGE_TOO_LARGE' });
  expect(worker.isAlive).toBe(false);
});

/** Renders with a process that runs a script of its own. */
function renderWith(script: string): { readonly worker: RenderWorker; readonly rendering: Promise<unknown> } {
  const start = () => spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'ignore'] });
  const reserve = async () => () => undefined;
  const worker = new RenderWorker({ reserve, timeoutMs: 20_000, maxSourceBytes: 1e6, start });
  onTestFinished(() => worker.end());
  return { worker, rendering: worker.render(JOB, Readable.from([Buffer.from('x')])) };
}

it.skipIf(process.platform !== 'linux')(
  'an image worker that exceeds its memory limit is ended',
  async () => {
    const script = 'const kept = Buffer.alloc(400 * 1024 * 1024, 1); setInterval(() => kept.length, 1000);';
    const { worker, rendering } = renderWith(script);
    await expect(rendering).rejects.toMatchObject({ code: 'IMAGE_TOO_LARGE' });
    expect(worker.isAlive).toBe(false);
  },
);

const SEND = `const send = (kind, text) => {
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeUInt32BE(text.length, 1);
  process.stdout.write(Buffer.concat([head, Buffer.from(text)]));
};
setInterval(() => undefined, 1000);`;

it.each([
  ['a type that is no image', { contentType: 'text/html', width: 1, height: 1 }],
  ['a second header', { contentType: 'image/png\r\nx: y', width: 1, height: 1 }],
  ['a size that is no number', { contentType: 'image/png', width: '1', height: 1 }],
])('an image worker that sends %s is ended', async (_what, info) => {
  const script = `${SEND} send('J', ${JSON.stringify(JSON.stringify({ info }))}); send('B', 'x'); send('E', '');`;
  const { worker, rendering } = renderWith(script);
  await expect(rendering).rejects.toMatchObject({ code: 'RENDER_FAILED' });
  expect(worker.isAlive).toBe(false);
});
