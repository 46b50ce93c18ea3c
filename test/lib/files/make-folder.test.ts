import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorCodeOf } from '../../../src/errors/errors.ts';
import { makeFolder, makeFolderSync } from '../../../src/lib/files/file-operations.ts';
import { sourceFiles } from '../../helpers/fixtures/source-tree.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;
/** Folders that lie in one which is there and takes none: Node's recursive `mkdir` does not end for these. */
const REFUSED = ['/proc/no-such-folder', '/proc/no-such-folder/inner', '/proc/self/no-such-folder'];

describe('makeFolder', () => {
  it('makes what is missing above a folder too, and says which is the uppermost', async () => {
    const root = await temporaryFolder();
    expect(await makeFolder(join(root, 'a', 'b', 'c'), 0o700)).toBe(join(root, 'a'));
    expect(modeOf(join(root, 'a', 'b'))).toBe(0o700);
    expect(await makeFolder(join(root, 'a', 'd'))).toBe(join(root, 'a', 'd'));
    expect(await makeFolder(join(root, 'a', 'b', 'c'), 0o755)).toBeUndefined();
    expect(modeOf(join(root, 'a', 'b', 'c'))).toBe(0o700);
    expect(await makeFolder('/')).toBeUndefined();
  });

  it('takes a folder that several make at once', async () => {
    const root = await temporaryFolder();
    const folder = join(root, ...'abcdefgh');
    const made = await Promise.all(Array.from({ length: 20 }, () => makeFolder(folder)));
    expect(made.length).toBe(20);
    expect(statSync(folder).isDirectory()).toBe(true);
  });

  it('rejects where something else has the name, of the folder or above it', async () => {
    const file = join(await temporaryFolder(), 'file');
    writeFileSync(file, '');
    const codes = [file, join(file, 'inner')].map((path) => makeFolder(path).catch(errorCodeOf));
    expect(await Promise.all(codes)).toEqual(['EEXIST', 'ENOTDIR']);
  });

  it('ends where the system lets none be made in a folder that is there', async () => {
    for (const path of REFUSED)
      expect(errorCodeOf(await makeFolder(path).catch((e: unknown) => e))).toMatch(/^E/);
  });
});

describe('makeFolderSync', () => {
  it('does the same at once', async () => {
    const root = await temporaryFolder();
    const [folder, file] = [join(root, 'a', 'b'), join(root, 'file')];
    makeFolderSync(folder, 0o700);
    makeFolderSync(folder);
    expect(modeOf(folder)).toBe(0o700);
    writeFileSync(file, '');
    expect(() => makeFolderSync(file)).toThrow('EEXIST');
    expect(() => makeFolderSync(join(file, 'inner'))).toThrow('ENOTDIR');
    mkdirSync(join(root, 'c'));
    makeFolderSync(join(root, 'c', 'd'));
    for (const path of REFUSED) expect(() => makeFolderSync(path)).toThrow(/^E/);
  });
});

describe('the source', () => {
  it('makes folders in no other way, as Node’s may never end', () => {
    const files = sourceFiles('src').filter(({ path }) => /\.[jt]s$/.test(path));
    expect(files.length).toBeGreaterThan(100);
    const others = files.filter(({ text }) => /\bmkdir(?:Sync)?\([^;]*recursive/.test(text));
    expect(others.map(({ path }) => path)).toEqual([]);
  });
});
