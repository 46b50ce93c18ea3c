import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MEDIA_SCHEMA } from '../../src/config/schema/storage.ts';
import {
  createKeyCandidates,
  MAX_NAME_BYTES,
  mediaTypeOf,
  originalFileName,
  type PathFormat,
  sanitizeFileName,
  withSuffix,
} from '../../src/media/file-name.ts';

describe('the stored name of a file', () => {
  it.each([
    ['photo.jpg', 'photo.jpg'],
    ['ünï.jpg', 'ünï.jpg'],
    ['u\u0308ni\u0308.jpg', 'ünï.jpg'],
    ['a b&c.png', 'a b&c.png'],
    ['日本語.txt', '日本語.txt'],
    ['archive.tar.gz', 'archive.tar.gz'],
    ["it's 100% #1 [x]+{y}.txt", "it's 100% #1 [x]+{y}.txt"],
  ])('keeps what is harmless: %j', (sent, stored) => {
    expect(sanitizeFileName(sent)).toBe(stored);
  });

  it.each([
    ['../../x', 'x'],
    ['..\\..\\x', 'x'],
    ['C:\\x\\y.png', 'y.png'],
    ['C:y.png', 'C_y.png'],
    ['a/b', 'b'],
    ['/etc/passwd', 'passwd'],
    ['a/', 'a'],
    ['a/..', 'a'],
    ['..', 'file'],
    ['.', 'file'],
    ['/', 'file'],
    ['', 'file'],
    [' . . ', 'file'],
  ])('has no part of a path: %j', (sent, stored) => {
    expect(sanitizeFileName(sent)).toBe(stored);
  });

  it.each([
    ['.htaccess', 'htaccess'],
    ['...x', 'x'],
    ['x...', 'x'],
    ['x. . ', 'x'],
    ['  x  y ', 'x  y'],
    ['a\0b\r\nc\u007f.txt', 'abc.txt'],
    ['gpj.\u202eexe', 'gpj.exe'],
    ['a\u200bb\ufeffc\u2066d.txt', 'abcd.txt'],
    ['a\u2028b\u0085c', 'abc'],
    ['a\ud800b.txt', 'ab.txt'],
    ['\udc00', 'file'],
    ['a<b>c:d"e|f?g*h', 'a_b_c_d_e_f_g_h'],
  ])('has nothing that deceives a reader or a file system: %j', (sent, stored) => {
    expect(sanitizeFileName(sent)).toBe(stored);
  });

  it.each([
    ['con.txt', 'con_.txt'],
    ['CON', 'CON_'],
    ['nul', 'nul_'],
    ['aux.png', 'aux_.png'],
    ['com1.tar.gz', 'com1_.tar.gz'],
    ['LPT9', 'LPT9_'],
    ['con .txt', 'con_ .txt'],
    ['console.txt', 'console.txt'],
    ['com10.txt', 'com10.txt'],
  ])('is no device: %j', (sent, stored) => {
    expect(sanitizeFileName(sent)).toBe(stored);
  });

  it.each(['count', 'stats', 'config', 'sign', 'history', '0123456789abcdef01234567'])(
    'hides no address: %s',
    (sent) => {
      expect(sanitizeFileName(sent)).toBe(`${sent}_`);
      expect(sanitizeFileName(`${sent}.txt`)).toBe(`${sent}.txt`);
    },
  );

  it('is cut between code points, and keeps its extension', () => {
    for (const letter of ['a', 'ä', '語', '😀']) {
      const name = sanitizeFileName(`${letter.repeat(300)}.jpeg`);
      expect(name.endsWith(`${letter}.jpeg`)).toBe(true);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(MAX_NAME_BYTES);
      expect(Buffer.byteLength(name)).toBeGreaterThan(MAX_NAME_BYTES - Buffer.byteLength(letter));
      expect(name.isWellFormed()).toBe(true);
    }
    expect(sanitizeFileName('x'.repeat(300))).toBe('x'.repeat(MAX_NAME_BYTES));
    expect(sanitizeFileName(`a.${'x'.repeat(300)}`)).toBe(`a.${'x'.repeat(MAX_NAME_BYTES - 2)}`);
  });

  it('cleaned again is the same, whatever was sent', () => {
    const parts = [
      '.',
      ' ',
      '/',
      '\\',
      'con',
      'a',
      '\0',
      'é',
      '\u202e',
      '\ud83d',
      'count',
      ':',
      '_',
      '😀'.repeat(99),
    ];
    let seed = 1;
    const next = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    };
    for (let round = 0; round < 2000; round += 1) {
      const sent = Array.from({ length: next() % 6 }, () => parts[next() % parts.length]).join('');
      const name = sanitizeFileName(sent);
      expect(sanitizeFileName(name), JSON.stringify(sent)).toBe(name);
      expect(name, JSON.stringify(sent)).toMatch(/^[^./\\\s][^/\\]*$/u);
    }
  });
});

describe('the original file name in a media record', () => {
  it('is what was sent, within a bound and well-formed', () => {
    expect(originalFileName('../../x\0')).toBe('../../x\0');
    expect(originalFileName('a\ud800')).toBe('a\ufffd');
    expect(originalFileName('x'.repeat(5000))).toHaveLength(1000);
  });
});

describe('the suffix of a file name that is taken', () => {
  it('stands before the extension, or at the end', () => {
    expect(withSuffix('test.jpg', 1_482_124_829_485)).toBe('test-1482124829485.jpg');
    expect(withSuffix('a.tar.gz', 1)).toBe('a.tar-1.gz');
    expect(withSuffix('README', 1)).toBe('README-1');
  });

  it('leaves the longest name short enough for a file system', () => {
    const longest = withSuffix(sanitizeFileName(`${'語'.repeat(300)}.jpg`), 9_999_999_999_999);
    expect(Buffer.byteLength(longest)).toBeLessThan(255);
  });
});

it.each([
  ['image/png', 'image/png'],
  ['Image/PNG', 'image/png'],
  ['text/plain; charset=utf-8', 'text/plain'],
  ['application/vnd.api+json', 'application/vnd.api+json'],
  [' image/png ', 'image/png'],
])('an upload keeps the media type %j', (declared, kept) => {
  expect(mediaTypeOf(declared)).toBe(kept);
});

it.each([
  '',
  'png',
  'image/',
  '/png',
  'image/png/x',
  'image /png',
  'a/b\r\nX: y',
  'ä/b',
  `a/${'b'.repeat(300)}`,
])('the media type %j counts as unknown', (declared) => {
  expect(mediaTypeOf(declared)).toBe('application/octet-stream');
});

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
