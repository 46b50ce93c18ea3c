import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ensurePrivateFile,
  freeBytes,
  prepareDataFolder,
} from '../../../../src/stores/sqlite-documents/data-file/data-folder.ts';
import { openSqliteDocuments } from '../../../../src/stores/sqlite-documents/store.ts';
import { temporaryFolder } from '../../../helpers/temp/folders.ts';

const modeOf = (...path: string[]) => (statSync(join(...path)).mode & 0o777).toString(8);
const FILES = ['cloister.db', 'cloister.db-wal', 'cloister.db-shm'];
const ns = { database: null, collection: 'things' };

describe('the data folder', () => {
  it('and all files of the database in it are accessible for the owner only', async () => {
    const path = join(await temporaryFolder(), 'deep/data');
    const store = await openSqliteDocuments({ path, queueLimit: 10, exclusive: true });
    await store.commit([{ kind: 'insert', ns, document: { _id: 'a'.repeat(24) } }]);
    expect(modeOf(path)).toBe('700');
    for (const name of [...FILES, 'cloister.lock', 'cloister.lock.json'])
      expect(modeOf(path, name), name).toBe('600');
    await store.close();
  });

  it('keeps its mode if it existed, but the modes of its files are restricted', async () => {
    const path = await temporaryFolder();
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    chmodSync(path, 0o755);
    for (const name of FILES) {
      writeFileSync(join(path, name), '');
      chmodSync(join(path, name), 0o664);
    }
    expect(prepareDataFolder(path, warn)).toBe(join(path, 'cloister.db'));
    expect(warnings).toEqual([]);
    expect(modeOf(path)).toBe('755');
    for (const name of FILES) expect(modeOf(path, name), name).toBe('600');
  });

  it('may contain a link to the data file', async () => {
    const path = await temporaryFolder();
    mkdirSync(join(path, 'elsewhere'));
    writeFileSync(join(path, 'elsewhere/file.db'), '', { mode: 0o644 });
    symlinkSync(join(path, 'elsewhere/file.db'), join(path, 'cloister.db'));
    prepareDataFolder(path, () => undefined);
    expect(modeOf(path, 'elsewhere/file.db')).toBe('600');
  });

  it('warns of a file whose mode cannot be restricted', async () => {
    const path = await temporaryFolder();
    // A link to itself: its mode cannot even be asked for.
    symlinkSync('cloister.db-wal', join(path, 'cloister.db-wal'));
    const warnings: string[] = [];
    prepareDataFolder(path, (message) => void warnings.push(message));
    expect(warnings).toEqual([
      `${join(path, 'cloister.db-wal')} may be read or written by others than its owner`,
    ]);
  });

  it('reports its free space, or Infinity', async () => {
    expect(freeBytes(await temporaryFolder())).toBeGreaterThan(0);
    expect(freeBytes('/nowhere/at/all')).toBe(Number.POSITIVE_INFINITY);
    // A file system that counts no blocks.
    expect(freeBytes('/proc')).toBe(Number.POSITIVE_INFINITY);
  });

  it('is rejected if a file cannot be created in it', () => {
    expect(() => ensurePrivateFile('/nowhere/at/all')).toThrow(/ENOENT/);
  });
});
