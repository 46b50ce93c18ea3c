// One render process: what it leaves behind and what it inherits.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { RenderConnection } from '../../../src/delivery/images/render-connection.ts';
import type { RenderJob } from '../../../src/delivery/images/render-protocol.ts';
import { StartError } from '../../../src/errors/start-error.ts';
import { blackPng, chunk, quadrants } from '../../helpers/fixtures/images.ts';
import { startChildrenWithoutCoverage } from '../../helpers/sandbox/process-coverage.ts';

startChildrenWithoutCoverage();

const JOB: RenderJob = {
  settings: { width: 20 },
  candidates: ['png'],
  limits: { maxPixels: 1e6, maxOutputPixels: 1e6, maxFrames: 1 },
  fileName: 'a.png',
};

async function openConnection(maxSourceBytes = 1e6) {
  let held = 0;
  const reserved: number[] = [];
  const reserve = async (bytes: number) => {
    reserved.push(bytes);
    held += bytes;
    return () => {
      held -= bytes;
    };
  };
  const connection = await RenderConnection.start({ reserve, timeoutMs: 20_000, maxSourceBytes });
  onTestFinished(() => connection.end());
  return { connection, reserved, held: () => held };
}

it('a render process releases the memory that a rendering reserved, whether it succeeds or fails', async () => {
  const { connection, held } = await openConnection();
  await connection.render(JOB, Readable.from([await quadrants({ width: 80, height: 60 })]));
  expect(held()).toBe(0);
  const invalid = connection.render(JOB, Readable.from([Buffer.from('x')]));
  await expect(invalid).rejects.toMatchObject({ code: 'IMAGE_INVALID' });
  expect(held()).toBe(0);
  expect(connection.isReusable).toBe(true);
});

it.skipIf(process.platform !== 'linux')(
  'a render process inherits nothing of the environment of the server',
  async () => {
    const { connection } = await openConnection();
    await connection.render(JOB, Readable.from([await quadrants({ width: 8, height: 6 })]));
    const names = readFileSync(`/proc/${connection.pid}/environ`, 'latin1').split('\0').filter(Boolean);
    expect(names).toEqual(['MALLOC_ARENA_MAX=2']);
  },
);

it('a render process is not used again after a file above the size limit, as its rest is still being sent', async () => {
  const { connection } = await openConnection();
  const long = connection.render(JOB, Readable.from([Buffer.alloc(1e6), Buffer.alloc(1)]));
  await expect(long).rejects.toMatchObject({ code: 'IMAGE_TOO_LARGE' });
  expect(connection.isAlive).toBe(false);
});

it('a render process reserves memory for a large original before it reads it, and gives all back', async () => {
  const { connection, reserved, held } = await openConnection(2e7);
  const original = blackPng(80, 60, [chunk('tEXt', Buffer.alloc(17 * 1024 * 1024, 'a'))]);
  const { info } = await connection.render(JOB, Readable.from([original]), original.length);
  expect(info).toMatchObject({ width: 20, height: 15 });
  expect(reserved).toEqual([original.length * 3, expect.any(Number)]);
  expect(held()).toBe(0);
});

it('a render process that has ended refuses a job, and closes the file', async () => {
  const { connection } = await openConnection();
  connection.end();
  const source = new Readable({ read: () => undefined });
  await expect(connection.render(JOB, source)).rejects.toMatchObject({ code: 'RENDER_FAILED' });
  expect(source.destroyed).toBe(true);
});

it('a render process says why a crop does not fit', async () => {
  const { connection } = await openConnection();
  const job: RenderJob = { ...JOB, settings: { resizeStyle: 'crop', crop: [0, 0, 61, 20] } };
  const rendering = connection.render(job, Readable.from([await quadrants({ width: 80, height: 60 })]));
  const message = expect.stringMatching(/^The crop rectangle 20×61 at 0,0 /);
  await expect(rendering).rejects.toMatchObject({ code: 'CROP_INVALID', message });
});

it('a render process that cannot be started is an error of its start, and no end of the process', async () => {
  const start = () => spawn('/no/such/program', { stdio: ['pipe', 'pipe', 'ignore'] });
  const reserve = async () => () => undefined;
  const connection = RenderConnection.start({ reserve, timeoutMs: 20_000, maxSourceBytes: 1e6, start });
  await expect(connection).rejects.toBeInstanceOf(StartError);
});

