import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ensurePrivateFile,
  freeBytes,
  lockFolder,
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

const LOCK = new URL('../../../../src/stores/sqlite-documents/data-file/data-folder.ts', import.meta.url)
  .href;
const HOLDER = `
  const { lockFolder } = await import(${JSON.stringify(LOCK)});
  globalThis.lock = lockFolder(process.argv[1], () => 0);
  console.log('locked');
  setInterval(() => {}, 1000);
`;

/** A process that has the folder. */
async function holder(path: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

/** Why the folder is refused, without the name of the folder; undefined when it is free. */
function refusal(path: string): string | undefined {
  try {
    lockFolder(path, () => 0).release();
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ name: 'StoreError', reason: 'in-use', cause: expect.any(Error) });
    const { message } = (error as Error).cause as Error;
    expect(message).toContain(`another server has the data folder ${path}`);
    return message.slice(`another server has the data folder ${path}`.length);
  }
}

describe('the lock of a data folder', () => {
  it('is rejected while another process holds it, and the error names that process', async () => {
    const path = await temporaryFolder();
    const { pid } = await holder(path);
    expect(refusal(path)).toBe(`: process ${pid} on ${hostname()}, since 1970-01-01T00:00:00.000Z`);
  });

  it('ends with its process, also after SIGKILL', async () => {
    const path = await temporaryFolder();
    const child = await holder(path);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(refusal(path)).toBeUndefined();
  });

  it('also excludes a second store of the same process, until it is released', async () => {
    const path = await temporaryFolder();
    const lock = lockFolder(path, () => 0);
    expect(refusal(path)).toContain(`process ${process.pid} `);
    lock.release();
    lock.release();
    expect(existsSync(join(path, 'cloister.lock.json'))).toBe(false);
    expect(refusal(path)).toBeUndefined();
  });

  it('works without the file that names its owner', async () => {
    const path = await temporaryFolder();
    const lock = lockFolder(path, () => 0);
    for (const text of ['', 'null', '{"pid":"7"}']) {
      rmSync(join(path, 'cloister.lock.json'), { force: true });
      writeFileSync(join(path, 'cloister.lock.json'), text);
      expect(refusal(path)).toBe('');
    }
    lock.release();
  });

  it('does not affect stores that do not ask for it', async () => {
    const path = await temporaryFolder();
    const server = await openSqliteDocuments({ path, queueLimit: 10, exclusive: true });
    await expect(openSqliteDocuments({ path, queueLimit: 10, exclusive: true })).rejects.toMatchObject({
      reason: 'in-use',
    });
    const command = await openSqliteDocuments({ path, queueLimit: 10 });
    await command.health();
    await command.close();
    await expect(openSqliteDocuments({ path, queueLimit: 10, exclusive: true })).rejects.toMatchObject({
      reason: 'in-use',
    });
    await server.close();
    await (await openSqliteDocuments({ path, queueLimit: 10, exclusive: true })).close();
  });
});
