import { mkdir, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FolderWatch } from '../../../src/endpoints/modules/folder-watch.ts';
import { temporaryFolder } from './modules.ts';

const soon = { timeout: 5000, interval: 20 };

async function watched(depth: number, prepare: (root: string) => Promise<unknown> = async () => {}) {
  const root = join(await temporaryFolder(), 'watched');
  await mkdir(root);
  await prepare(root);
  const named: string[] = [];
  const errors: unknown[] = [];
  const watch = new FolderWatch(root, {
    depth,
    onFile: (file) => void named.push(file.slice(root.length + 1)),
    onError: (error) => void errors.push(error),
  });
  await watch.begin();
  onTestFinished(() => watch.close());
  return { root, named, errors, watch };
}

describe('FolderWatch', () => {
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
    const watch = new FolderWatch(root, { depth: 0, onFile, onError: () => {}, expected });
    await watch.begin();
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

  it('makes a folder that is missing', async () => {
    const root = join(await temporaryFolder(), 'a/b');
    const named: string[] = [];
    const watch = new FolderWatch(root, {
      depth: 0,
      onFile: (file) => void named.push(file),
      onError: () => {},
    });
    await watch.begin();
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
});
