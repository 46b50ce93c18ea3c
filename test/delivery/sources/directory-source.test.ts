import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import {
  createDirectorySource,
  createFallbackFileFinder,
} from '../../../src/delivery/sources/directory-source.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

/** A folder `images` with a few files, and one file outside of it. */
async function folderWithImages() {
  const base = await temporaryFolder();
  const root = join(base, 'images');
  await mkdir(join(root, 'deep'), { recursive: true });
  await writeFile(join(root, 'a.txt'), 'hello');
  await writeFile(join(root, 'empty.txt'), '');
  await writeFile(join(root, 'deep', 'b.txt'), 'deep');
  await writeFile(join(base, 'secret.txt'), 'secret');
  return { base, root, source: createDirectorySource(root) };
}

test('a file is found with its size and time, and read whole or in part', async () => {
  const { root, source } = await folderWithImages();
  await utimes(join(root, 'a.txt'), 1000, 1000);
  const file = await source.find('a.txt');
  expect(file).toMatchObject({ size: 5, modifiedAt: 1_000_000, contentType: undefined });
  expect(await text((await file?.open()) ?? Readable.from([]))).toBe('hello');
  expect(await text((await file?.open({ start: 1, end: 3 })) ?? Readable.from([]))).toBe('ell');
  expect(await text((await (await source.find('deep/b.txt'))?.open()) ?? Readable.from([]))).toBe('deep');
  expect(await text((await (await source.find('empty.txt'))?.open()) ?? Readable.from([]))).toBe('');
});

test.each(['nothing.txt', 'deep', 'a.txt/b', '../secret.txt', '/etc/hostname', 'deep/../a.txt', 'a.txt\0'])(
  'the path %j finds nothing',
  async (path) => {
    const { source } = await folderWithImages();
    expect(await source.find(path)).toBeUndefined();
  },
);

test('a link inside of the folder is followed, one that leads outside finds nothing', async () => {
  const { base, root, source } = await folderWithImages();
  await symlink(join(root, 'a.txt'), join(root, 'inside.txt'));
  await symlink(join(base, 'secret.txt'), join(root, 'outside.txt'));
  await symlink(base, join(root, 'up'));
  await symlink(join(root, 'loop'), join(root, 'loop'));
  expect(await source.find('inside.txt')).toMatchObject({ size: 5 });
  expect(await source.find('outside.txt')).toBeUndefined();
  expect(await source.find('up/secret.txt')).toBeUndefined();
  expect(await source.find('loop')).toBeUndefined();
});

test('a folder whose name begins like that of the source is outside of it', async () => {
  const { base, root, source } = await folderWithImages();
  await mkdir(join(base, 'images-private'));
  await writeFile(join(base, 'images-private', 'c.txt'), 'private');
  await symlink(join(base, 'images-private'), join(root, 'link'));
  expect(await source.find('link/c.txt')).toBeUndefined();
});

test('a file that was replaced after it was found is not read, and has another validator', async () => {
  const { root, source } = await folderWithImages();
  const file = await source.find('a.txt');
  await writeFile(join(root, 'new.txt'), 'other');
  await rename(join(root, 'new.txt'), join(root, 'a.txt'));
  await expect(file?.open()).rejects.toMatchObject({ reason: 'conflict' });
  expect((await source.find('a.txt'))?.validator).not.toBe(file?.validator);
});

test('a folder that does not exist has no files', async () => {
  expect(await createDirectorySource('/nonexistent/images').find('a.txt')).toBeUndefined();
});

test('a file that is overwritten in place is another one, even when its size and time stay', async () => {
  const { root, source } = await folderWithImages();
  await utimes(join(root, 'a.txt'), 1000, 1000);
  const before = await source.find('a.txt');
  await expect
    .poll(async () => {
      await writeFile(join(root, 'a.txt'), 'HELLO');
      await utimes(join(root, 'a.txt'), 1000, 1000);
      return (await source.find('a.txt'))?.validator;
    })
    .not.toBe(before?.validator);
  expect(await source.find('a.txt')).toMatchObject({ size: 5, modifiedAt: 1_000_000 });
});

test('a file that was served is looked for anew once something else has its name', async () => {
  const { base, root, source } = await folderWithImages();
  const named = join(root, 'a.txt');
  expect(await source.find('a.txt')).toBeDefined();
  await rename(named, join(base, 'moved.txt'));
  await symlink(join(base, 'moved.txt'), named);
  expect(await source.find('a.txt')).toBeUndefined();
  await rm(named);
  await symlink(join(root, 'deep', 'b.txt'), named);
  expect(await text((await (await source.find('a.txt'))?.open()) ?? Readable.from([]))).toBe('deep');
});

test('the file is found with the type of its name', async () => {
  const file = join(await temporaryFolder(), 'missing.png');
  const find = createFallbackFileFinder(file);
  expect(await find()).toBeUndefined();
  await writeFile(file, 'x');
  expect(await find()).toMatchObject({ size: 1, contentType: 'image/png' });
});

test('a folder, or no file at all, stands in for nothing', async () => {
  expect(await createFallbackFileFinder(await temporaryFolder())()).toBeUndefined();
  expect(await createFallbackFileFinder(undefined)()).toBeUndefined();
});
