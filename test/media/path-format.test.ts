import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MEDIA_SCHEMA } from '../../src/config/schema/storage.ts';
import { createKeyCandidates, type PathFormat } from '../../src/media/file-name.ts';

const COLLECTION = { version: '1.0', database: 'library', name: 'pictures' };
const AT = Date.UTC(2016, 1, 9, 3, 7, 2, 5);
const sha1Of = async (text: string) => createHash('sha1').update(text, 'utf8').digest('hex');

async function keyOf(format: PathFormat, name = 'test.jpg', attempt = 0) {
  return (await createKeyCandidates({ collection: COLLECTION, name, at: AT }, { format, sha1Of }))(attempt);
}

describe('the path of a file', () => {
  it.each([
    ['none', 'test.jpg'],
    ['date', '2016/02/09/test.jpg'],
    ['datetime', '2016/02/09/03/07/02/test.jpg'],
    ['sha1/4', 'cb56/7524/77ca/e640/5f85/b131/872c/60d2/1b96/7c6a/test.jpg'],
    ['sha1/5', 'cb567/52477/cae64/05f85/b1318/72c60/d21b9/67c6a/test.jpg'],
    ['sha1/8', 'cb567524/77cae640/5f85b131/872c60d2/1b967c6a/test.jpg'],
  ] as const)('with the format %s', async (format, path) => {
    expect(await keyOf(format)).toBe(`1.0/library/pictures/${path}`);
  });

  it('is known for every value of the setting, and for no other: no format falls back to the folders of another', async () => {
    const formats = MEDIA_SCHEMA.properties.pathFormat.enum;
    const keys = await Promise.all(formats.map((format) => keyOf(format)));
    expect(new Set(keys).size).toBe(formats.length);
    await expect(keyOf('weekly' as PathFormat)).rejects.toThrow(TypeError);
    await expect(keyOf('sha1/6' as PathFormat)).rejects.toThrow(TypeError);
  });

  it('hashes the name in UTF-8', async () => {
    const [first] = (await keyOf('sha1/8', 'ünï.jpg')).split('/').slice(3);
    expect(first).toBe((await sha1Of('ünï.jpg')).slice(0, 8));
  });

  it('gets the milliseconds of the upload when it is taken, and the next free one', async () => {
    const keys = await Promise.all([0, 1, 2].map((attempt) => keyOf('sha1/8', 'test.jpg', attempt)));
    const folder = '1.0/library/pictures/cb567524/77cae640/5f85b131/872c60d2/1b967c6a';
    expect(keys).toEqual([`${folder}/test.jpg`, `${folder}/test-${AT}.jpg`, `${folder}/test-${AT + 1}.jpg`]);
    expect(await keyOf('none', 'README', 1)).toBe(`1.0/library/pictures/README-${AT}`);
  });
});
