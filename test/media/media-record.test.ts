import { describe, expect, it } from 'vitest';
import { AppError, type ErrorItem } from '../../src/errors/errors.ts';
import { createMediaRecord, parseFormFields } from '../../src/media/media-record.ts';
import { threadCpuMs } from '../../src/workers/match-patterns.ts';
import { makeCollection } from '../helpers/fixtures/specifications.ts';

const FILE = {
  key: '1.0/library/pictures/2026/11/22/ünï b.png',
  originalFileName: '../ünï b.png',
  mimetype: 'image/png',
  size: 7,
  dimensions: { width: 4, height: 3 },
};
const DISK = { pathOf: (key: string) => key, cloudUrlOf: () => undefined };
const BUCKET = {
  pathOf: (key: string) => `prefix/${key}`,
  cloudUrlOf: (key: string) => `https://bucket.example.org/${key}`,
};

it('a record says what is known of the file, and no more', () => {
  expect(createMediaRecord(FILE, { store: DISK, publicUrl: undefined })).toEqual({
    fileName: 'ünï b.png',
    originalFileName: '../ünï b.png',
    mimetype: 'image/png',
    width: 4,
    height: 3,
    path: FILE.key,
    contentLength: 7,
    url: '/1.0/library/pictures/2026/11/22/%C3%BCn%C3%AF%20b.png',
  });
  const unknown = createMediaRecord(
    { ...FILE, dimensions: undefined },
    { store: DISK, publicUrl: undefined },
  );
  expect(Object.keys(unknown)).not.toContain('width');
});

it('a record of a file in a bucket has the address of the object', () => {
  const record = createMediaRecord(FILE, { store: BUCKET, publicUrl: 'https://api.example.org/base/' });
  expect(record).toMatchObject({
    path: `prefix/${FILE.key}`,
    cloudUrl: `https://bucket.example.org/${FILE.key}`,
    url: 'https://api.example.org/base/1.0/library/pictures/2026/11/22/%C3%BCn%C3%AF%20b.png',
  });
});

const COLLECTION = makeCollection(
  {
    text: { type: 'String' },
    number: { type: 'Number', message: 'A number, please' },
    flag: { type: 'Boolean' },
    object: { type: 'Object' },
    mixed: { type: 'Mixed' },
    when: { type: 'DateTime' },
    id: { type: 'ObjectID' },
    reference: { type: 'Reference' },
    path: { type: 'String' },
    constructor: { type: 'String' },
  },
  { type: 'media' },
);
const VALUES = 1000;

const read = (...sent: readonly [name: string, value: string][]) =>
  parseFormFields(
    COLLECTION,
    sent.map(([name, value]) => ({ name, value })),
    VALUES,
  );

async function itemsOf(...sent: readonly [name: string, value: string][]): Promise<readonly ErrorItem[]> {
  const error: unknown = await read(...sent).catch((thrown: unknown) => thrown);
  if (!(error instanceof AppError)) throw new Error('nothing was refused');
  return error.items;
}

describe('the fields of a form', () => {
  it.each<[string, string, unknown]>([
    ['text', ' 5 \0\r\n', ' 5 \0\r\n'],
    ['text', '', ''],
    ['number', '-1.5e2', -150],
    ['number', '0', 0],
    ['flag', 'true', true],
    ['flag', 'false', false],
    ['object', ' {"a":[1]} ', { a: [1] }],
    ['mixed', '"5"', '5'],
    ['mixed', 'null', null],
    ['when', '2024-02-29', '2024-02-29'],
    ['id', 'ABCDEF0123456789abcdef01', 'ABCDEF0123456789abcdef01'],
    ['reference', ' ["x"]', ['x']],
    ['constructor', 'x', 'x'],
  ])('%s from %j', async (name, text, value) => {
    expect(await read([name, text])).toEqual({ [name]: value });
  });

  it.each([
    ['text', 'a\ud800'],
    ['number', ''],
    ['number', '01'],
    ['number', '+1'],
    ['number', ' 1'],
    ['number', '0x1'],
    ['number', 'NaN'],
    ['number', '1e999'],
    ['number', '1'.repeat(401)],
    ['flag', ''],
    ['flag', 'TRUE'],
    ['flag', '1'],
    ['object', '{'],
    ['mixed', ''],
    ['mixed', '"\\ud800"'],
    ['mixed', '{"__proto__":1}'],
    ['mixed', '['.repeat(101) + ']'.repeat(101)],
    ['mixed', `[${'0,'.repeat(VALUES)}0]`],
    ['reference', '['],
  ])('refuse %s from %j', async (name, text) => {
    const message = name === 'number' ? 'A number, please' : 'is wrong type';
    const details = expect.stringMatching(/^expected /);
    expect(await itemsOf([name, text])).toEqual([
      { field: name, message, details, code: 'ERROR_VALUE_INVALID' },
    ]);
  });

  it('that are to be JSON and are none are refused with the place', async () => {
    const [item] = await itemsOf(['object', '{"a":hunter2}']);
    expect(item?.details).toBe('expected an object, or a list as JSON: line 1, column 6: expected a value');
  });

  it('are refused all at once, and once each', async () => {
    const items = await itemsOf(['number', 'x'], ['text', 'a'], ['flag', 'x'], ['text', 'b']);
    expect(items.map(({ field }) => field)).toEqual(['number', 'flag', 'text']);
  });

  it('leave out what is not declared, and what only the server sets', async () => {
    const names = ['undeclared', 'path', 'fileName', 'url', '_id', 'v', 'createdBy', 'toString', '__proto__'];
    expect(await read(...names.map((name) => [name, 'x'] as [string, string]))).toEqual({});
  });

  it('that nest for ever are refused at once', async () => {
    const began = threadCpuMs();
    await itemsOf(['mixed', '['.repeat(1_000_000)]);
    expect(threadCpuMs() - began).toBeLessThan(1000);
  });
});
