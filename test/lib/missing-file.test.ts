import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { isMissing, namesIn } from '../../src/lib/missing-file.ts';

const failureOf = (path: string) => readFile(path).catch((error: unknown) => error);

test('a path that leads to nothing is missing, also below a file', async () => {
  expect(isMissing(await failureOf(`${import.meta.filename}.none`))).toBe(true);
  expect(isMissing(await failureOf(`${import.meta.filename}/none`))).toBe(true);
});

test('whatever else goes wrong is not', async () => {
  expect(isMissing(await failureOf(import.meta.dirname))).toBe(false);
  expect([new Error('ENOENT'), { code: 'ENOENT' }, undefined].map(isMissing)).toEqual([false, false, false]);
});

test('a folder that is not there has no names in it; what is no folder for another reason is told', async () => {
  expect(await namesIn(`${import.meta.dirname}/none`)).toEqual([]);
  const names = await namesIn(import.meta.dirname);
  expect(names).toContain('missing-file.test.ts');
  expect(names).toEqual([...names].sort());
  await expect(namesIn('\0')).rejects.toThrow();
});
