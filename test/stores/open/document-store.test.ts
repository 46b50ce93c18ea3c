// The engine that the configuration names is the one that opens.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { openDocumentStore } from '../../../src/stores/open/document-store.ts';
import { freePort } from '../../helpers/server-process.ts';

const log = createLogger({ level: 'silent', format: 'json', secrets: [] });
const database = {
  enableCollectionDatabases: false,
  sqlite: { path: 'data' },
  mongodb: { maxPoolSize: 10, minPoolSize: 0 },
};

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
});
