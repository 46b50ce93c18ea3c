// The media folder: paths of keys, the check of links, pruning, and what failures of the file system become.
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import { Flush } from '../../../src/stores/disk-media/flush.ts';
import { createDiskErrorTranslator, MediaFolder } from '../../../src/stores/disk-media/media-folder.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';
import type { LogLine } from './workbench.ts';

it('a key has a path below the folder, other texts have none', () => {
  const folder = new MediaFolder('/srv/media', new Flush(true));
  expect(folder.pathOf('1/d/a.txt')).toBe('/srv/media/1/d/a.txt');
  expect(folder.pathOf('../a.txt')).toBeUndefined();
});

it('a folder that a link leads to is held only when it lies inside and is not the staging folder', async () => {
  const root = await temporaryFolder();
  const folder = new MediaFolder(join(root, 'media'), new Flush(true));
  await folder.makeStaging();
  await folder.makeParent(join(folder.path, 'inside', 'a.txt'));
  // Its name begins like that of the media folder.
  await mkdir(join(root, 'media-of-others'));
  for (const [name, target] of [
    ['in', join(folder.path, 'inside')],
    ['out', root],
    ['beside', join(root, 'media-of-others')],
    ['staged', folder.staging],
  ] as const) {
    await symlink(target, join(folder.path, name));
  }
  const holds = (name: string) => folder.holds(join(folder.path, name, 'a.txt'));
  expect(await Promise.all(['inside', 'in', 'out', 'beside', 'staged'].map(holds))).toEqual([
    ...[true, true, false, false, false],
  ]);
  await expect(holds('missing')).rejects.toMatchObject({ code: 'ENOENT' });
});

it('no folder is made through a link that leads out, or nowhere', async () => {
  const root = await temporaryFolder();
  const folder = new MediaFolder(join(root, 'media'), new Flush(true));
  await folder.makeParent(join(folder.path, 'inside', 'a.txt'));
  await mkdir(join(root, 'outside'));
  const links = { out: join(root, 'outside'), nowhere: join(root, 'gone'), staged: folder.staging };
  await folder.makeStaging();
  for (const [name, target] of Object.entries(links)) {
    await symlink(target, join(folder.path, 'inside', name));
    for (const file of [`${name}/a.txt`, `${name}/b/c/a.txt`]) {
      const parent = join(folder.path, 'inside', file);
      await expect(folder.makeParent(parent)).rejects.toThrow('leads out of the media folder');
    }
  }
  expect(await readdir(root)).toEqual(['media', 'outside']);
  expect(await readdir(join(root, 'outside'))).toEqual([]);
  expect(await readdir(folder.staging)).toEqual([]);
});

it('pruning removes empty folders above a file, and neither full ones nor the media folder', async () => {
  const root = await temporaryFolder();
  const folder = new MediaFolder(join(root, 'media'), new Flush(true));
  const file = join(folder.path, 'a', 'b', 'c', 'd.txt');
  await folder.makeParent(file);
  await writeFile(join(folder.path, 'a', 'stays.txt'), '');
  await folder.prune(file);
  expect(await readdir(join(folder.path, 'a'))).toEqual(['stays.txt']);
  const other = join(folder.path, 'e', 'f.txt');
  await folder.makeParent(other);
  await folder.prune(other);
  expect(await readdir(root)).toEqual(['media']);
  expect(await readdir(folder.path)).toEqual(['a']);
});

it('a failure of the file system is `unavailable`, with one line of each kind a minute', () => {
  const lines: LogLine[] = [];
  let now = 0;
  const error = (fields: unknown, message?: string) => void lines.push({ fields, message: message ?? '' });
  const toStoreError = createDiskErrorTranslator({ error }, () => now);
  const failure = (code: string) => Object.assign(new Error(`${code}: at some path`), { code });
  for (const code of ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EIO', 'EMFILE', 'ENFILE', 'ENOENT']) {
    expect(toStoreError(failure(code))).toMatchObject({
      reason: 'unavailable',
      store: 'media',
      message: 'store: unavailable',
    });
  }
  expect(lines.map(({ fields }) => (fields as { fault: string }).fault)).toEqual([
    ...['full', 'access', 'disk', 'descriptors', 'removed'],
  ]);
  now = 60_000;
  toStoreError(failure('ENOSPC'));
  expect(lines.at(-1)?.fields).toMatchObject({ fault: 'full', suppressed: 1 });
});

it('an error of the port stays what it is, and is not logged', () => {
  const lines: unknown[] = [];
  const toStoreError = createDiskErrorTranslator(
    { error: (...line: unknown[]) => void lines.push(line) },
    () => 0,
  );
  const refused = new StoreError('refused');
  expect(toStoreError(refused)).toBe(refused);
  expect(lines).toEqual([]);
});
