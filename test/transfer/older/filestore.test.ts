import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { openFilestore } from '../../../src/transfer/older/filestore.ts';
import type { OlderDatabase } from '../../../src/transfer/older/older-database.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

const META = { revision: 0, created: 1_500_000_000_000, version: 0 };
const collection = (name: string, data: readonly JsonObject[]) => ({
  name,
  data,
  idIndex: [1],
  dirty: false,
});
const save = (name: string, ...collections: readonly JsonObject[]) =>
  writeFileSync(join(folder, name), JSON.stringify({ filename: name, collections, databaseVersion: 1.5 }));

async function read(database: OlderDatabase | undefined, name: string): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for await (const page of database?.pages(name, () => undefined) ?? []) found.push(...page);
  return found;
}

const EMMA = '0b3f4d76-3f37-4f0d-9d7a-3b6a6f2f6f11';
const JANE = 'F00F4D76-3F37-4F0D-9D7A-3B6A6F2F6F22';

describe('a filestore', () => {
  it('has its documents, without what it wrote into them itself', async () => {
    const own = { revision: 1, created: 1, updated: 2, version: 0, keywords: ['a'] };
    save(
      'library.db',
      collection('books', [
        { title: 'a', _id: 'x', meta: META, $loki: 1 },
        { title: 'b', _id: 'y', meta: own, $loki: 2 },
        { title: 'c', _id: 'z', meta: 'text', $loki: 3 },
      ]),
      collection('empty', []),
    );
    const [database, ...more] = await openFilestore(join(folder, 'library.db'));
    expect(more).toEqual([]);
    expect(database).toMatchObject({
      name: 'library',
      notices: [],
      collections: [
        { name: 'books', documents: 3 },
        { name: 'empty', documents: 0 },
      ],
    });
    expect(await read(database, 'books')).toEqual([
      { title: 'a', _id: 'x' },
      { title: 'b', _id: 'y', meta: { keywords: ['a'] } },
      { title: 'c', _id: 'z', meta: 'text' },
    ]);
    expect(await read(database, 'nothing')).toEqual([]);
  });

  it('has ids of our form in place of UUIDs, wherever they stand, and always the same', async () => {
    save(
      'library.db',
      collection('books', [{ _id: EMMA, author: JANE, _createdAt: 2000, $loki: 7, meta: META }]),
    );
    save(
      'people.db',
      collection('people', [
        {
          _id: JANE,
          best: [EMMA, 'x'],
          _refBest: { [EMMA]: 'books' },
          text: `see ${EMMA}`,
          meta: META,
          $loki: 1,
        },
      ]),
    );
    const open = () => openFilestore(folder);
    const [library, people] = await open();
    const [book] = await read(library, 'books');
    const [person] = await read(people, 'people');
    expect(book?.['_id']).toMatch(/^00000002000007[0-9a-f]{10}$/);
    expect(person?.['_id']).toMatch(/^59682f00000001[0-9a-f]{10}$/);
    expect(book).toMatchObject({ author: person?.['_id'] });
    expect(person).toMatchObject({
      best: [book?.['_id'], 'x'],
      _refBest: { [String(book?.['_id'])]: 'books' },
      text: `see ${EMMA}`,
    });
    expect(library?.notices).toEqual([
      '2 documents had UUIDs, which no path reaches: they and what refers to them have new ids',
    ]);
    const [again] = await open();
    expect(await read(again, 'books')).toEqual([book]);
  });

  it('leaves out what is no document, and says so', async () => {
    const data = [null, { _id: 'x' }, [], 'text'];
    writeFileSync(join(folder, 'a.db'), JSON.stringify({ collections: [{ name: 'books', data }] }));
    const [database] = await openFilestore(folder);
    expect(await read(database, 'books')).toEqual([{ _id: 'x' }]);
    expect(database?.notices).toEqual(['a.db: 3 entries of books are left out: they are no objects']);
  });

  it('finds documents by what a member holds', async () => {
    save(
      'a.db',
      collection('books', [
        { _id: 'x', history: ['r', 's'], n: 1 },
        { _id: 'y', history: 's' },
        { _id: 'z' },
      ]),
    );
    const [database] = await openFilestore(folder);
    const find = (values: readonly string[]) =>
      database?.findByMember('books', { member: 'history', values, include: ['history'] });
    expect(await find(['r', 's'])).toEqual([
      { _id: 'x', history: ['r', 's'] },
      { _id: 'y', history: 's' },
    ]);
    expect(await find(['t'])).toEqual([]);
  });

  it('in a folder is all of its files, without links and other JSON', async () => {
    save('b.db', collection('books', []));
    writeFileSync(join(folder, 'a.db'), '{}');
    writeFileSync(join(folder, 'package.json'), '{"name": "site"}');
    writeFileSync(join(folder, 'readme.txt'), 'text');
    mkdirSync(join(folder, 'c.db'));
    symlinkSync('b.db', join(folder, 'd.db'));
    const databases = await openFilestore(folder);
    expect(databases.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(databases.flatMap(({ notices }) => notices)).toEqual([
      'd.db is left out: it is a symbolic link',
      'package.json is left out: it is no filestore',
    ]);
  });

  it.each([
    [
      'broken JSON, by its place',
      '{"collections": [\n{"name": }]}',
      'is not valid JSON: line 2, column 10: expected a value',
    ],
    ['text that is no UTF-8', Buffer.from([0x7b, 0xff]), 'is not valid UTF-8'],
    ['a list', '[]', 'is no filestore: it has no list `collections`'],
    ['another object', '{"name": "x"}', 'is no filestore: it has no list `collections`'],
    ['a collection without documents', '{"collections": [{"name": "a"}]}', '`collections` must be a list of'],
    ['deep nesting', `{"collections": ${'['.repeat(200)}`, 'is nested deeper than 104 levels'],
  ])('is not read where a file has %s', async (_, text, message) => {
    const file = join(folder, 'library.db');
    writeFileSync(file, text);
    await expect(openFilestore(file)).rejects.toThrow(`library.db: ${message}`);
  });

  it('is not read where it is too large, a link, missing, or no file', async () => {
    const file = join(folder, 'library.db');
    writeFileSync(file, '');
    truncateSync(file, 300_000_000);
    await expect(openFilestore(file)).rejects.toThrow('library.db: the files have more than 268435456 bytes');
    const link = join(folder, 'link');
    symlinkSync(file, link);
    await expect(openFilestore(link)).rejects.toThrow('link: is a symbolic link');
    await expect(openFilestore(join(folder, 'nowhere'))).rejects.toThrow('ENOENT');
    mkdirSync(join(folder, 'empty'));
    await expect(openFilestore(join(folder, 'empty'))).rejects.toThrow('holds no file of a filestore');
    await expect(openFilestore('/dev/null')).rejects.toThrow('null: is no file');
  });
});
