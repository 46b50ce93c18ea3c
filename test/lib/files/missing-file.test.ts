import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { isFileMissing, listNames } from '../../../src/lib/files/missing-file.ts';

const failureOf = (path: string) => readFile(path).catch((error: unknown) => error);

test('a path to nothing is a missing file, also below a file', async () => {
  expect(isFileMissing(await failureOf(`${import.meta.filename}.none`))).toBe(true);
  expect(isFileMissing(await failureOf(`${import.meta.filename}/none`))).toBe(true);
});

test('another error than that of a missing file is not taken for one', async () => {
  expect(isFileMissing(await failureOf(import.meta.dirname))).toBe(false);
  expect([new Error('ENOENT'), { code: 'ENOENT' }, undefined].map(isFileMissing)).toEqual([
    false,
    false,
    false,
  ]);
});

test('a missing folder lists no names; another error of the listing is thrown', async () => {
  expect(await listNames(`${import.meta.dirname}/none`)).toEqual([]);
  const names = await listNames(import.meta.dirname);
  expect(names).toContain('missing-file.test.ts');
  expect(names).toEqual([...names].sort());
  await expect(listNames('\0')).rejects.toThrow();
});
