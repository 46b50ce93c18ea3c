// The media folder: paths of keys, the check of links, pruning.
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MediaFolder } from '../../../src/stores/disk-media/media-folder.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

it('a key has a path below the folder, other texts have none', () => {
  const folder = new MediaFolder('/srv/media');
  expect(folder.pathOf('1/d/a.txt')).toBe('/srv/media/1/d/a.txt');
  expect(folder.pathOf('../a.txt')).toBeUndefined();
});

it('a folder that a link leads to is held only when it lies inside and is not the staging folder', async () => {
  const root = await temporaryFolder();
  const folder = new MediaFolder(join(root, 'media'));
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

it('pruning removes empty folders above a file, and neither full ones nor the media folder', async () => {
  const root = await temporaryFolder();
  const folder = new MediaFolder(join(root, 'media'));
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
