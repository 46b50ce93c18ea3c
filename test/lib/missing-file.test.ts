import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { isMissing } from '../../src/lib/missing-file.ts';

const failureOf = (path: string) => readFile(path).catch((error: unknown) => error);

test('a path that leads to nothing is missing, also below a file', async () => {
  expect(isMissing(await failureOf(`${import.meta.filename}.none`))).toBe(true);
  expect(isMissing(await failureOf(`${import.meta.filename}/none`))).toBe(true);
});

test('whatever else goes wrong is not', async () => {
  expect(isMissing(await failureOf(import.meta.dirname))).toBe(false);
  expect([new Error('ENOENT'), { code: 'ENOENT' }, undefined].map(isMissing)).toEqual([false, false, false]);
});
