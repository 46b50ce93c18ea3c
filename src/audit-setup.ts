// The part of the composition roots that is about the audit log: where its keys lie, and who writes and checks it.
import { resolve } from 'node:path';
import { type Audit, createAudit } from './auth/audit/audit.ts';
import { openAuditFolder, readAuditFolder } from './auth/audit/audit-folder.ts';
import type { AuditLogger } from './auth/audit/audit-head.ts';
import { type AuditReport, verifyAudit } from './auth/audit/audit-verify.ts';
import type { Config } from './config/schema.ts';
import type { DocumentStore } from './stores/ports.ts';

function placeOf({ auth, database }: Config, cwd: string) {
  const folder = resolve(cwd, auth.auditPath ?? database.sqlite.path);
  return { folder, configured: auth.auditKey };
}

interface OpenOptions {
  readonly cwd: string;
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: AuditLogger;
  /** Refuse to write to a log that has a key which is not known here. */
  readonly strict?: boolean;
}

/** Opens the audit log for writing. Its key is made where there is none yet. Throws CONFIGURATION_INVALID. */
export async function openAudit(config: Config, { cwd, ...options }: OpenOptions): Promise<Audit> {
  const folder = await openAuditFolder(placeOf(config, cwd));
  return createAudit({ ...options, queryMs: config.limits.queryMs, folder });
}

/** Checks the whole log, from the entry with the number `after` on. Writes nothing. Throws CONFIGURATION_INVALID. */
export async function openAuditVerification(
  config: Config,
  { cwd, store, after }: Pick<OpenOptions, 'cwd'> & { store: DocumentStore; after: number },
): Promise<AuditReport> {
  const { keys, anchor } = await readAuditFolder(placeOf(config, cwd));
  return verifyAudit({ store, keys, anchor, after, now: Date.now, queryMs: config.limits.queryMs });
}
