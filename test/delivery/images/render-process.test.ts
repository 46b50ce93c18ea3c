// The render process by itself: it ends with the server, and reads formats of images only.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import {
  createFrameReader,
  writeBytes,
  writeEnd,
  writeMessage,
} from '../../../src/delivery/images/pipe-frames.ts';

const FILE = fileURLToPath(new URL('../../../src/delivery/images/render-process.ts', import.meta.url));

function start() {
  const child = spawn(process.execPath, [FILE], { stdio: ['pipe', 'pipe', 'inherit'], env: {} });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

it('the render process ends when its input ends', async () => {
  const child = start();
  await once(child.stdout, 'data');
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

it('the render process answers every job with one message, and waits for memory before it decodes', async () => {
  const child = start();
  const messages: Record<string, unknown>[] = [];
  const read = createFrameReader((kind, payload) => {
    if (kind === 'J') messages.push(JSON.parse(payload.toString()));
  });
  child.stdout.on('data', read);
  const { quadrants } = await import('../../helpers/fixtures/images.ts');
  const limits = { maxPixels: 1e6, maxOutputPixels: 1e6, maxFrames: 1 };
  const job = { settings: {}, candidates: ['png'], limits, fileName: 'a' };
  writeMessage(child.stdin, { job });
  writeBytes(child.stdin, await quadrants({ width: 8, height: 6 }));
  writeEnd(child.stdin);
  await expect.poll(() => messages).toHaveLength(2);
  expect(messages).toEqual([{ ready: true }, { reserve: expect.any(Number) }]);
  writeMessage(child.stdin, { granted: true });
  await expect.poll(() => messages[2]).toEqual({ info: { contentType: 'image/png', width: 8, height: 6 } });
  writeMessage(child.stdin, { job });
  writeEnd(child.stdin);
  await expect.poll(() => messages[3]).toMatchObject({ failure: 'invalid' });
});
