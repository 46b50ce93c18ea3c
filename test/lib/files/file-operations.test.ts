import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import {
  atomicWrite,
  isFileMissing,
  listNames,
  removeFile,
  restrictToOwner,
} from '../../../src/lib/files/file-operations.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-write-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('atomicWrite', () => {
  it('replaces the whole text and leaves nothing else behind', async () => {
    const file = join(folder, 'a.json');
    writeFileSync(file, 'a much longer text that was there before');
    await atomicWrite(file, 'näw');
    expect(readFileSync(file, 'utf8')).toBe('näw');
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it('says that the workspace is at fault when it is', async () => {
    const file = join(folder, 'a.json');
    writeFileSync(file, '{}');
    const unavailable = {
      code: 'WORKSPACE_UNAVAILABLE',
      status: 503,
      message: 'The workspace cannot be written',
    };
    await expect(atomicWrite(join(file, 'b.json'), '{}')).rejects.toMatchObject(unavailable);
    await expect(removeFile(folder)).rejects.toMatchObject(unavailable);
    await removeFile(file);
    await removeFile(file);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('makes missing folders', async () => {
    await atomicWrite(join(folder, 'b/c/d.json'), '{}');
    expect(readFileSync(join(folder, 'b/c/d.json'), 'utf8')).toBe('{}');
  });

  it('never shows half a text to a reader', async () => {
    const file = join(folder, 'a.json');
    const texts = ['x'.repeat(300_000), 'y'.repeat(300_000)];
    await atomicWrite(file, texts[0]!);
    const writing = Promise.all(Array.from({ length: 6 }, (_, n) => atomicWrite(file, texts[n % 2]!)));
    let seen = 0;
    const done = writing.then(() => true);
    while (!(await Promise.race([done, Promise.resolve(false)])) && seen < 50) {
      expect(texts).toContain(readFileSync(file, 'utf8'));
      seen += 1;
      await new Promise(setImmediate);
    }
    await writing;
    expect(seen).toBeGreaterThan(0);
  });
});

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
  expect(names).toContain(basename(import.meta.filename));
  expect(names).toEqual([...names].sort());
  await expect(listNames('\0')).rejects.toThrow();
});
