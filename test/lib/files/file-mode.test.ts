import { chmodSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { isFileMissing, listNames, restrictToOwner } from '../../../src/lib/files/file-operations.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const modeOf = (file: string) => statSync(file).mode & 0o777;

describe('restrictToOwner', () => {
  it.each([
    [0o644, 0o600],
    [0o666, 0o600],
    [0o440, 0o400],
    [0o600, 0o600],
  ])('changes mode %o to %o', async (mode, expected) => {
    const file = join(await temporaryFolder(), 'file');
    writeFileSync(file, '');
    chmodSync(file, mode);
    expect(restrictToOwner(file)).toBe(true);
    expect(modeOf(file)).toBe(expected);
  });

  it('changes neither folders nor devices', async () => {
    const folder = await temporaryFolder();
    chmodSync(folder, 0o755);
    expect(restrictToOwner(folder)).toBe(true);
    expect(modeOf(folder)).toBe(0o755);
  });

  it('accepts a missing file, and reports one whose mode cannot be read', async () => {
    const file = join(await temporaryFolder(), 'file');
    expect(restrictToOwner(file)).toBe(true);
    symlinkSync('file', file);
    expect(restrictToOwner(file)).toBe(false);
  });
});

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
  expect(names).toContain('file-operations.test.ts');
  expect(names).toEqual([...names].sort());
  await expect(listNames('\0')).rejects.toThrow();
});
