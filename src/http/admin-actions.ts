// Notes what an admin has changed, once it is done and before the answer says so.
import type { FastifyRequest } from 'fastify';
import type { Audit, AuditAction } from '../auth/audit.ts';
import { fingerprint } from '../lib/fingerprint.ts';
import type { OperationOptions } from '../stores/ports.ts';

/** A change: `before` and `after` are fingerprints, null where there was or is nothing. */
type Change = Omit<AuditAction, 'clientId'>;

export type Note = (request: FastifyRequest, change: Change, options?: OperationOptions) => Promise<void>;

/**
 * Makes the function that writes the change of a request into the audit log. Where that fails the request does too, though
 * the change is made: an admin who repeats it loses nothing, and no change goes unnoticed behind a success.
 */
export function createNote(audit: Pick<Audit, 'record'>): Note {
  return (request, change, options) =>
    audit.record({ clientId: request.client?.clientId ?? null, ...change }, options);
}

/** Fingerprint of a value as its file holds it: JSON, two spaces, a line end. */
export function fingerprintOf(value: object | undefined): string | null {
  return value === undefined ? null : fingerprint(`${JSON.stringify(value, null, 2)}\n`);
}
