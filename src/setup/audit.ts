// The part of the composition roots for the audit log: the folder of its keys, writing and verification, and the files that a
// start compares with it.

import { readFile } from 'node:fs/promises';
import { type Audit, createAudit } from '../auth/audit/audit.ts';
import type { AuditAction } from '../auth/audit/audit-entry.ts';
import { type AuditFolder, openAuditFolder, readAuditFolder } from '../auth/audit/audit-folder.ts';
import type { AuditLogger } from '../auth/audit/audit-head.ts';
import { type AuditReport, verifyAudit } from '../auth/audit/audit-verify.ts';
import type { AuditedFileState } from '../auth/audit/offline-changes.ts';
import type { SpecificationEdit } from '../collections/specifications/apply-changes.ts';
import type { SpecificationFiles } from '../collections/specifications/specification-files.ts';
import { auditFolderOf } from '../config/data-folder.ts';
import type { Config } from '../config/schema.ts';
import { mapConcurrent } from '../lib/async/concurrency.ts';
import { sha256Hex } from '../lib/sha256.ts';
import { createModuleFiles, type ModuleFolders } from '../modules/lifecycle/module-files.ts';
import { modulePath } from '../modules/model/module-types.ts';
import type { DocumentStore } from '../stores/ports.ts';

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

/** Opens the folder of the keys and creates a key if there is none. Throws CONFIGURATION_INVALID. */
export function openConfiguredAuditFolder(config: Config, cwd: string): Promise<AuditFolder> {
  return openAuditFolder(folderOptions(config, cwd));
}

/** Creates the audit log with the keys of a folder. */
export function createConfiguredAudit(
  config: Config,
  options: Omit<OpenOptions, 'cwd'> & { readonly folder: AuditFolder },
): Audit {
  return createAudit({ ...options, queryMs: config.limits.queryMs });
}

/** Opens the audit log for writing and creates its key if there is none. Throws CONFIGURATION_INVALID. */
export async function openAudit(config: Config, { cwd, ...options }: OpenOptions): Promise<Audit> {
  return createConfiguredAudit(config, { ...options, folder: await openConfiguredAuditFolder(config, cwd) });
}

/** Verifies the log from the entry after number `after`. Writes nothing. Throws CONFIGURATION_INVALID. */
export async function openAuditVerification(
  config: Config,
  { cwd, store, after }: Pick<OpenOptions, 'cwd'> & { store: DocumentStore; after: number },
): Promise<AuditReport> {
  const { keys, anchor } = await readAuditFolder(folderOptions(config, cwd));
  return verifyAudit({ store, keys, anchor, after, now: Date.now, queryMs: config.limits.queryMs });
}

const MAX_CONCURRENT_READS = 16;

interface AuditedFilesOptions {
  /** Absolute path. */
  readonly configFile: string;
  readonly specifications: Pick<SpecificationFiles, 'readAll'>;
  readonly folders: ModuleFolders;
  /** Bytes of one policy. */
  readonly maxBytes: number;
}

async function configurationIn(file: string): Promise<AuditedFileState[]> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  return [{ what: 'configuration', target: '/api/config', hash: sha256Hex(text) }];
}

async function specificationsIn({ specifications }: AuditedFilesOptions): Promise<AuditedFileState[]> {
  const found = await specifications.readAll();
  return found.flatMap(({ address: { version, database, name }, text }): AuditedFileState[] => {
    if (text === undefined) return [];
    const target = `/${version}/${database}/${name}`;
    return [{ what: 'specification', target, hash: sha256Hex(text) }];
  });
}

async function policiesIn({ folders, maxBytes }: AuditedFilesOptions): Promise<AuditedFileState[]> {
  const files = createModuleFiles({ folders, maxBytes });
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
