// The render process by itself: what it answers, which files it reads, and that it ends with the server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import {
  createPipeReader,
  writeBytes,
  writeEnd,
  writeMessage,
} from '../../../src/delivery/images/render-protocol.ts';
import { quadrants, sharp } from '../../helpers/fixtures/images.ts';

const FILE = fileURLToPath(new URL('../../../src/delivery/images/render-process.ts', import.meta.url));
const LIMITS = { maxPixels: 1e8, maxOutputPixels: 1e8, maxFrames: 1 };
const JOB = { settings: {}, candidates: ['png'], limits: LIMITS, fileName: 'a' };
const INVALID = { failure: 'invalid', message: 'Image data is invalid' };

function start() {
  const child = spawn(process.execPath, [FILE], { stdio: ['pipe', 'pipe', 'inherit'], env: {} });
  const exit = once(child, 'exit');
  const messages: unknown[] = [];
  let bodyBytes = 0;
  const read = createPipeReader((kind, payload) => {
    if (kind === 'J') messages.push(JSON.parse(payload.toString()));
    if (kind === 'B') bodyBytes += payload.length;
  });
  child.stdout.on('data', read);
  // Not killed: a process that is killed leaves no coverage.
  onTestFinished(async () => {
    child.stdin.end();
    await exit;
  });
  return {
    exit,
    end: () => child.stdin.end(),
    grant: () => writeMessage(child.stdin, { granted: true }),
    /** The next message about an image. */
    async answerTo(bytes: Buffer, job: object = JOB): Promise<unknown> {
      await expect.poll(() => messages).not.toHaveLength(0);
      const before = messages.length;
      writeMessage(child.stdin, { job, size: bytes.length });
      writeBytes(child.stdin, bytes);
      writeEnd(child.stdin);
      await expect.poll(() => messages.length).toBeGreaterThan(before);
      return messages[before];
    },
    messages,
    bodyBytes: () => bodyBytes,
  };
}

it('the render process ends when its input ends', async () => {
  const { end, exit } = start();
  end();
  expect(await exit).toEqual([0, null]);
});

it('the render process answers every job, and waits for memory before it decodes', async () => {
  const { answerTo, grant, messages, bodyBytes } = start();
  const answer = await answerTo(await quadrants({ width: 8, height: 6 }));
  expect(answer).toEqual({ reserve: expect.any(Number) });
  expect(messages).toEqual([{ ready: true }, answer]);
  expect(bodyBytes()).toBe(0);
  grant();
  await expect.poll(() => messages[2]).toEqual({ info: { contentType: 'image/png', width: 8, height: 6 } });
  await expect.poll(bodyBytes).toBeGreaterThan(0);
  expect(await answerTo(Buffer.alloc(0))).toEqual(INVALID);
});

it('the render process reads formats of images only, whatever the file begins with', async () => {
  const { answerTo } = start();
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
  const tiff = sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } }).tiff();
  for (const bytes of [
    Buffer.from(svg),
    await tiff.toBuffer(),
    Buffer.from('%PDF-1.7'),
    Buffer.from(`\0\0\0\x20ftypavif${svg}`),
    Buffer.from(`GIF89a${svg}`),
  ]) {
    expect(await answerTo(bytes)).toEqual(INVALID);
  }
});

it('the render process refuses what takes more memory than there is, instead of waiting for it', async () => {
  const flat = sharp({ create: { width: 7000, height: 7000, channels: 3, background: 'red' } });
  const interlaced = await flat.png({ progressive: true }).toBuffer();
  const message = 'The image takes too much memory in this format';
  expect(await start().answerTo(interlaced)).toEqual({ failure: 'too-large', message });
});

it('the render process does not blame the image for an error of its own', async () => {
  const { answerTo } = start();
  const image = await quadrants({ width: 8, height: 6 });
  expect(await answerTo(image, { ...JOB, limits: undefined })).toMatchObject({ failure: 'failed' });
  expect(await answerTo(image)).toHaveProperty('reserve');
});
