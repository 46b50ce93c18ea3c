// The composition root of `cloister export` and `import`: the documents of a site, and what an older server left.
import { resolve } from 'node:path';
import { type ClientImport, importClient } from '../auth/clients/import-client.ts';
import { type NamespaceFields, readNamespaceFields } from '../collections/specifications/namespace-fields.ts';
import type { Config } from '../config/schema.ts';
import { AppError } from '../errors/errors.ts';
import { isConnectionString, openForeignDatabase } from '../stores/open/foreign-database.ts';
import type { Namespace } from '../stores/ports.ts';
import { createExporter, type Exporter } from '../transfer/export.ts';
import {
  createEntryImporter,
  createImporter,
  type EntryImporter,
  type Importer,
} from '../transfer/import.ts';
import { convertClient } from '../transfer/older/convert-client.ts';
import { openFilestore } from '../transfer/older/filestore.ts';
import { DEFAULT_CLIENT_COLLECTION } from '../transfer/older/older-collections.ts';
import type { OlderDatabase } from '../transfer/older/older-database.ts';
import { createOlderReader, type OlderPlan, type OlderReader } from '../transfer/older/read-older.ts';
import { openStoredDatabase } from '../transfer/older/stored-database.ts';
import { openOutputFile } from '../transfer/output-file.ts';
import { logOf, openClientService, openStore } from './cli-services.ts';
import { openCommandWorkspace } from './workspace/command-workspace.ts';

/** The services of `cloister export` and `cloister import`. */
export interface SiteTransfer {
  readonly exporter: Exporter;
  readonly import: Importer;
  readonly openOutput: typeof openOutputFile;
  close(): Promise<void>;
}

/** What the specification files of the site say of its fields. */
async function fieldsOfSite(config: Config, cwd: string): Promise<NamespaceFields> {
  const { files, folders, close } = await openCommandWorkspace(config, { cwd, openStore });
  try {
    const { enableCollectionDatabases } = config.database;
    return await readNamespaceFields({
      workspace: files,
      root: folders.collections,
      enableCollectionDatabases,
    });
  } finally {
    await close();
  }
}

/** Opens the documents of the configured database for export and import. A server may be running. */
export async function openTransfer(config: Config, { cwd }: { readonly cwd: string }): Promise<SiteTransfer> {
  const store = await openStore(config, cwd);
  const { idFields } = await fieldsOfSite(config, cwd);
  const separateDatabases = config.database.enableCollectionDatabases;
  const options = { store, separateDatabases, now: Date.now, idFields };
  return {
    exporter: createExporter(options),
    import: createImporter(options),
    openOutput: openOutputFile,
    close: () => store.close(),
  };
}

interface OlderDataOptions {
  /** The run directory: relative paths start here. */
  readonly cwd: string;
  /** A connection string, or the path of a file or folder. */
  readonly from: string;
  /** Default: the one that the older server has unless its configuration says otherwise. */
  readonly clientCollection: string | undefined;
}

interface ClientWatch {
  readonly signal: AbortSignal;
  readonly onClient: (client: ClientImport) => void;
}

export interface OlderData {
  readonly reader: OlderReader;
  /** Writes documents into the configured database. */
  readonly import: EntryImporter;
  /**
   * Adds the clients that the configured database does not have, and resolves with whether one of all clients is an admin. Rejects
   * as the store does.
   */
  importClients(plan: OlderPlan, watch: ClientWatch): Promise<boolean>;
  close(): Promise<void>;
}

const sourceError = (message: string, cause?: unknown) =>
  new AppError('CONFIGURATION_INVALID', { field: '--from', message, cause });

const ADDRESS = /^[a-z][a-z0-9+.-]+:\/|:[^/]*@/i;
const NO_SOURCE = '--from is neither an address that begins with mongodb:// or mongodb+srv://, nor a path';

interface OpenSource {
  readonly databases: readonly OlderDatabase[];
  close(): Promise<void>;
}

/** What is said of the setting is true of the flag. No message repeats a part of a connection string. */
async function openForeignStore(config: Config, uri: string) {
  try {
    return await openForeignDatabase({ uri, queryMs: config.limits.queryMs, log: logOf(config) });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw sourceError(error.message.replace('database.mongodb.uri', '--from'), error);
  }
}

async function openConnection(config: Config, uri: string): Promise<OpenSource> {
  const { store, name, isTarget } = await openForeignStore(config, uri);
  try {
    if (name === undefined)
      throw sourceError('--from names no database: write it behind the host, as in mongodb://host/database');
    if (await isTarget(config.database)) {
      throw sourceError(
        '--from is the database that is configured: its documents are there already. Configure another one to import them',
      );
    }
    const database = await openStoredDatabase({ store, name, now: Date.now });
    if (database.collections.length === 0)
      throw sourceError('--from has no documents: is the name of its database right?');
    return { databases: [database], close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Opens what an older server left. Rejects with CONFIGURATION_INVALID for a connection string that cannot be used, with
 * DOCUMENT_INVALID for files that cannot be read, with errors of the operating system and of the store.
 */
export async function openOlderData(
  config: Config,
  { cwd, from, clientCollection }: OlderDataOptions,
): Promise<OlderData> {
  const fields = await fieldsOfSite(config, cwd);
  // Nothing of it is repeated: it may be a connection string, misspelt.
  if (!isConnectionString(from) && ADDRESS.test(from)) throw sourceError(NO_SOURCE);
  const { databases, close } = isConnectionString(from)
    ? await openConnection(config, from)
    : { databases: await openFilestore(resolve(cwd, from)), close: async () => undefined };
  const site = {
    ...fields,
    separateDatabases: config.database.enableCollectionDatabases,
    // This one needs no specification.
    holdsRecords: (ns: Namespace) => ns.collection === config.media.defaultBucket || fields.holdsRecords(ns),
  };
  const reader = createOlderReader({
    databases,
    site,
    clientCollection: clientCollection ?? DEFAULT_CLIENT_COLLECTION,
  });
  const store = await openStore(config, cwd);
  return {
    reader,
    import: createEntryImporter({ store, now: Date.now }),
    async importClients(plan, { signal, onClient }) {
      const names = new Set(databases.flatMap((database) => database.collections.map(({ name }) => name)));
      const service = await openClientService(config, { cwd });
      try {
        for await (const record of reader.clients(plan)) {
          signal.throwIfAborted();
          const { notes, ...client } = convertClient(record, names);
          const added = await importClient(service.clients, client);
          onClient(added.outcome === 'imported' ? { ...added, notes } : added);
        }
        return (await service.clients.list()).some(({ accessType }) => accessType === 'admin');
      } finally {
        await service.close();
      }
    },
    async close() {
      await store.close();
      await close();
    },
  };
}
