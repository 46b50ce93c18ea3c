// Applies changes by admins: the audit entry is written before the change, which is not made without it.
import type { FastifyRequest } from 'fastify';
import type { Audit } from '../../auth/audit/audit.ts';
import type { AuditAction } from '../../auth/audit/audit-entry.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { actorOf } from './request-context.ts';

/** `before` and `after` are fingerprints, null where there was or is nothing. */
type Change = Omit<AuditAction, 'actor'>;

type ApplyAudited = (request: FastifyRequest, change: Change, apply: () => Promise<void>) => Promise<void>;

/** Makes the function that applies a change of a request after its audit entry. */
export function createAuditedChange(audit: Pick<Audit, 'recordChange'>): ApplyAudited {
  return (request, change, apply) => audit.recordChange({ actor: actorOf(request), ...change }, apply);
}

/** Fingerprint of a value as its file holds it: JSON with two spaces and a final newline. */
export function fingerprintJson(value: object | undefined): string | null {
  return value === undefined ? null : sha256Hex(`${JSON.stringify(value, null, 2)}\n`);
}
