// The contract of media stores about files that are there: reading, ranges, listing, removing.
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { all, bytesAt, bytesOf, keysOf, type MediaSubject, someBytes, storeFile } from './media-cases.ts';

export function mediaReadingContract(subject: MediaSubject): void {
  describe('files', () => {
    it('reads every kind of range', async () => {
      const { store } = subject;
      const bytes = someBytes(1000);
      await storeFile(store, '1/d/c/a.bin', bytes);
      const ranges = [
        [0, 0],
        [0, 999],
        [10, 19],
        [999, 999],
        [500, 5000],
      ] as const;
      for (const [start, end] of ranges) {
        expect(await bytesAt(store, '1/d/c/a.bin', { start, end })).toEqual(bytes.subarray(start, end + 1));
      }
      expect(await bytesAt(store, '1/d/c/a.bin', { start: 1000, end: 2000 })).toEqual(bytesOf(''));
    });

    it('tells size and time of a file', async () => {
      const { store } = subject;
      const before = Date.now();
      await storeFile(store, '1/d/c/a.txt', bytesOf('four'));
      const found = await store.stat('1/d/c/a.txt');
      expect(found?.size).toBe(4);
      // Some stores keep whole seconds.
      expect(found?.modifiedAt).toBeGreaterThanOrEqual(before - 2000);
      expect(found?.modifiedAt).toBeLessThanOrEqual(Date.now() + 2000);
      const [listed] = await all(store.list());
      expect(listed).toEqual({ key: '1/d/c/a.txt', ...found });
    });

    it('knows no file where there is none, nor where there is a folder', async () => {
      const { store } = subject;
      await storeFile(store, '1/d/c/e/a.txt', bytesOf('a'));
      for (const key of ['1/d/c/e', '1/d/c/e/b.txt', '1/d/c/e/a.txt/b', '2/d/c/a.txt']) {
        expect(await store.stat(key)).toBeUndefined();
        expect(await store.read(key)).toBeUndefined();
      }
      await store.remove(['1/d/c/e', '1/d/c/e/b.txt']);
      expect(await keysOf(store)).toEqual(['1/d/c/e/a.txt']);
    });

    it('lets go of a file whose reader leaves early', async () => {
      const { store } = subject;
      await storeFile(store, '1/d/c/a.bin', someBytes(3_000_000));
      const stream = await store.read('1/d/c/a.bin');
      stream?.once('data', () => stream.destroy());
      await once(stream!, 'close');
      await store.remove(['1/d/c/a.bin']);
      expect(await subject.opened.everything()).toEqual([]);
    });

    it('removes what it is told, and no neighbour', async () => {
      const { store } = subject;
      const keys = ['1/d/c/a.txt', '1/d/c/a.txt.bak', '1/d/c/ab.txt', '1/d/ca/a.txt', '1/d/c/x/y/z.txt'];
      for (const key of keys) await storeFile(store, key, bytesOf(key));
      await store.remove(['1/d/c/a.txt', '1/d/c/x/y/z.txt', '1/d/c/missing.txt', '1/d/c/a.txt']);
      expect(await subject.opened.everything()).toEqual(['1/d/c/a.txt.bak', '1/d/c/ab.txt', '1/d/ca/a.txt']);
      await store.remove([]);
    });

    it('lists and removes more files than one answer of a server holds', async () => {
      const { store, opened } = subject;
      const keys = Array.from({ length: 1001 }, (_, index) => `1/d/c/${String(index).padStart(4, '0')}.txt`);
      const queue = [...keys];
      const work = async () => {
        for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
          await opened.put(key, bytesOf(key));
        }
      };
      await Promise.all(Array.from({ length: 16 }, work));
      expect(await keysOf(store)).toEqual(keys);
      await store.remove(keys.slice(1));
      expect(await opened.everything()).toEqual(['1/d/c/0000.txt']);
    });

    it('finds the key in the path of a record, whichever store wrote it', async () => {
      const { store } = subject;
      expect(store.keyOf(store.pathOf('1.0/d/c/ü b.txt'))).toBe('1.0/d/c/ü b.txt');
      expect(store.keyOf('1.0/d/c/a.txt')).toBe('1.0/d/c/a.txt');
      expect(store.keyOf('workspace/media/1.0/d/c/a.txt')).toBe('1.0/d/c/a.txt');
    });

    it('is healthy', async () => {
      await subject.store.health();
    });
  });
}