it('memory that is granted to a render process after its end is given back', async () => {
  const [asked, granted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let held = 0;
  const reserve = async () => {
    asked.resolve();
    await granted.promise;
    held += 1;
    return () => {
      held -= 1;
    };
  };
  const connection = await RenderConnection.start({ reserve, timeoutMs: 20_000, maxSourceBytes: 1e6 });
  const rendering = connection.render(JOB, Readable.from([await quadrants({ width: 80, height: 60 })]));
  const failed = expect(rendering).rejects.toMatchObject({ code: 'RENDER_FAILED' });
  await asked.promise;
  connection.end();
  await failed;
  granted.resolve();
  await setImmediate();
  expect(held).toBe(0);
});

/** Renders with a process that runs a script of its own. */
async function renderWith(
  script: string,
): Promise<{ readonly connection: RenderConnection; readonly rendering: Promise<unknown> }> {
  const start = () => spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'ignore'] });
  const reserve = async () => () => undefined;
  const connection = await RenderConnection.start({ reserve, timeoutMs: 20_000, maxSourceBytes: 1e6, start });
  onTestFinished(() => connection.end());
  return { connection, rendering: connection.render(JOB, Readable.from([Buffer.from('x')])) };
}

it.skipIf(process.platform !== 'linux')(
  'a render process that exceeds its memory limit is ended',
  async () => {
    const script = 'const kept = Buffer.alloc(400 * 1024 * 1024, 1); setInterval(() => kept.length, 1000);';
    const { connection, rendering } = await renderWith(script);
    await expect(rendering).rejects.toMatchObject({ code: 'IMAGE_TOO_LARGE' });
    expect(connection.isAlive).toBe(false);
  },
);

const SEND = `const messageOf = (kind, text) => {
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeUInt32BE(text.length, 1);
  return Buffer.concat([head, Buffer.from(text)]);
};
const send = (kind, text) => process.stdout.write(messageOf(kind, text));
setInterval(() => undefined, 1000);`;

it.each([
  ['a type that is no image', { contentType: 'text/html', width: 1, height: 1 }],
  ['a second header', { contentType: 'image/png\r\nx: y', width: 1, height: 1 }],
  ['a size that is no number', { contentType: 'image/png', width: '1', height: 1 }],
])('a render process that sends %s is ended', async (_what, info) => {
  const script = `${SEND} send('J', ${JSON.stringify(JSON.stringify({ info }))}); send('B', 'x'); send('E', '');`;
  const { connection, rendering } = await renderWith(script);
  await expect(rendering).rejects.toMatchObject({ code: 'RENDER_FAILED' });
  expect(connection.isAlive).toBe(false);
});

it.each([
  ['a message that is no object', "send('J', '[]')"],
  [
    'more than 160 MiB',
    // One message again and again: a process that makes each anew may run out of memory first.
    "const message = messageOf('B', 'x'.repeat(1024 * 1024)); for (let n = 0; n <= 160; n += 1) process.stdout.write(message)",
  ],
])('a render process that sends %s is ended', async (_what, action) => {
  const { connection, rendering } = await renderWith(`${SEND} ${action}`);
  await expect(rendering).rejects.toMatchObject({ code: 'RENDER_FAILED' });
  expect(connection.isAlive).toBe(false);
});

it('a render process passes on three hundred characters of a message at most', async () => {
  const failure = JSON.stringify({ failure: 'too-large', message: 'x'.repeat(5000) });
  const { rendering } = await renderWith(`${SEND} send('J', ${JSON.stringify(failure)});`);
  await expect(rendering).rejects.toMatchObject({ code: 'IMAGE_TOO_LARGE', message: 'x'.repeat(300) });
});

it('a render process does not tell the client about an error inside the process', async () => {
  const failure = JSON.stringify({ failure: 'failed', message: 'Error: /srv/secret' });
  const { rendering } = await renderWith(`${SEND} send('J', ${JSON.stringify(failure)});`);
  await expect(rendering).rejects.toMatchObject({ code: 'RENDER_FAILED' });
  await expect(rendering).rejects.not.toThrow('secret');
});
