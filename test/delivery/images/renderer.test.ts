// Renderings in real processes: hostile files, limits, the queue, crashes, memory.

import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { deflateSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RenderJob } from '../../../src/delivery/images/render-job.ts';
import {
  createMemoryQuota,
  createRenderer,
  type RendererOptions,
} from '../../../src/delivery/images/renderer.ts';
import { blackPng, chunk, greyAnimation, png, quadrants, sharp } from '../../helpers/fixtures/images.ts';

const JOB: RenderJob = {
  settings: { width: 20 },
  candidates: ['webp'],
  limits: { maxPixels: 100_000_000, maxOutputPixels: 16_777_216, maxFrames: 60 },
  fileName: 'a.png',
};

function openRenderer(options: Partial<RendererOptions> = {}) {
  const renderer = createRenderer({
    ...{ concurrency: 2, queue: 4, seconds: 20, maxSourceBytes: 10_000_000 },
    ...options,
  });
  onTestFinished(() => renderer.close());
  return renderer;
}

const fileOf = (bytes: Buffer) => ({ size: bytes.length, open: async () => Readable.from([bytes]) });
/** A process that answers as the script says, instead of rendering. */
const startScript = (script: string) => () =>
  spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'ignore'] });
const frame = (kind: string, payload: string) =>
  `process.stdout.write(Buffer.concat([Buffer.from([${kind.charCodeAt(0)},0,0,0,${payload.length}]),Buffer.from(${JSON.stringify(payload)})]));`;

