// Compressed files: made once, bounded for all requests together, and given up when nobody waits.
import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import type { OriginalFile } from '../../../src/delivery/model/delivery-types.ts';
import {
  createCompressedFiles,
  MAX_COMPRESSED_BYTES,
} from '../../../src/delivery/variants/compressed-files.ts';
import { openDiskVariants } from '../../../src/delivery/variants/disk-variants.ts';
import type { StoredVariant } from '../../../src/delivery/variants/variant-store.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const TEXT = Buffer.from('name,value\n'.repeat(1000));

async function build() {
  const store = await openDiskVariants({ folder: await temporaryFolder(), maxBytes: 1e8, now: Date.now });
  onTestFinished(() => store.close());
  const state = { opened: 0, destroyed: 0, flushes: 0 };
  const files = createCompressedFiles({ store, flushes: () => state.flushes });
  const fileOf = (bytes: Buffer, more: Partial<OriginalFile> = {}): OriginalFile => ({
    size: bytes.length,
    modifiedAt: undefined,
    validator: 'v1',
    contentType: undefined,
    async open() {
      state.opened += 1;
      const stream = Readable.from([bytes]);
      stream.once('close', () => {
        state.destroyed += 1;
      });
      return stream;
    },
    ...more,
  });
  const find = (
    file: OriginalFile,
    sourceId = 'file:a.csv',
    more: { signal?: AbortSignal; encoding?: 'gzip' } = {},
  ) =>
    files.find({
      file,
      contentType: 'text/csv',
      sourceId,
      recipe: '',
      path: 'a.csv',
      encoding: 'br' as const,
      ...more,
    });
  return { store, state, fileOf, find };
}

async function bodyOf(variant: StoredVariant | undefined) {
  if (variant === undefined) throw new Error('not compressed');
  return Buffer.concat(await (await variant.open()).toArray());
}

test('a file is compressed once for all who ask, at the same time and later, until its validator changes', async () => {
  const { state, fileOf, find } = await build();
  const both = await Promise.all([find(fileOf(TEXT)), find(fileOf(TEXT))]);
  for (const one of both) expect(brotliDecompressSync(await bodyOf(one))).toEqual(TEXT);
  expect(brotliDecompressSync(await bodyOf(await find(fileOf(TEXT))))).toEqual(TEXT);
  expect(state.opened).toBe(1);
  expect(gunzipSync(await bodyOf(await find(fileOf(TEXT), 'file:a.csv', { encoding: 'gzip' })))).toEqual(
    TEXT,
  );
  await find(fileOf(TEXT, { validator: 'v2' }));
  expect(state.opened).toBe(3);
});

test('a large file comes from the disk, and is forgotten by a removal', async () => {
  const { store, state, fileOf, find } = await build();
  const noise = Buffer.alloc(900_000);
  for (let at = 0, seed = 1; at < noise.length; at += 1) {
    seed = (seed * 48_271) % 2_147_483_647;
    noise[at] = seed % 64;
  }
  const made = await find(fileOf(noise));
  expect(made?.bytes).toBeUndefined();
  expect(brotliDecompressSync(await bodyOf(made))).toEqual(noise);
  expect(await store.remove(({ path, recipe }) => path === 'a.csv' && recipe === '')).toBe(1);
  await find(fileOf(noise));
  expect(state.opened).toBe(2);
});

test('what was read before a flush is not kept', async () => {
  const { state, fileOf, find } = await build();
  const file = fileOf(TEXT);
  await find({
    ...file,
    async open() {
      state.flushes += 1;
      return file.open();
    },
  });
  await find(file);
  expect(state.opened).toBe(2);
});

test('a file that turns out too large is sent as it is, and let go of', async () => {
  const { state, fileOf, find } = await build();
  const large = Buffer.alloc(MAX_COMPRESSED_BYTES + 1);
  expect(await find(fileOf(large, { size: undefined }))).toBeUndefined();
  await expect.poll(() => state.destroyed).toBe(1);
});

test('a file that is shorter than announced is an error', async () => {
  const { fileOf, find } = await build();
  await expect(find(fileOf(TEXT, { size: TEXT.length + 1 }))).rejects.toMatchObject({ reason: 'failed' });
  expect(await find(fileOf(TEXT))).toBeDefined();
});

test('files beyond the memory that compression may take are sent as they are, at once', async () => {
  const { fileOf, find } = await build();
  const gate = Promise.withResolvers<void>();
  const slow = fileOf(TEXT, {
    size: MAX_COMPRESSED_BYTES,
    async open() {
      await gate.promise;
      throw new Error('gone');
    },
  });
  const waiting = ['a', 'b', 'c'].map((name) => find(slow, name).catch((error: Error) => error.message));
  // There is room for one of this size.
  let plain = 0;
  for (const one of waiting) void one.then((result) => (plain += result === undefined ? 1 : 0));
  await expect.poll(() => plain).toBe(2);
  gate.resolve();
  expect((await Promise.all(waiting)).toSorted()).toEqual(['gone', undefined, undefined]);
  expect(await find(fileOf(TEXT))).toBeDefined();
});

test('a file that nobody waits for any more is let go of', async () => {
  const { state, fileOf, find } = await build();
  const controller = new AbortController();
  const opened = Promise.withResolvers<void>();
  const endless = new Readable({ read: () => undefined });
  const file = fileOf(TEXT, {
    async open() {
      opened.resolve();
      return endless;
    },
  });
  const gone = find(file, 'a', { signal: controller.signal });
  await opened.promise;
  controller.abort(new Error('hung up'));
  await expect(gone).rejects.toThrow('hung up');
  await expect.poll(() => endless.destroyed).toBe(true);
  expect(state.opened).toBe(0);
});
