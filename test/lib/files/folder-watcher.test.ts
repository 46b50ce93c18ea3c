import { mkdirSync, rmSync } from 'node:fs';
import { mkdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FolderWatcher } from '../../../src/lib/files/folder-watcher.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const soon = { interval: 20 };

async function watched(
  depth: number,
  prepare: (root: string) => Promise<unknown> = async () => {},
  expected: readonly string[] = [],
) {
  const root = join(await temporaryFolder(), 'watched');
  await mkdir(root);
  await prepare(root);
  const named: string[] = [];
  const errors: unknown[] = [];
  const watch = new FolderWatcher(root, {
    depth,
    expected: () => expected.map((path) => join(root, path)),
    onFile: (file) => void named.push(file.slice(root.length + 1)),
    onError: (error) => void errors.push(error),
  });
  await watch.start();
  onTestFinished(() => watch.close());
  return { root, named, errors, watch };
}

describe('the folder watcher', () => {
  it('names what comes, changes and goes, and not what was there', async () => {
    const { root, named } = await watched(0, (folder) => writeFile(join(folder, 'old'), '1'));
    await writeFile(join(root, 'new'), '1');
    await expect.poll(() => named, soon).toEqual(['new']);
    await writeFile(join(root, 'old'), '2');
    await expect.poll(() => named, soon).toEqual(['new', 'old']);
    await unlink(join(root, 'new'));
    await expect.poll(() => named, soon).toEqual(['new', 'old', 'new']);
  });

  it('names a file once it has settled', async () => {
    const { root, named } = await watched(0);
    for (const text of ['a', 'ab', 'abc']) await writeFile(join(root, 'file'), text);
    await writeFile(join(root, 'passing'), '1');
    await unlink(join(root, 'passing'));
    await expect.poll(() => named, soon).toEqual(['file']);
  });

  it('names what should be there and went before it was seen', async () => {
    const root = join(await temporaryFolder(), 'watched');
    const named: string[] = [];
    const expected = () => [join(root, 'ours'), '/elsewhere'];
    const onFile = (file: string) => void named.push(file);
    const watch = new FolderWatcher(root, { depth: 0, onFile, onError: () => {}, expected });
    await watch.start();
    onTestFinished(() => watch.close());
    await writeFile(join(root, 'ours'), '1');
    await unlink(join(root, 'ours'));
    await expect.poll(() => named, soon).toEqual([join(root, 'ours')]);
  });

  it('sees through a rename', async () => {
    const { root, named } = await watched(0, (folder) => writeFile(join(folder, 'file'), 'same'));
    await writeFile(join(root, '.tmp'), 'SAME');
    await rename(join(root, '.tmp'), join(root, 'file'));
    await expect.poll(() => named, soon).toEqual(['file']);
  });

  it('looks into folders as deep as it was told, new ones too', async () => {
    const { root, named } = await watched(1, async (folder) => {
      await mkdir(join(folder, '1.0/deep'), { recursive: true });
      await writeFile(join(folder, '1.0/old'), '1');
    });
    await writeFile(join(root, '1.0/deep/below'), '1');
    await writeFile(join(root, '1.0/old'), '22');
    await expect.poll(() => named, soon).toEqual(['1.0/old']);
    await mkdir(join(root, '2.0'));
    await writeFile(join(root, '2.0/new'), '1');
    await expect.poll(() => named, soon).toEqual(['1.0/old', '2.0/new']);
    await rm(join(root, '2.0'), { recursive: true });
    await expect.poll(() => named, soon).toEqual(['1.0/old', '2.0/new', '2.0/new']);
  });

  it('goes on when the folder itself is replaced', async () => {
    const { root, named, errors } = await watched(1, async (folder) => {
      await mkdir(join(folder, '1.0'));
      await writeFile(join(folder, '1.0/file'), '1');
    });
    await rm(root, { recursive: true });
    await expect.poll(() => named, soon).toEqual(['1.0/file']);
    await mkdir(join(root, '1.0'), { recursive: true });
    await writeFile(join(root, '1.0/file'), '1');
    await expect.poll(() => named, soon).toEqual(['1.0/file', '1.0/file']);
    await writeFile(join(root, '1.0/file'), '22');
    await expect.poll(() => named, soon).toHaveLength(3);
    expect(errors).toEqual([]);
  });

  it('goes on when a folder is made anew at once, which may give it the number of the old one', async () => {
    const { root, named } = await watched(1, async (folder) => {
      await mkdir(join(folder, '1.0'));
    });
    for (const folder of [join(root, '1.0'), root]) {
      rmSync(folder, { recursive: true });
      mkdirSync(join(root, '1.0'), { recursive: true });
      // Whatever that brings about has been looked at once a file made after it is named.
      const first = join(folder, 'first');
      await writeFile(first, '1');
      await expect.poll(() => named, soon).toContain(first.slice(root.length + 1));
      const later = join(folder, 'later');
      await writeFile(later, '1');
      await expect.poll(() => named, soon).toContain(later.slice(root.length + 1));
      named.length = 0;
    }
  });

  it('follows when a folder with others in it is replaced', async () => {
    const { root, named } = await watched(2, async (folder) => {
      await mkdir(join(folder, '1.0/books'), { recursive: true });
      await writeFile(join(folder, '1.0/books/file'), '1');
    });
    await mkdir(join(root, 'next/books'), { recursive: true });
    await rename(join(root, '1.0'), join(root, '../gone'));
    await rename(join(root, 'next'), join(root, '1.0'));
    await expect.poll(() => new Set(named), soon).toEqual(new Set(['1.0/books/file']));
    named.length = 0;
    await writeFile(join(root, '1.0/books/later'), '1');
    await expect.poll(() => named, soon).toEqual(['1.0/books/later']);
  });

  it('names what should be there and went with its folder before it was seen', async () => {
    const { root, named } = await watched(1, undefined, ['1.0/ours', '2.0/ours', '2.0/also']);
    await mkdir(join(root, '1.0'));
    await writeFile(join(root, '1.0/ours'), '1');
    await expect.poll(() => new Set(named), soon).toEqual(new Set(['1.0/ours', '2.0/ours', '2.0/also']));
  });

  it('tells thousands of files', async () => {
    const numbers = Array.from({ length: 3000 }, (_, n) => n);
    const { root, named } = await watched(1, async (folder) => {
      await mkdir(join(folder, '1.0'));
      await Promise.all(numbers.map((n) => writeFile(join(folder, `1.0/${n}`), '1')));
    });
    await writeFile(join(root, '1.0/7'), '22');
    await expect.poll(() => named, soon).toEqual(['1.0/7']);
    await rename(join(root, '1.0'), join(root, '2.0'));
    await expect.poll(() => new Set(named).size, soon).toBe(6000);
  });

  it('makes a folder that is missing', async () => {
    const root = join(await temporaryFolder(), 'a/b');
    const named: string[] = [];
    const watch = new FolderWatcher(root, {
      depth: 0,
      onFile: (file) => void named.push(file),
      onError: () => {},
    });
    await watch.start();
    onTestFinished(() => watch.close());
    await writeFile(join(root, 'file'), '1');
    await expect.poll(() => named, soon).toEqual([join(root, 'file')]);
  });

  it('names nothing once closed', async () => {
    const { root, named, watch } = await watched(0);
    await writeFile(join(root, 'file'), '1');
    await watch.close();
    const other = await watched(0);
    await writeFile(join(other.root, 'file'), '1');
    await expect.poll(() => other.named, soon).toEqual(['file']);
    expect(named).toEqual([]);
  });

  it('goes on after the folder could not be read, which it reports once', async () => {
    const { root, named, errors } = await watched(0);
    await rename(root, `${root}-away`);
    await symlink('watched', root);
    await expect.poll(() => errors, soon).toEqual([expect.objectContaining({ code: 'ELOOP' })]);
    await unlink(root);
    await rename(`${root}-away`, root);
    await writeFile(join(root, 'late'), '1');
    await expect.poll(() => named, soon).toEqual(['late']);
    expect(errors).toHaveLength(1);
  });
});
