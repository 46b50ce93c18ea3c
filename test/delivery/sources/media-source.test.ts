import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createBucketSource, createMediaSource } from '../../../src/delivery/sources/media-source.ts';
import type { ByteRange } from '../../../src/stores/media-store.ts';

/** The reading half of a media store, with files in memory below the prefix `p/`. */
function storeOf(files: ReadonlyMap<string, string>) {
  return {
    keyOf: (path: string) => path.replace(/^p\//, ''),
    async stat(key: string) {
      const content = files.get(key);
      return content === undefined ? undefined : { size: content.length, modifiedAt: 7 };
    },
    async read(key: string, range?: ByteRange) {
      const content = files.get(key);
      const { start, end } = range ?? { start: 0, end: Number.POSITIVE_INFINITY };
      return content === undefined ? undefined : Readable.from([content.slice(start, end + 1)]);
    },
  };
}

test('a path finds the file of a bucket', async () => {
  const source = createBucketSource(storeOf(new Map([['1.0/library/photos/a.jpg', 'bytes']])));
  const file = await source.find('p/1.0/library/photos/a.jpg');
  expect(file).toMatchObject({ size: 5, modifiedAt: 7, validator: '5-7-' });
  expect(await text((await file?.open({ start: 1, end: 2 })) ?? Readable.from([]))).toBe('yt');
});

test('another object of the same size and second in a bucket is another file', async () => {
  const files = new Map([['a.jpg', 'bytes']]);
  let etag = '"one"';
  const store = storeOf(files);
  const source = createBucketSource({
    ...store,
    stat: async (key) => ({ size: 5, modifiedAt: 1000, ...(await store.stat(key)), etag }),
  });
  const first = await source.find('a.jpg');
  etag = '"two"';
  const second = await source.find('a.jpg');
  expect([first?.validator, second?.validator]).toEqual(['5-7-"one"', '5-7-"two"']);
});

test('a file that was removed after it was found is a conflict, which can be tried again', async () => {
  const files = new Map([['a.jpg', 'bytes']]);
  const file = await createBucketSource(storeOf(files)).find('a.jpg');
  files.clear();
  await expect(file?.open()).rejects.toMatchObject({ reason: 'conflict' });
});

test('a path that no record has is not looked up', async () => {
  const asked: string[] = [];
  const keyOf = (path: string) => {
    asked.push(path);
    return path;
  };
  const store = { ...storeOf(new Map()), keyOf };
  expect(await createBucketSource(store).find('../../etc/passwd')).toBeUndefined();
  expect(asked).toEqual([]);
});

test('uploaded files in the bucket of originals are not originals', async () => {
  const store = {
    ...storeOf(
      new Map([
        ['uploads/a.jpg', 'private'],
        ['pics/a.jpg', 'open'],
      ]),
    ),
    keyOf: (path: string) => path,
  };
  const source = createBucketSource(store, 'uploads/');
  expect(await source.find('uploads/a.jpg')).toBeUndefined();
  expect(await source.find('pics/a.jpg')).toMatchObject({ size: 4 });
  expect(await createBucketSource(store, '').find('pics/a.jpg')).toBeUndefined();
});

test('a file of the media store is the one of its record, about which the store is asked once', async () => {
  const files = new Map([['1.0/library/photos/a.jpg', 'bytes']]);
  let asked = 0;
  const store = storeOf(files);
  const counting = {
    ...store,
    stat(key: string) {
      asked += 1;
      return store.stat(key);
    },
  };
  let record: { readonly id: string } | undefined = { id: 'r1' };
  const source = createMediaSource(counting, { find: async () => record });
  const path = 'p/1.0/library/photos/a.jpg';
  expect(await source.find(path)).toMatchObject({ size: 5, modifiedAt: 7, validator: 'r1-5-7' });
  const file = await source.find(path);
  expect(asked).toBe(1);
  record = { id: 'r2' };
  expect(await source.find(path)).toMatchObject({ validator: 'r2-5-7' });
  expect(asked).toBe(2);
  record = undefined;
  expect(await source.find(path)).toBeUndefined();
  expect(await text((await file?.open()) ?? Readable.from([]))).toBe('bytes');
});

test('a file of the media store that has gone is looked for again', async () => {
  const files = new Map([['a.jpg', 'bytes']]);
  const record = { id: 'r1' };
  const source = createMediaSource(storeOf(files), { find: async () => record });
  const file = await source.find('a.jpg');
  files.clear();
  expect(await source.find('a.jpg')).toBeDefined();
  await expect(file?.open()).rejects.toMatchObject({ reason: 'conflict' });
  expect(await source.find('a.jpg')).toBeUndefined();
  expect(await source.find('../a.jpg')).toBeUndefined();
});
