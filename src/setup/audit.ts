// The part of the composition roots for the audit log: the folder of its keys, writing and verification, and the files that a
// start compares with it.

import { readFile } from 'node:fs/promises';
import { type Audit, createAudit } from '../auth/audit/audit.ts';
import type { AuditAction, AuditKeys } from '../auth/audit/audit-entry.ts';
import {
  type AuditFolder,
  openAuditFolder,
  parseSharedKeys,
  readAuditFolder,
} from '../auth/audit/audit-folder.ts';
import type { AuditLogger } from '../auth/audit/audit-head.ts';
import { type AuditReport, verifyAudit } from '../auth/audit/audit-verify.ts';
import type { AuditedFileState } from '../auth/audit/offline-changes.ts';
import { findOrCreateSecret, findSecret } from '../auth/auth-service.ts';
import type { SpecificationEdit } from '../collections/specifications/apply-changes.ts';
import { createSpecificationFiles } from '../collections/specifications/specification-files.ts';
import { auditFolderOf } from '../config/data-folder.ts';
import type { Config } from '../config/schema.ts';
import { mapConcurrent } from '../lib/async/concurrency.ts';
import { sha256Hex } from '../lib/sha256.ts';
import { createModuleFiles } from '../modules/lifecycle/module-files.ts';
import { modulePath } from '../modules/model/module-types.ts';
import { isEmbeddedDatabase } from '../stores/open/document-store.ts';
import type { DocumentStore } from '../stores/ports.ts';
import type { Workspace } from './workspace/open-workspace.ts';

function folderOptions(config: Config, cwd: string) {
  return { folder: auditFolderOf(config, cwd), configured: config.auth.auditKey };
}

interface OpenOptions {
  readonly cwd: string;
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: AuditLogger;
  /** Throw if the newest entry has an unknown key. */
  readonly strict?: boolean;
}

/** The name of the key among the generated secrets. */
const SHARED_KEY = 'auth.auditKey';

/**
 * Opens the folder of the keys. Where there is none, one is made: in the folder for the embedded database, for all servers of
 * another one in that database. Throws CONFIGURATION_INVALID.
 */
export function openConfiguredAuditFolder(
  config: Config,
  { cwd, store, now }: Pick<OpenOptions, 'cwd' | 'store' | 'now'>,
): Promise<AuditFolder> {
  const options = folderOptions(config, cwd);
  if (isEmbeddedDatabase(config.database)) return openAuditFolder(options);
  const { queryMs } = config.limits;
  return openAuditFolder({
    ...options,
    loadShared: () => findOrCreateSecret(SHARED_KEY, { store, now, queryMs }),
  });
}

/** The keys to verify with; undefined where none was ever made. */
async function keysToVerify(
  config: Config,
  { keys, store }: { readonly keys: AuditKeys | undefined; readonly store: DocumentStore },
): Promise<AuditKeys | undefined> {
  if (keys !== undefined || isEmbeddedDatabase(config.database)) return keys;
  const { queryMs } = config.limits;
  const shared = await findSecret(SHARED_KEY, { store, now: Date.now, queryMs });
  return shared === undefined ? undefined : parseSharedKeys(shared);
}

/** Creates the audit log with the keys of a folder. */
export function createConfiguredAudit(
  config: Config,
  options: Omit<OpenOptions, 'cwd'> & { readonly folder: AuditFolder },
): Audit {
  return createAudit({ ...options, queryMs: config.limits.queryMs });
}

/** Opens the audit log for writing and creates its key if there is none. Throws CONFIGURATION_INVALID. */
export async function openAudit(config: Config, options: OpenOptions): Promise<Audit> {
  const { cwd: _, ...rest } = options;
  return createConfiguredAudit(config, { ...rest, folder: await openConfiguredAuditFolder(config, options) });
}

/** Verifies the log from the entry after number `after`. Writes nothing. Throws CONFIGURATION_INVALID. */
export async function openAuditVerification(
  config: Config,
  { cwd, store, after }: Pick<OpenOptions, 'cwd'> & { store: DocumentStore; after: number },
): Promise<AuditReport> {
  const { keys: found, headFile } = await readAuditFolder(folderOptions(config, cwd));
  const keys = await keysToVerify(config, { keys: found, store });
  return verifyAudit({ store, keys, headFile, after, now: Date.now, queryMs: config.limits.queryMs });
}

const MAX_CONCURRENT_READS = 16;

interface AuditedFilesOptions {
  /** Absolute path. */
  readonly configFile: string;
  readonly workspace: Workspace;
  /** Bytes of one policy. */
  readonly maxBytes: number;
}

async function configurationIn(file: string): Promise<AuditedFileState[]> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  return [{ what: 'configuration', target: '/api/config', hash: sha256Hex(text) }];
}

async function specificationsIn({ workspace }: AuditedFilesOptions): Promise<AuditedFileState[]> {
  const { files, folders } = workspace;
  const found = await createSpecificationFiles(folders.collections, files).readAll();
  return found.flatMap(({ address: { version, database, name }, text }): AuditedFileState[] => {
    if (text === undefined) return [];
    const target = `/${version}/${database}/${name}`;
    return [{ what: 'specification', target, hash: sha256Hex(text) }];
  });
}

async function policiesIn({ workspace, maxBytes }: AuditedFilesOptions): Promise<AuditedFileState[]> {
  const files = createModuleFiles({ workspace: workspace.files, folders: workspace.folders, maxBytes });
  const policies = (await files.list()).filter(({ part }) => part === 'policy');
  const found = await mapConcurrent(
    policies,
    MAX_CONCURRENT_READS,
    async ({ address }): Promise<AuditedFileState[]> => {
      const file = await files.read(address, 'policy');
      if (file.state !== 'text') return [];
      const hash = sha256Hex(file.text);
      return [{ what: `${address.kind}.policy`, target: modulePath(address), hash }];
    },
  );
  return found.flat();
}

/** The audit action for a specification that was edited by hand while the server ran. */
export function auditActionOfEdit({ address, before, after }: SpecificationEdit): AuditAction {
  const { version, database, name } = address;
  const replaced = before === null ? 'create' : 'replace';
  const action = `specification.${after === null ? 'remove' : replaced}`;
  return { actor: null, action, target: `/${version}/${database}/${name}`, before, after };
}

/** Reads the state of all audited files. Unreadable ones are left out. */
export async function readAuditedFiles(options: AuditedFilesOptions): Promise<readonly AuditedFileState[]> {
  const configuration = await configurationIn(options.configFile);
  return [...configuration, ...(await specificationsIn(options)), ...(await policiesIn(options))];
}
