// The part of the composition roots for the audit log: the folder of its keys, writing and verification.
import { resolve } from 'node:path';
import { type Audit, createAudit } from './auth/audit/audit.ts';
import { openAuditFolder, readAuditFolder } from './auth/audit/audit-folder.ts';
import type { AuditLogger } from './auth/audit/audit-head.ts';
import { type AuditReport, verifyAudit } from './auth/audit/audit-verify.ts';
import type { Config } from './config/schema.ts';
import type { DocumentStore } from './stores/ports.ts';

function folderOptions({ auth, database }: Config, cwd: string) {
  const folder = resolve(cwd, auth.auditPath ?? database.sqlite.path);
  return { folder, configured: auth.auditKey };
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

/** Opens the audit log for writing and creates its key if there is none. Throws CONFIGURATION_INVALID. */
export async function openAudit(config: Config, { cwd, ...options }: OpenOptions): Promise<Audit> {
  const folder = await openAuditFolder(folderOptions(config, cwd));
  return createAudit({ ...options, queryMs: config.limits.queryMs, folder });
}

/** Verifies the log from the entry after number `after`. Writes nothing. Throws CONFIGURATION_INVALID. */
export async function openAuditVerification(
  config: Config,
  { cwd, store, after }: Pick<OpenOptions, 'cwd'> & { store: DocumentStore; after: number },
): Promise<AuditReport> {
  const { keys, anchor } = await readAuditFolder(folderOptions(config, cwd));
  return verifyAudit({ store, keys, anchor, after, now: Date.now, queryMs: config.limits.queryMs });
}
