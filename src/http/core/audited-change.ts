// Announces what an admin changes: its entry in the audit log comes before the change, which is not made without it.
import type { FastifyRequest } from 'fastify';
import type { Audit } from '../../auth/audit/audit.ts';
import type { AuditAction } from '../../auth/audit/audit-entry.ts';
import { sha256Hex } from '../../lib/sha256.ts';

/** A change: `before` and `after` are fingerprints, null where there was or is nothing. */
type Change = Omit<AuditAction, 'clientId'>;

type ApplyAudited = (request: FastifyRequest, change: Change, apply: () => Promise<void>) => Promise<void>;

/** Makes the function that applies a change of a request behind its entry in the audit log. */
export function createAuditedChange(audit: Pick<Audit, 'announce'>): ApplyAudited {
  return (request, change, apply) =>
    audit.announce({ clientId: request.client?.clientId ?? null, ...change }, apply);
}

/** Fingerprint of a value as its file holds it: JSON, two spaces, a line end. */
export function fingerprintJson(value: object | undefined): string | null {
  return value === undefined ? null : sha256Hex(`${JSON.stringify(value, null, 2)}\n`);
}
