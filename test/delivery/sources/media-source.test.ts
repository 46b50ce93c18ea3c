import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createMediaSource } from '../../../src/delivery/sources/media-source.ts';
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

test('the path of a record finds its file', async () => {
  const source = createMediaSource(storeOf(new Map([['1.0/library/photos/a.jpg', 'bytes']])));
  const file = await source.find('p/1.0/library/photos/a.jpg');
  expect(file).toMatchObject({ size: 5, modifiedAt: 7, validator: '5-7' });
  expect(await text((await file?.open({ start: 1, end: 2 })) ?? Readable.from([]))).toBe('yt');
});

test('a file that was removed after it was found is a conflict, which can be tried again', async () => {
  const files = new Map([['a.jpg', 'bytes']]);
  const file = await createMediaSource(storeOf(files)).find('a.jpg');
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
  expect(await createMediaSource(store).find('../../etc/passwd')).toBeUndefined();
  expect(asked).toEqual([]);
});
