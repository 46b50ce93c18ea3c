// A site whose workspace is in a database, and folders that are pushed into it or pulled out of it. The database is an embedded
// one that several processes have open: this test, and each command, whose connection can be cut.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { Config } from '../../../src/config/schema.ts';
import { sha256Hex } from '../../../src/lib/sha256.ts';
import { createDatabaseWorkspace, type DatabaseWorkspace } from '../../../src/stores/database-workspace.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { openSqliteDocuments } from '../../../src/stores/sqlite-documents/store.ts';
import { type FailingStore, failingStore, openTemporaryStore } from '../../helpers/store/temporary-store.ts';

export interface TransferredSite {
  readonly cwd: string;
  readonly config: Config;
  /** The database as another process has it open. */
  readonly store: DocumentStore;
  /** What is in the database. */
  readonly shared: DatabaseWorkspace;
  /** Opens it for a command. */
  openStore(): Promise<DocumentStore>;
  /** The connections of commands, as they were opened. */
  readonly connections: readonly FailingStore[];
  /** How many of them are open. */
  openConnections(): number;
  /** Called with each connection before its command has it. */
  onConnection(prepare: (connection: FailingStore) => void): void;
  write(path: string, content: string | Uint8Array): void;
  read(path: string): string;
  /** Puts a document into the database that no process of this version writes, in the place of that of its path. */
  storeStrange(document: { readonly path: string; readonly text: string | number }): Promise<void>;
}

/** Makes the site in an empty folder. `env` are its settings besides the place of the workspace. */
export async function createTransferredSite(
  env: Readonly<Record<string, string>> = {},
): Promise<TransferredSite> {
  const cwd = mkdtempSync(join(tmpdir(), 'cloister-transferred-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const settings = { CLOISTER_WORKSPACE_STORE: 'database', CLOISTER_LIMITS_QUERY_MS: '60000', ...env };
  const { config } = await loadConfig({ flags: {}, env: settings, cwd });
  const { store, path } = await openTemporaryStore();
  const connections: FailingStore[] = [];
  let open = 0;
  let prepare = (_connection: FailingStore): void => undefined;
  return {
    cwd,
    config,
    store,
    shared: createDatabaseWorkspace({ store, now: Date.now, queryMs: 60_000 }),
    async openStore() {
      const opened = await openSqliteDocuments({ path, queueLimit: 1000 });
      const connection = failingStore(opened);
      open += 1;
      const close = async () => {
        open -= 1;
        await opened.close();
      };
      const closing = Object.assign(connection, { close });
      connections.push(closing);
      prepare(closing);
      return closing;
    },
    connections,
    openConnections: () => open,
    onConnection(act) {
      prepare = act;
    },
    write(file, content) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), content);
    },
    read: (file) => readFileSync(join(cwd, file), 'utf8'),
    async storeStrange(document) {
      const ns = { database: null, collection: 'cloister.workspace' };
      const _id = sha256Hex(document.path).slice(0, 24);
      const deadline = Date.now() + 60_000;
      await store.commit([{ kind: 'insert', ns, document: { _id, v: 1, ...document } }], { deadline });
    },
  };
}
