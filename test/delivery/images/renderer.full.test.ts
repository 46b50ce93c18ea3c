// Renderings in real processes: hostile files, limits, the queue, crashes, memory.

import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RenderJob } from '../../../src/delivery/images/render-protocol.ts';
import { createRenderer, type RendererOptions } from '../../../src/delivery/images/renderer.ts';
import { StartError } from '../../../src/errors/start-error.ts';
import { blackPng, chunk, greyAnimation, png, quadrants, sharp } from '../../helpers/fixtures/images.ts';

const RENDER_PROCESS = fileURLToPath(
  new URL('../../../src/delivery/images/render-process.ts', import.meta.url),
);
const JOB: RenderJob = {
  settings: { width: 20 },
  candidates: ['webp'],
  limits: { maxPixels: 100_000_000, maxOutputPixels: 16_777_216, maxFrames: 60 },
  fileName: 'a.png',
};

function openRenderer(options: Partial<RendererOptions> = {}) {
  const renderer = createRenderer({
    concurrency: 2,
    queue: 4,
    seconds: 20,
    maxSourceBytes: 10_000_000,
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

describe('a rendering in a render process', () => {
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

  it('has a bounded number of others beside it, and a client can leave', async () => {
    const renderer = openRenderer({ concurrency: 1, queue: 2 });
    const bytes = await quadrants({ width: 80, height: 60 });
    const gates = Array.from({ length: 3 }, () => Promise.withResolvers<Readable>());
    const rendering = (gate: (typeof gates)[number] | undefined, signal?: AbortSignal) =>
      renderer.render(JOB, { size: bytes.length, open: () => gate?.promise ?? fileOf(bytes).open() }, signal);
    const leaving = new AbortController();
    const [first, second, third] = gates.map((gate, n) =>
      rendering(gate, n === 1 ? leaving.signal : undefined),
    );
    const refusal = { code: 'RENDER_BUSY', status: 503, headers: { 'Retry-After': '1' } };
    await expect(rendering(undefined)).rejects.toMatchObject(refusal);
    leaving.abort(new Error('client gone'));
    await expect(second).rejects.toThrow('client gone');
    const late = Readable.from([bytes]);
    gates[1]?.resolve(late);
    await expect.poll(() => late.destroyed).toBe(true);
    expect((await rendering(undefined)).info.width).toBe(20);
    for (const gate of gates) gate.resolve(Readable.from([bytes]));
    await Promise.all([first, third]);
  });

  it('does not wait for originals that are slow to come, which have half of the places at most', async () => {
    const renderer = openRenderer({ concurrency: 1, queue: 7, seconds: 60 });
    const ends = new AbortController();
    const slow = () =>
      renderer.render(
        JOB,
        { size: 5, isRemote: true, open: async () => new Readable({ read: () => undefined }) },
        ends.signal,
      );
    const waiting = Promise.allSettled([1, 2, 3, 4].map(slow));
    await expect(slow()).rejects.toMatchObject({ code: 'RENDER_BUSY' });
    const bytes = await quadrants({ width: 80, height: 60 });
    expect((await renderer.render(JOB, fileOf(bytes))).info.width).toBe(20);
    ends.abort(new Error('over'));
    expect((await waiting).map((each) => each.status === 'rejected' && each.reason.message)).toEqual(
      new Array(4).fill('over'),
    );
  });

  it('of less than the file was said to have fails, and may be tried again', async () => {
    const bytes = await quadrants({ width: 80, height: 60 });
    const short = { size: bytes.length + 1, open: async () => Readable.from([bytes]) };
    await expect(openRenderer().render(JOB, short)).rejects.toMatchObject({ code: 'RENDER_FAILED' });
  });

  it('whose process cannot be started fails, and the next one gets one', async () => {
    let starts = 0;
    const renderer = openRenderer({
      start: () => {
        starts += 1;
        if (starts === 1) throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' });
        if (starts === 2) return spawn('/no/such/program', { stdio: ['pipe', 'pipe', 'ignore'] });
        return spawn(process.execPath, [RENDER_PROCESS], { stdio: ['pipe', 'pipe', 'ignore'], env: {} });
      },
    });
    const bytes = await quadrants({ width: 80, height: 60 });
    for (const _ of [1, 2]) {
      await expect(renderer.render(JOB, fileOf(bytes))).rejects.toBeInstanceOf(StartError);
    }
    expect((await renderer.render(JOB, fileOf(bytes))).info.width).toBe(20);
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
