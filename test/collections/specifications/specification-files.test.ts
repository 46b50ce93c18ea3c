import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  createSpecificationFiles,
  parseSpecificationText,
  type SpecificationFileChange,
} from '../../../src/collections/specifications/specification-files.ts';
import { createFolderWorkspace } from '../../../src/stores/folder-workspace.ts';
import { BOOKS_ADDRESS, itemsOf } from '../../helpers/fixtures/specifications.ts';

const SOURCE = { fields: { a: {} }, settings: {} };

async function openFolder() {
  const root = await mkdtemp(join(tmpdir(), 'cloister-files-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return {
    root,
    files: createSpecificationFiles(root, createFolderWorkspace()),
    file: join(root, '1.0/library/collection.books.json'),
  };
}

async function watchFolder(files: ReturnType<typeof createSpecificationFiles>) {
  const changes: SpecificationFileChange[] = [];
  const end = await files.watch(
    async (file) => {
      const change = await files.readChange(file);
      if (change !== undefined) changes.push(change);
    },
    (error) => expect(error).toBeUndefined(),
  );
  onTestFinished(end);
  return changes;
}

test('a specification file is written as two-space JSON, read back and removed', async () => {
  const { files, file } = await openFolder();
  await files.write(BOOKS_ADDRESS, SOURCE);
  const text = await readFile(file, 'utf8');
  expect(text).toBe(`${JSON.stringify(SOURCE, null, 2)}\n`);
  expect(await files.readAll()).toEqual([{ address: BOOKS_ADDRESS, file, text }]);
  await files.remove(BOOKS_ADDRESS);
  await files.remove(BOOKS_ADDRESS);
  expect(await files.readAll()).toEqual([]);
});

test('a folder of specifications yields specifications only, sorted, and what cannot be read without text', async () => {
  const { root, files } = await openFolder();
  await mkdir(join(root, '2.0/b/collection.folder.json'), { recursive: true });
  await mkdir(join(root, '1.0/b/deeper'), { recursive: true });
  await writeFile(join(root, '1.0/b/collection.x.y.json'), '\uFEFF{}');
  await writeFile(join(root, '1.0/b/collection..json'), '{}');
  await writeFile(join(root, '1.0/b/readme.md'), '');
  await writeFile(join(root, '1.0/b/deeper/collection.no.json'), '{}');
  await writeFile(join(root, 'collection.top.json'), '{}');
  const found = await files.readAll();
  expect(found.map(({ address, text }) => [address.version, address.database, address.name, text])).toEqual([
    ['1.0', 'b', 'x.y', '{}'],
    ['2.0', 'b', 'folder', undefined],
  ]);
});

test('a missing folder holds none', async () => {
  expect(
    await createSpecificationFiles(join(tmpdir(), 'cloister-nowhere'), createFolderWorkspace()).readAll(),
  ).toEqual([]);
});

test('text that could not be posted is refused', () => {
  expect(parseSpecificationText('{"a":1,"settings":1}')).toEqual({ a: 1, settings: 1 });
  for (const text of [
    '{',
    '',
    undefined,
    '{"__proto__":1}',
    '"\\ud800"',
    '['.repeat(200) + ']'.repeat(200),
  ]) {
    expect(itemsOf(() => parseSpecificationText(text))).toHaveLength(1);
  }
});

test('the watcher of specifications reports edits by hand, and its own writes never', async () => {
  const { root, files, file } = await openFolder();
  await files.write(BOOKS_ADDRESS, SOURCE);
  const changes = await watchFolder(files);
  await files.write({ ...BOOKS_ADDRESS, name: 'people' }, SOURCE);
  await writeFile(file, '{"edited":1}');
  await expect.poll(() => changes).toHaveLength(1);
  expect(changes[0]).toMatchObject({ address: BOOKS_ADDRESS, file, text: '{"edited":1}' });

  await mkdir(join(root, '3.0/new'), { recursive: true });
  await writeFile(join(root, '3.0/new/collection.a.json'), '{}');
  await expect.poll(() => changes).toHaveLength(2);
  expect(changes[1]?.address).toEqual({ version: '3.0', database: 'new', name: 'a' });

  await files.remove({ ...BOOKS_ADDRESS, name: 'people' });
  await rm(file);
  await expect.poll(() => changes).toHaveLength(3);
  expect(changes[2]).toEqual({ address: BOOKS_ADDRESS, file, text: undefined, before: '{"edited":1}' });
});

test('the watcher of specifications reports a folder that is renamed, and a specification that an editor replaces', async () => {
  const { root, files, file } = await openFolder();
  await files.write(BOOKS_ADDRESS, SOURCE);
  const changes = await watchFolder(files);
  await writeFile(`${file}~`, '{"replaced":1}');
  await rename(`${file}~`, file);
  await expect.poll(() => changes.map(({ text }) => text)).toEqual(['{"replaced":1}']);

  await rename(join(root, '1.0/library'), join(root, '1.0/archive'));
  await expect.poll(() => changes).toHaveLength(3);
  expect(new Map(changes.slice(1).map(({ address, text }) => [address.database, text]))).toEqual(
    new Map([
      ['library', undefined],
      ['archive', '{"replaced":1}'],
    ]),
  );
});

test('the watcher of specifications reports a specification of its own that goes with its folder', async () => {
  const { root, files, file } = await openFolder();
  const changes = await watchFolder(files);
  await files.write(BOOKS_ADDRESS, SOURCE);
  await rm(join(root, '1.0'), { recursive: true });
  await expect.poll(() => changes).toMatchObject([{ address: BOOKS_ADDRESS, file, text: undefined }]);
});

test('the watcher of specifications finds what went between reading and watching', async () => {
  const { root, files, file } = await openFolder();
  await files.write(BOOKS_ADDRESS, SOURCE);
  await rm(join(root, '1.0'), { recursive: true });
  const changes = await watchFolder(files);
  await expect.poll(() => changes).toMatchObject([{ address: BOOKS_ADDRESS, file, text: undefined }]);
});

test('the watcher of specifications finds what was edited between reading and watching', async () => {
  const { files, file } = await openFolder();
  await files.write(BOOKS_ADDRESS, SOURCE);
  await writeFile(file, '{"early":1}');
  const changes = await watchFolder(files);
  await expect.poll(() => changes.map(({ text }) => text)).toEqual(['{"early":1}']);
});
