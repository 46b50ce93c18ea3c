// The part of the composition root for the other processes on the same database: this process among them, and the store whose
// commits rely on what it knows of them.
import { hostname } from 'node:os';
import { findOrCreateSecret } from '../../auth/auth-service.ts';
import type { Config } from '../../config/schema.ts';
import { DeploymentMember } from '../../deployment/deployment.ts';
import { createFencedStore, type FencedStore } from '../../deployment/fenced-store.ts';
import { packageVersion } from '../../lib/files/package-files.ts';
import type { Logger } from '../../lib/logger.ts';
import { isEmbeddedDatabase } from '../../stores/open/document-store.ts';
import type { DocumentStore } from '../../stores/ports.ts';

/** Bound of one call of the database, in milliseconds: a look that takes longer tells nothing of now. */
const MAX_CALL_MS = 2000;

interface DeploymentDeps {
  readonly store: DocumentStore;
  readonly generateId: () => string;
  /** What tells the key of the audit log from others. */
  readonly auditKeyId: string;
  readonly logger: Logger;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Creates this process among those on its database. Nothing is read before `join`. */
export function openDeployment(
  config: Config,
  { store, generateId, auditKeyId, logger, now }: DeploymentDeps,
): { readonly deployment: DeploymentMember } & FencedStore {
  const { auth, media, database, limits, server } = config;
  const timeoutMs = Math.min(limits.queryMs, MAX_CALL_MS);
  const deployment = new DeploymentMember({
    ...{ store, id: generateId(), timeoutMs, log: logger, now },
    isSole: isEmbeddedDatabase(database),
    identity: {
      host: hostname(),
      address: `${server.host}:${server.port}`,
      version: packageVersion(),
    },
    settings: {
      'auth.tokenSecret': auth.tokenSecret,
      'auth.auditKey': auditKeyId,
      'media.tokenSecret': media.tokenSecret,
      'database.enableCollectionDatabases': String(database.enableCollectionDatabases),
    },
    fingerprintKey: () => findOrCreateSecret('settings', { store, now, queryMs: limits.queryMs }),
    clock: () => performance.now(),
  });
  return { deployment, ...createFencedStore(store, { fence: deployment, now, queryMs: limits.queryMs }) };
}
