// The contract of media stores about uploads: publishing, clashes, failures, what is left behind.
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors/errors.ts';
import {
  beginUpload,
  bytesAt,
  bytesOf,
  chunksOf,
  keysOf,
  type MediaSubject,
  named,
  someBytes,
  storeFile,
} from './media-cases.ts';

const LARGE = 20 * 1024 * 1024 + 3;

export function mediaUploadContract(subject: MediaSubject): void {
  describe('uploads', () => {
    it('stores a file under the key as asked for', async () => {
      const { store } = subject;
      const bytes = someBytes(100_000);
      const upload = await store.begin({
        candidate: named('1.0/library/media/a.txt'),
        contentType: 'text/plain',
      });
      expect(await upload.write(chunksOf(bytes))).toBe(100_000);
      expect(await store.stat('1.0/library/media/a.txt')).toBeUndefined();
      expect(await keysOf(store)).toEqual([]);
      expect(await upload.publish()).toBe('1.0/library/media/a.txt');
      expect(await bytesAt(store, '1.0/library/media/a.txt')).toEqual(bytes);
      await upload.settle();
      expect(await bytesAt(store, '1.0/library/media/a.txt')).toEqual(bytes);
      expect(await subject.opened.everything()).toEqual(['1.0/library/media/a.txt']);
    });

    it('stores an empty file', async () => {
      const { store } = subject;
      await storeFile(store, '1/d/c/empty.txt', bytesOf(''));
      expect(await store.stat('1/d/c/empty.txt')).toMatchObject({ size: 0 });
      expect(await bytesAt(store, '1/d/c/empty.txt')).toEqual(bytesOf(''));
      expect(await keysOf(store)).toEqual(['1/d/c/empty.txt']);
    });

    it('stores a file of many megabytes, invisible until it is published', async () => {
      const { store } = subject;
      const bytes = someBytes(LARGE);
      const upload = await store.begin({ candidate: named('1/d/c/large.bin'), contentType: 'video/mp4' });
      expect(await upload.write(chunksOf(bytes, 1_000_003))).toBe(LARGE);
      expect(await store.stat('1/d/c/large.bin')).toBeUndefined();
      expect(await store.read('1/d/c/large.bin')).toBeUndefined();
      expect(await keysOf(store)).toEqual([]);
      expect(await upload.publish()).toBe('1/d/c/large.bin');
      await upload.settle();
      expect(await store.stat('1/d/c/large.bin')).toMatchObject({ size: LARGE });
      expect((await bytesAt(store, '1/d/c/large.bin'))?.equals(bytes)).toBe(true);
      const part = await bytesAt(store, '1/d/c/large.bin', { start: 9_000_000, end: 9_000_009 });
      expect(part).toEqual(bytes.subarray(9_000_000, 9_000_010));
      expect(await subject.opened.everything()).toEqual(['1/d/c/large.bin']);
    });

    it('never overwrites: a taken name leads to the next candidate', async () => {
      const { store } = subject;
      expect(await storeFile(store, '1/d/c/a.txt', bytesOf('first'))).toBe('1/d/c/a.txt');
      expect(await storeFile(store, '1/d/c/a.txt', bytesOf('second'))).toBe('1/d/c/a-1.txt');
      expect(await storeFile(store, '1/d/c/a.txt', someBytes(LARGE))).toBe('1/d/c/a-2.txt');
      expect(await bytesAt(store, '1/d/c/a.txt')).toEqual(bytesOf('first'));
      expect(await bytesAt(store, '1/d/c/a-1.txt')).toEqual(bytesOf('second'));
      expect(await store.stat('1/d/c/a-2.txt')).toMatchObject({ size: LARGE });
    });

    it('gives twenty files of one name, sent to two processes at once, a key each', async () => {
      const stores = [subject.store, subject.opened.another()];
      const files = Array.from({ length: 20 }, (_, index) => bytesOf(`file ${index}`));
      const keys = await Promise.all(
        files.map((bytes, index) => storeFile(stores[index % 2]!, '1/d/c/same.txt', bytes)),
      );
      expect(new Set(keys).size).toBe(20);
      const stored = await Promise.all(keys.map((key) => bytesAt(subject.store, key)));
      expect(stored).toEqual(files);
      expect(keys).toContain('1/d/c/same.txt');
      expect(await subject.opened.everything()).toHaveLength(20);
      await stores[1]?.close();
    });

    it('gives large files of one name, sent to two processes at once, a key each', async () => {
      const stores = [subject.store, subject.opened.another()];
      const files = [someBytes(9_000_000), someBytes(9_000_001), someBytes(100)];
      const keys = await Promise.all(
        files.map((bytes, index) => storeFile(stores[index % 2]!, '1/d/c/same.bin', bytes)),
      );
      expect(new Set(keys).size).toBe(3);
      for (const [index, key] of keys.entries()) {
        expect((await bytesAt(subject.store, key))?.equals(files[index]!)).toBe(true);
      }
      await stores[1]?.close();
    });

    it.each([50_000, LARGE])('leaves nothing of a source that fails after %i bytes', async (length) => {
      const { store } = subject;
      await storeFile(store, '1/d/c/neighbour.txt', bytesOf('stays'));
      const upload = await store.begin({ candidate: named('1/d/c/a.txt'), contentType: 'text/plain' });
      const source = async function* () {
        yield* chunksOf(someBytes(length));
        throw new Error('the connection broke');
      };
      await expect(upload.write(source())).rejects.toThrow('the connection broke');
      await upload.discard();
      expect(await subject.opened.everything()).toEqual(['1/d/c/neighbour.txt']);
    });

    it.each([100, LARGE])('discards a file of %i bytes before and after it is published', async (length) => {
      const { store } = subject;
      await storeFile(store, '1/d/c/neighbour.txt', bytesOf('stays'));
      const unpublished = await beginUpload(store, '1/d/c/e/a.txt', someBytes(length));
      await unpublished.discard();
      const published = await beginUpload(store, '1/d/c/e/a.txt', someBytes(length));
      await published.publish();
      await published.discard();
      expect(await store.stat('1/d/c/e/a.txt')).toBeUndefined();
      expect(await subject.opened.everything()).toEqual(['1/d/c/neighbour.txt']);
    });

    it('discards an upload that never got a byte', async () => {
      const upload = await subject.store.begin({
        candidate: named('1/d/c/a.txt'),
        contentType: 'text/plain',
      });
      await upload.discard();
      expect(await subject.opened.everything()).toEqual([]);
    });

    it('keeps names with spaces, signs and letters of other alphabets as they are', async () => {
      const { store } = subject;
      const keys = [
        ...['1/d/c/a b&c.png', '1/d/c/ünï.jpg', '1/d/c/100%.txt', '1/d/c/a+b.txt', '1/d/c/%2e%2e.txt'],
        ...[
          "1/d/c/(it's)!*~.txt",
          '1/d/c/日本.txt',
          '1/d/c/=?#;,:@$.txt',
          '1/d/c/…😀.gif',
          `1/d/c/${'x'.repeat(255)}`,
        ],
      ];
      for (const key of keys) expect(await storeFile(store, key, bytesOf(key))).toBe(key);
      for (const key of keys) expect(await bytesAt(store, key)).toEqual(bytesOf(key));
      expect(await keysOf(store)).toEqual([...keys].sort());
      await store.remove(keys);
      expect(await subject.opened.everything()).toEqual([]);
    });

    it('refuses keys that lead elsewhere, and says of them that there is no such file', async () => {
      const { store } = subject;
      const keys = [
        ...['', '/etc/passwd', '../a.txt', '1/../../a.txt', '1/./a.txt', '1//a.txt', '1/a.txt/', '1\\a.txt'],
        ...[
          '1/a\0.txt',
          '.uploads/a.txt',
          '.UPLOADS/a.txt',
          `1/${'x'.repeat(256)}`,
          `${'long/'.repeat(300)}a`,
        ],
      ];
      for (const key of keys) {
        expect(await store.stat(key)).toBeUndefined();
        expect(await store.read(key)).toBeUndefined();
        await store.remove([key]);
        const upload = await store.begin({ candidate: () => key, contentType: 'text/plain' });
        await upload.write(chunksOf(bytesOf('bytes')));
        await expect(upload.publish()).rejects.toMatchObject({ reason: 'refused' });
        await upload.discard();
      }
      expect(await subject.opened.everything()).toEqual([]);
    });

    it('ends an upload that is under way when it is closed, and lets it be discarded', async () => {
      const { store } = subject;
      const upload = await store.begin({ candidate: named('1/d/c/a.txt'), contentType: 'text/plain' });
      const source = async function* () {
        yield* chunksOf(someBytes(10_000_000));
        await store.close();
        yield* chunksOf(someBytes(10_000_000));
      };
      const failure = await upload.write(source()).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(StoreError);
      expect(failure).toMatchObject({ reason: 'unavailable' });
      await expect(store.stat('1/d/c/a.txt')).rejects.toMatchObject({ reason: 'unavailable' });
      await upload.discard();
      expect(await subject.opened.everything()).toEqual([]);
    });
  });
}
