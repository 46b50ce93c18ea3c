// The steps of a start that need the database, in their order: the other processes on it, audit log, clients, secrets, indexes, posted code.

import type { Audit } from '../auth/audit/audit.ts';
import { auditOfflineChanges } from '../auth/audit/offline-changes.ts';
import type { AuthService } from '../auth/auth-service.ts';
import { type ClientService, createFirstAdmin } from '../auth/clients/client-service.ts';
import type { SpecificationService } from '../collections/specifications/specification-service.ts';
import type { Config } from '../config/schema.ts';
import type { DeploymentMember } from '../deployment/deployment.ts';
import { StoreError } from '../errors/errors.ts';
import type { Log } from '../lib/logger.ts';
import type { DocumentStore } from '../stores/ports.ts';
import { readAuditedFiles } from './audit.ts';
import type { PostedCode } from './posted-code.ts';
import type { StartupStep } from './startup.ts';

export interface FirstAdmin {
  readonly id: string;
  readonly secret: string;
}

interface StartupStepsDeps {
  readonly config: Config;
  readonly store: DocumentStore;
  readonly deployment: Pick<DeploymentMember, 'join'>;
  readonly audit: Audit;
  readonly clients: ClientService;
  readonly auth: Pick<AuthService, 'ensureSecret'>;
  readonly specifications: Pick<SpecificationService, 'load' | 'ensureIndexes'>;
  /** Whether the specifications are in the database, and no step before has loaded them. */
  readonly loadsSpecifications: boolean;
  readonly postedCode: Pick<PostedCode, 'load'>;
  /** The files whose changes are audited. */
  readonly auditedFiles: Parameters<typeof readAuditedFiles>[0];
  readonly onFirstAdmin: ((admin: FirstAdmin) => void) | undefined;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** A broken audit log does not stop the start. `check` records the break, or the next entry does. */
async function checkAuditLog({ store, audit, log }: StartupStepsDeps): Promise<void> {
  await store.health();
  await audit.check().catch((error) => {
    log.error({ err: error }, 'cannot check the end of the audit log');
  });
}

/** Audits files that changed while no server ran. A database in which only the audit log is damaged is served. */
async function auditFiles({ config, store, audit, auditedFiles, log, now }: StartupStepsDeps): Promise<void> {
  const { queryMs } = config.limits;
  const files = () => readAuditedFiles(auditedFiles);
  try {
    await auditOfflineChanges({ store, audit, files, now, queryMs, log });
  } catch (error) {
    if (!(error instanceof StoreError) || error.reason !== 'damaged') throw error;
    log.error({ err: error }, 'cannot audit the files that changed while the server was stopped');
  }
}

/** Creates the index of clients and, if there is none, the first admin. */
function createEnsureClients({ config, clients, onFirstAdmin }: StartupStepsDeps): StartupStep {
  const { id, secret } = config.auth.admin;
  // The validation of the configuration accepts both or neither.
  const configured = id === undefined || secret === undefined ? undefined : { id, secret };
  const createAdmin = createFirstAdmin(clients, configured);
  return async () => {
    await clients.ensureIndexes();
    const created = await createAdmin();
    if (created !== undefined) onFirstAdmin?.({ id: created.clientId, secret: created.secret });
  };
}

/** Without a reviewer, code that waits for a review waits forever. */
async function warnWithoutReviewer({ clients, config, log }: StartupStepsDeps): Promise<void> {
  const { review } = config.sandbox;
  if (review === 'none' || (await clients.hasReviewer())) return;
  log.warn(
    { review },
    'no reviewer can approve what `sandbox.review` holds back: create one with `cloister clients add <id> --reviewer`',
  );
}

/** Lists the steps. Each may run again after it failed. */
export function createStartupSteps(deps: StartupStepsDeps): readonly StartupStep[] {
  return [
    () => deps.deployment.join(),
    () => checkAuditLog(deps),
    () => auditFiles(deps),
    createEnsureClients(deps),
    () => warnWithoutReviewer(deps),
    () => deps.auth.ensureSecret(),
    ...(deps.loadsSpecifications ? [() => deps.specifications.load()] : []),
    () => deps.specifications.ensureIndexes(),
    () => deps.postedCode.load(),
  ];
}