describe('a rendering in an image worker', () => {
  it('gives the image in the format asked for, several in one process', async () => {
    const renderer = openRenderer();
    for (const width of [20, 40]) {
      const source = fileOf(await quadrants({ width: 80, height: 60 }));
      const { info, body } = await renderer.render({ ...JOB, settings: { width } }, source);
      expect(info).toEqual({ contentType: 'image/webp', width, height: (width * 3) / 4 });
      expect((await sharp(body).metadata()).width).toBe(width);
    }
  });

  it('reads a file whose size is not known, in any pieces', async () => {
    const bytes = await quadrants({ width: 80, height: 60 });
    const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    const source = { size: undefined, open: async () => Readable.from(pieces) };
    expect((await openRenderer().render(JOB, source)).info.width).toBe(20);
  });

  const unfolding = chunk('zTXt', Buffer.concat([Buffer.from('k\0\0'), deflateSync(Buffer.alloc(2e7))]));
  const HOSTILE: readonly [string, () => Buffer | Promise<Buffer>, string | number][] = [
    ['a file of 200 megapixels', () => png(14_200, 14_100, Buffer.alloc(1000)), 'IMAGE_TOO_LARGE'],
    [
      'a header that claims more rows than there are',
      () => png(5000, 5000, Buffer.alloc(1000)),
      'IMAGE_INVALID',
    ],
    ['a header that claims fewer rows than there are', () => png(64, 64, Buffer.alloc(3e7)), 20],
    [
      'texts that unfold to gigabytes',
      () =>
        blackPng(
          64,
          64,
          Array.from({ length: 100 }, () => unfolding),
        ),
      20,
    ],
    [
      'fifty thousand chunks',
      () => blackPng(64, 64, new Array(50_000).fill(chunk('tEXt', Buffer.from('a\0b')))),
      20,
    ],
    ['an animation with three thousand frames', () => greyAnimation(10, 10, 3000), 10],
    [
      'an SVG',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      'IMAGE_INVALID',
    ],
    [
      'a TIFF',
      () =>
        sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
          .tiff()
          .toBuffer(),
      'IMAGE_INVALID',
    ],
    ['nothing', () => Buffer.alloc(0), 'IMAGE_INVALID'],
    ['a text', () => Buffer.from('<html>'), 'IMAGE_INVALID'],
    [
      'half a photograph',
      async () => (await quadrants({ width: 800, height: 600, format: 'jpeg' })).subarray(0, 3000),
      'IMAGE_INVALID',
    ],
    ['a signature alone', () => Buffer.from('\xff\xd8\xff', 'latin1'), 'IMAGE_INVALID'],
    ['more bytes than allowed', () => Buffer.alloc(10_000_001), 'IMAGE_TOO_LARGE'],
  ];
  it.each(HOSTILE)('of %s ends as it should, and the next one works', async (_name, make, outcome) => {
    const renderer = openRenderer();
    const result = renderer.render(JOB, fileOf(await make()));
    if (typeof outcome === 'string') await expect(result).rejects.toMatchObject({ code: outcome });
    else expect((await result).info.width).toBe(outcome);
    const next = await renderer.render(JOB, fileOf(await quadrants({ width: 80, height: 60 })));
    expect(next.info.width).toBe(20);
  });

  it('is refused before decoding where a format must be held whole and is too large for that', async () => {
    const flat = sharp({ create: { width: 7000, height: 7000, channels: 3, background: 'red' } });
    const interlaced = await flat.png({ progressive: true }).toBuffer();
    await expect(openRenderer().render(JOB, fileOf(interlaced))).rejects.toMatchObject({
      code: 'IMAGE_TOO_LARGE',
    });
  });

  it('that takes too long is ended', async () => {
    const renderer = openRenderer({ seconds: 0.3, start: startScript('setInterval(() => 0, 1000)') });
    const result = renderer.render(JOB, fileOf(Buffer.from('x')));
    await expect(result).rejects.toMatchObject({ code: 'RENDER_TIMEOUT', headers: { 'Retry-After': '5' } });
  });

  it('whose file never comes is ended, and the file is closed', async () => {
    const stream = new Readable({ read: () => undefined });
    const source = { size: 5, open: async () => stream };
    await expect(openRenderer({ seconds: 0.3 }).render(JOB, source)).rejects.toMatchObject({
      code: 'RENDER_TIMEOUT',
    });
    await expect.poll(() => stream.destroyed).toBe(true);
  });

  it('fails with the error of its file', async () => {
    const renderer = openRenderer();
    const broken = { size: 5, open: () => Promise.reject(new Error('no such file')) };
    await expect(renderer.render(JOB, broken)).rejects.toThrow('no such file');
    const breaking = new Readable({ read: () => breaking.destroy(new Error('cut off')) });
    await expect(renderer.render(JOB, { size: 5, open: async () => breaking })).rejects.toThrow('cut off');
    expect((await renderer.render(JOB, fileOf(await quadrants({ width: 80, height: 60 })))).info.width).toBe(
      20,
    );
  });

  it.each([
    ['crashes', 'process.stdin.once("data", () => process.kill(process.pid, "SIGSEGV"))'],
    ['ends at once', 'process.exit(1)'],
    ['sends what is no frame', 'process.stdout.write("nonsense nonsense"); setInterval(() => 0, 1000)'],
    [
      'sends what is no JSON',
      `process.stdin.once("data", () => {${frame('J', '{')}}); setInterval(() => 0, 1000)`,
    ],
    [
      'sends a body without its message',
      `process.stdin.once("data", () => {${frame('E', '')}}); setInterval(() => 0, 1000)`,
    ],
    [
      'sends another type than an image',
      `process.stdin.once("data", () => {${frame('J', '{"info":{"contentType":"text/html","width":1,"height":1}}')}${frame('E', '')}}); setInterval(() => 0, 1000)`,
    ],
  ])('whose process %s is refused, and the server goes on', async (_name, script) => {
    let starts = 0;
    const renderer = openRenderer({
      start: () => {
        starts += 1;
        return startScript(script)();
      },
    });
    for (const time of [1, 2]) {
      await expect(renderer.render(JOB, fileOf(Buffer.from('x')))).rejects.toMatchObject({
        code: 'RENDER_FAILED',
      });
      expect(starts).toBe(time);
    }
  });

  it('waits for its turn, in a queue that is bounded and that a client can leave', async () => {
    const renderer = openRenderer({ concurrency: 1, queue: 2 });
    const gate = Promise.withResolvers<void>();
    const bytes = await quadrants({ width: 80, height: 60 });
    const order: number[] = [];
    const source = (name: number) => ({
      size: bytes.length,
      open: async () => {
        order.push(name);
        if (name === 1) await gate.promise;
        return Readable.from([bytes]);
      },
    });
    const leaving = new AbortController();
    const first = renderer.render(JOB, source(1));
    const second = renderer.render(JOB, source(2), leaving.signal);
    const third = renderer.render(JOB, source(3));
    const refusal = { code: 'RENDER_BUSY', status: 503, headers: { 'Retry-After': '1' } };
    await expect(renderer.render(JOB, source(4))).rejects.toMatchObject(refusal);
    leaving.abort(new Error('client gone'));
    await expect(second).rejects.toThrow('client gone');
    const fifth = renderer.render(JOB, source(5));
    gate.resolve();
    await Promise.all([first, third, fifth]);
    expect(order).toEqual([1, 3, 5]);
  });

  it('that waits is refused when the renderer closes', async () => {
    const renderer = openRenderer({ concurrency: 1 });
    const stuck = renderer.render(JOB, {
      size: 5,
      open: async () => new Readable({ read: () => undefined }),
    });
    const waiting = renderer.render(JOB, fileOf(Buffer.from('x')));
    const ends = Promise.allSettled([stuck, waiting]);
    await renderer.close();
    const codes = (await ends).map((end) => (end.status === 'rejected' ? end.reason.code : 'done'));
    expect(codes[1]).toBe('RENDER_BUSY');
  });
});

it('the memory quota grants what fits, in order, and a double release counts once', async () => {
  const quota = createMemoryQuota(10);
  const order: string[] = [];
  const take = async (name: string, bytes: number) => {
    const giveBack = await quota(bytes);
    order.push(name);
    return giveBack;
  };
  const first = await take('first', 6);
  const second = take('second', 6);
  const third = take('third', 1);
  await Promise.resolve();
  expect(order).toEqual(['first']);
  first();
  first();
  (await second)();
  await third;
  expect(order).toEqual(['first', 'second', 'third']);
  const fourth = take('fourth', 10);
  await Promise.resolve();
  expect(order).toHaveLength(3);
  (await third)();
  await fourth;
});

it('a request above the whole memory quota takes all of it', async () => {
  const quota = createMemoryQuota(10);
  const giveBack = await quota(1000);
  giveBack();
  await quota(10);
});
