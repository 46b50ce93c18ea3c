// Copies the files of one media store to another.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type CopyState, copyFiles } from '../../src/media/copy-files.ts';
import { bytesAt, bytesOf, keysOf, someBytes, storeFile } from '../contracts/media-cases.ts';
import { filesBelow, temporaryFolder } from '../helpers/temp/folders.ts';
import { diskMedia } from '../stores/disk-media/workbench.ts';

async function open() {
  const [from, to] = [await temporaryFolder(), await temporaryFolder()];
  const [source, target] = [diskMedia(from), diskMedia(to)];
  const failures: string[] = [];
  const states: CopyState[] = [];
  const deps = {
    source,
    target,
    signal: new AbortController().signal,
    contentTypeOf: async () => 'image/png',
    onProgress: (state: CopyState) => void states.push(state),
    onFailure: (key: string, reason: string) => void failures.push(`${key}: ${reason}`),
  };
  return { from, to, source, target, deps, failures, states };
}

describe('copyFiles', () => {
  it('copies all files, and none twice', async () => {
    const { source, target, deps, states, to } = await open();
    const files = Array.from({ length: 20 }, (_, n) => [`1/d/c/${n}.bin`, someBytes(n * 10_000)] as const);
    for (const [key, bytes] of files) await storeFile(source, key, bytes);
    const bytes = 1_900_000;
    expect(await copyFiles(deps)).toEqual({ copied: 20, same: 0, failed: 0, bytes });
    for (const [key, content] of files) expect((await bytesAt(target, key))?.equals(content)).toBe(true);
    expect(await copyFiles(deps)).toEqual({ copied: 0, same: 20, failed: 0, bytes });
    expect(states.at(-1)).toEqual({ copied: 0, same: 20, failed: 0, bytes });
    expect(filesBelow(to).filter((file) => file.startsWith('.uploads'))).toEqual([]);
  });

  it('closes a file whose copy could not begin', async () => {
    const { source, deps } = await open();
    await storeFile(source, '1/a.txt', bytesOf('a'));
    const streams: Readable[] = [];
    const read: typeof source.read = async (key, range) => {
      const stream = await source.read(key, range);
      if (stream !== undefined) streams.push(stream);
      return stream;
    };
    const contentTypeOf = async () => {
      throw new Error('the database is away');
    };
    await expect(copyFiles({ ...deps, source: { ...source, read }, contentTypeOf })).rejects.toThrow('away');
    await expect.poll(() => streams.map(({ closed }) => closed)).toEqual([true]);
  });

  it('overwrites no other file of the same name, and goes on with the rest', async () => {
    const { source, target, deps, failures } = await open();
    for (const key of ['1/a.txt', '1/b.txt', '1/c.txt']) await storeFile(source, key, bytesOf(key));
    await storeFile(target, '1/b.txt', bytesOf('other'));
    expect(await copyFiles(deps)).toMatchObject({ copied: 2, failed: 1 });
    expect(failures).toEqual(['1/b.txt: another file of this name is there: it has 5 bytes, not 7']);
    expect(await bytesAt(target, '1/b.txt')).toEqual(bytesOf('other'));
  });

  it('does not keep a file that got another length, or whose name was taken, while it was copied', async () => {
    const { from, source, target, deps, failures, to } = await open();
    for (const key of ['1/a.txt', '1/b.txt', '1/c.txt']) await storeFile(source, key, bytesOf('text'));
    const contentTypeOf = async (key: string) => {
      if (key === '1/a.txt') await storeFile(target, key, bytesOf('other'));
      return 'text/plain';
    };
    const read = async (key: string) => {
      if (key === '1/b.txt') await writeFile(join(from, key), 'longer text');
      if (key === '1/c.txt') await rm(join(from, key));
      return source.read(key);
    };
    const changed = { ...source, read };
    expect(await copyFiles({ ...deps, source: changed, contentTypeOf })).toMatchObject({
      copied: 0,
      failed: 2,
    });
    expect(failures.sort()).toEqual([
      '1/a.txt: another file has got this name meanwhile',
      '1/b.txt: the file changed: 11 bytes of 4 came',
    ]);
    expect(filesBelow(to)).toEqual(['1/a.txt']);
  });

  it('ends when it is told to, or when a store is away, and leaves nothing half copied', async () => {
    const { source, target, deps, to } = await open();
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9]) await storeFile(source, `1/${n}.bin`, someBytes(100_000));
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    await expect(copyFiles({ ...deps, onProgress, signal: controller.signal })).rejects.toThrow('aborted');
    const done = await keysOf(target);
    expect(done.length).toBeLessThan(9);
    expect(filesBelow(to)).toEqual(done);
    await target.close();
    await expect(copyFiles(deps)).rejects.toMatchObject({ reason: 'unavailable' });
  });
});
