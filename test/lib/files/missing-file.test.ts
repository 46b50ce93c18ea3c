import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { isFileMissing, listNames } from '../../../src/lib/files/missing-file.ts';

const failureOf = (path: string) => readFile(path).catch((error: unknown) => error);

test('a path that leads to nothing is missing, also below a file', async () => {
  expect(isFileMissing(await failureOf(`${import.meta.filename}.none`))).toBe(true);
  expect(isFileMissing(await failureOf(`${import.meta.filename}/none`))).toBe(true);
});

test('whatever else goes wrong is not', async () => {
  expect(isFileMissing(await failureOf(import.meta.dirname))).toBe(false);
  expect([new Error('ENOENT'), { code: 'ENOENT' }, undefined].map(isFileMissing)).toEqual([
    false,
    false,
    false,
  ]);
});

test('a folder that is not there has no names in it; what is no folder for another reason is told', async () => {
  expect(await listNames(`${import.meta.dirname}/none`)).toEqual([]);
  const names = await listNames(import.meta.dirname);
  expect(names).toContain('missing-file.test.ts');
  expect(names).toEqual([...names].sort());
  await expect(listNames('\0')).rejects.toThrow();
});
