// The engine that the configuration names is the one that opens.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DATABASE_SCHEMA } from '../../../src/config/schema/storage.ts';
import { AppError } from '../../../src/errors/errors.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import {
  isEmbeddedDatabase,
  lockDataFolder,
  openDatabaseBackup,
  openDatabaseCheck,
  openDocumentStore,
} from '../../../src/stores/open/document-store.ts';
import { freePort } from '../../helpers/server-process/server-process.ts';

const log = createLogger({ level: 'silent', format: 'json', secrets: [] });
const database = {
  enableCollectionDatabases: false,
  sqlite: { path: 'data' },
  mongodb: { maxPoolSize: 10, minPoolSize: 0 },
};

/** A page with it needs memory that is asked for. */
const LONG_TEXT = 'x'.repeat(2_000_000);
const EVERY = { filter: { kind: 'and', filters: [] }, sort: [], skip: 0, limit: 10 } as const;

async function emptyFolder(): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'cloister-documents-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  return cwd;
}

describe('opening documents', () => {
  it('opens the embedded database in its folder', async () => {
    const cwd = await emptyFolder();
    const options = { cwd, queueLimit: 10, queryMs: 1000, log };
    const store = await openDocumentStore({ ...database, engine: 'sqlite' }, options);
    await store.health();
    expect(existsSync(join(cwd, 'data', 'cloister.db'))).toBe(true);
    // Where nothing is said of memory, there is enough.
    const ns = { database: null, collection: 'things' };
    await store.commit([{ kind: 'insert', ns, document: { _id: '0'.repeat(24), v: 1, text: LONG_TEXT } }]);
    expect(String(await store.findText(ns, EVERY)).length).toBeGreaterThan(LONG_TEXT.length);
    await store.close();
  });

  it('does not wait for a server that is away, and leaves no file', async () => {
    const cwd = await emptyFolder();
    const uri = `mongodb://127.0.0.1:${await freePort()}`;
    const store = await openDocumentStore(
      { ...database, engine: 'mongodb', mongodb: { ...database.mongodb, uri } },
      { cwd, queueLimit: 10, queryMs: 500, log },
    );
    await expect(store.health()).rejects.toMatchObject({ name: 'StoreError', reason: 'unavailable' });
    expect(existsSync(join(cwd, 'data'))).toBe(false);
    await store.close();
  });

  it('refuses a connection string that cannot be read, and does not repeat it', async () => {
    const uri = 'mongodb://someone:hunter2@:badport/x';
    const opened = openDocumentStore(
      { ...database, engine: 'mongodb', mongodb: { ...database.mongodb, uri } },
      { cwd: '.', queueLimit: 10, queryMs: 500, log },
    );
    const error = await opened.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID' });
    expect(JSON.stringify(error)).not.toContain('hunter2');
  });

  it('refuses a server without a connection string', async () => {
    const options = { cwd: '.', queueLimit: 10, queryMs: 500, log };
    const opened = openDocumentStore({ ...database, engine: 'mongodb' }, options);
    await expect(opened).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
  });

  it('rejects a page that does not fit into the memory for unsent responses', async () => {
    const cwd = await emptyFolder();
    const asked: number[] = [];
    const hasMemoryFor = (bytes: number) => asked.push(bytes) < 0;
    const options = { cwd, queueLimit: 10, queryMs: 1000, log, hasMemoryFor };
    const store = await openDocumentStore({ ...database, engine: 'sqlite' }, options);
    onTestFinished(() => store.close());
    const ns = { database: null, collection: 'things' };
    const document = { _id: '0'.repeat(24), v: 1, text: LONG_TEXT };
    await store.commit([{ kind: 'insert', ns, document }]);
    await expect(store.findText(ns, EVERY)).rejects.toMatchObject({ reason: 'busy' });
    expect(asked.length).toBeGreaterThan(0);
  });

  it('opens the data file for a check, next to a server that has it open', async () => {
    const cwd = await emptyFolder();
    const embedded = { ...database, engine: 'sqlite' } as const;
    const options = { cwd, queueLimit: 10, queryMs: 1000, log, exclusive: true };
    expect(await openDatabaseCheck(embedded, options)).toEqual({ kind: 'file', data: undefined });
    const store = await openDocumentStore(embedded, options);
    onTestFinished(() => store.close());
    const check = await openDatabaseCheck(embedded, options);
    expect(check).toMatchObject({ kind: 'file', data: { check: expect.any(Function) } });
    if (check.kind === 'file') check.data?.close();
  });

  it('compares the indexes of a server, and makes no data folder for that', async () => {
    const cwd = await emptyFolder();
    const uri = `mongodb://127.0.0.1:${await freePort()}`;
    const served = { ...database, engine: 'mongodb', mongodb: { ...database.mongodb, uri } } as const;
    const check = await openDatabaseCheck(served, { cwd, queryMs: 500, log });
    expect(check.kind).toBe('server');
    if (check.kind === 'server') await check.comparison.close();
    expect(existsSync(join(cwd, 'data'))).toBe(false);
  });

  it('knows of every engine of the setting whether one process has it to itself, and of no other', () => {
    const engines = DATABASE_SCHEMA.properties.engine.enum;
    expect(engines.map((engine) => [engine, isEmbeddedDatabase({ engine })])).toEqual([
      ['sqlite', true],
      ['mongodb', false],
    ]);
    expect(() => isEmbeddedDatabase({ engine: 'postgres' as 'sqlite' })).toThrow(TypeError);
  });

  it('is all that asks for the name of an engine: everything else asks what it needs to know of it', () => {
    const asks = globSync('src/**/*.ts').filter((file) => {
      const text = readFileSync(file, 'utf8');
      return /[!=]== '(?:sqlite|mongodb|redis)'/.test(text);
    });
    expect(asks).toEqual([]);
    const reads = globSync('src/**/*.ts').filter((file) =>
      /sqlite\.path\b(?!['`])/.test(readFileSync(file, 'utf8')),
    );
    expect(reads.toSorted()).toEqual(['src/config/data-folder.ts', 'src/stores/open/document-store.ts']);
  });
});

describe('a backup of the database', () => {
  it('is a copy of the data file, or an export where a server has the data', async () => {
    const cwd = await emptyFolder();
    const kindOf = async (engine: 'sqlite' | 'mongodb') =>
      (await openDatabaseBackup({ ...database, engine }, { cwd })).kind;
    expect([await kindOf('sqlite'), await kindOf('mongodb')]).toEqual(['file', 'export']);
    // Nobody has the data of a server to itself.
    expect(lockDataFolder({ ...database, engine: 'mongodb' }, { cwd })).not.toThrow();
  });
});
