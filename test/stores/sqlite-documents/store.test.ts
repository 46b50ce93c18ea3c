// The embedded store keeps the contract of the port.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { openSqliteDocuments } from '../../../src/stores/sqlite-documents/store.ts';
import { documentStoreContract } from '../../contracts/document-store.ts';

documentStoreContract('SQLite', async () => {
  const path = await mkdtemp(join(tmpdir(), 'cloister-sqlite-'));
  const open = () => openSqliteDocuments({ path, queueLimit: 1000 });
  let current: DocumentStore = await open();
  return {
    store: current,
    async reopen() {
      await current.close();
      current = await open();
      return current;
    },
    async dispose() {
      await current.close();
      await rm(path, { recursive: true, force: true });
    },
  };
});
