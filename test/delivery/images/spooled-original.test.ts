// Originals on their way to a rendering: short and long ones, their limits, and what is left of them.
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createOriginalSpool } from '../../../src/delivery/images/spooled-original.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const LONG = 1_000_000;
const bytesOf = (length: number) => Buffer.from(Array.from({ length }, (_, at) => at % 251));
const fileOf = (bytes: Buffer) => ({ open: async () => Readable.from(piecesOf(bytes)) });
const piecesOf = (bytes: Buffer) =>
  Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, n) =>
    bytes.subarray(n * 65_536, (n + 1) * 65_536),
  );

async function openSpool(options: Partial<Parameters<typeof createOriginalSpool>[0]> = {}) {
  const folder = await temporaryFolder();
  const spool = createOriginalSpool({ maxSourceBytes: 2 * LONG, seconds: 60, folder, ...options });
  return { spool, folder };
}

/** Files in the folder that this process has open, those without a name included. */
function openFiles(folder: string): number {
  const targets = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      // Closed since it was listed.
      return '';
    }
  });
  return targets.filter((target) => target.startsWith(folder)).length;
}

describe('an original that is fetched', () => {
  it.each([0, 1, 1000, 262_144, 262_145, LONG])('of %i bytes is read as it came', async (length) => {
    const { spool, folder } = await openSpool();
    const bytes = bytesOf(length);
    const original = await spool.fetch(fileOf(bytes));
    expect(original.size).toBe(length);
    expect(readdirSync(folder)).toEqual([]);
    expect((await buffer(original.read())).equals(bytes)).toBe(true);
    await original.release();
    expect(openFiles(folder)).toBe(0);
  });

  it('leaves no file open when it is released before it was read, twice', async () => {
    const { spool, folder } = await openSpool();
    const original = await spool.fetch(fileOf(bytesOf(LONG)));
    original.read().destroy();
    await original.release();
    await original.release();
    expect(openFiles(folder)).toBe(0);
  });

  it('is refused when all of them together are too long, until one is released', async () => {
    const { spool, folder } = await openSpool({ maxBytes: 1, maxSourceBytes: 1.5 * LONG });
    const first = await spool.fetch(fileOf(bytesOf(LONG)));
    const refusal = { code: 'RENDER_BUSY', status: 503, headers: { 'Retry-After': '1' } };
    await expect(spool.fetch(fileOf(bytesOf(LONG)))).rejects.toMatchObject(refusal);
    const short = await spool.fetch(fileOf(bytesOf(1000)));
    await first.release();
    const second = await spool.fetch(fileOf(bytesOf(LONG)));
    await Promise.all([short.release(), second.release()]);
    expect(openFiles(folder)).toBe(0);
  });

  it('is refused as soon as it has more bytes than an original may have', async () => {
    const { spool, folder } = await openSpool();
    const stream = new Readable({ read: () => void stream.push(Buffer.alloc(65_536)) });
    await expect(spool.fetch({ open: async () => stream })).rejects.toMatchObject({
      code: 'IMAGE_TOO_LARGE',
    });
    expect(stream.destroyed).toBe(true);
    expect(openFiles(folder)).toBe(0);
  });

  it.each([0, LONG])('that breaks off after %i bytes fails with its error', async (length) => {
    const { spool, folder } = await openSpool();
    const broken = async function* () {
      yield* piecesOf(bytesOf(length));
      throw new Error('cut off');
    };
    await expect(spool.fetch({ open: async () => Readable.from(broken()) })).rejects.toThrow('cut off');
    expect(openFiles(folder)).toBe(0);
  });

  it.each([0, LONG])('is given up with its client after %i bytes', async (length) => {
    const { spool, folder } = await openSpool();
    const client = new AbortController();
    const pieces = piecesOf(bytesOf(length));
    const stream: Readable = new Readable({
      read() {
        const piece = pieces.shift();
        if (piece === undefined) client.abort(new Error('gone'));
        else stream.push(piece);
      },
    });
    await expect(spool.fetch({ open: async () => stream }, client.signal)).rejects.toThrow('gone');
    expect(stream.destroyed).toBe(true);
    expect(openFiles(folder)).toBe(0);
  });

  it('that is opened after its client has gone is closed at once', async () => {
    const { spool } = await openSpool();
    const client = new AbortController();
    const opened = Promise.withResolvers<Readable>();
    const fetching = spool.fetch({ open: () => opened.promise }, client.signal);
    client.abort(new Error('gone'));
    await expect(fetching).rejects.toThrow('gone');
    const stream = Readable.from(['late']);
    opened.resolve(stream);
    await expect.poll(() => stream.destroyed).toBe(true);
  });

  it('is not opened for a client that has gone', async () => {
    const { spool } = await openSpool();
    let opened = 0;
    const open = async () => {
      opened += 1;
      return Readable.from([]);
    };
    await expect(spool.fetch({ open }, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(opened).toBe(0);
  });

  it('that cannot be kept is 503', async () => {
    const { spool } = await openSpool({ folder: join(await temporaryFolder(), 'missing') });
    await expect(spool.fetch(fileOf(bytesOf(LONG)))).rejects.toMatchObject({
      code: 'RENDER_FAILED',
      status: 503,
    });
  });

  it('that does not come in time is 503', async () => {
    const { spool } = await openSpool({ seconds: 0.05 });
    const never = { open: () => new Promise<Readable>(() => undefined) };
    await expect(spool.fetch(never)).rejects.toMatchObject({ code: 'RENDER_TIMEOUT', status: 503 });
  });
});
