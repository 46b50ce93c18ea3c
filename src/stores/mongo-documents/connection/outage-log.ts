// What the log says of the database: a line when something changes, never one for each request.
import { StoreError } from '../../../errors.ts';
import { createLogThrottle } from '../../../lib/log-throttle.ts';
import type { Deployment, MongoOptions } from './types.ts';

/** A refusal that has not been seen for so many milliseconds is told anew. */
const CREDENTIAL_LOG_INTERVAL_MS = 60_000;

/** A failure of the database is told once in so many milliseconds. */
const ERROR_LOG_INTERVAL_MS = 60_000;

/** Codes of the server for who may not come in, and who may not do a thing. */
const LOGIN_CODES: ReadonlySet<unknown> = new Set([18, 8000]);
const UNAUTHORIZED = 13;

export interface OutageLog {
  /** Where things stand: to be handed back with what became of an operation that begins now. */
  currentPeriod(): number;
  connected(deployment: Deployment): void;
  /** An operation succeeded. */
  succeeded(began: number): void;
  /** An operation failed. */
  failed(began: number, error: unknown): void;
}

interface OutageLogOptions {
  readonly log: MongoOptions['log'];
  readonly now: () => number;
}

function connectedMessage({ kind, transactions }: Deployment): string {
  const what = `connected to the database (${kind})`;
  return transactions ? what : `${what}: no transactions, a replica set of one member has them`;
}

/** Keeps the log of one connection. */
export function createOutageLog({ log, now }: OutageLogOptions): OutageLog {
  const limit = createLogThrottle({ everyMs: ERROR_LOG_INTERVAL_MS, now });
  const refusals = new Map<unknown, number>();
  let kind: Deployment['kind'] | undefined;
  let away = false;
  // Operations that began before a change say nothing about what holds since.
  let spell = 0;

  function change(next: boolean): void {
    away = next;
    spell += 1;
  }

  function refuse(code: unknown, message: string): void {
    const last = refusals.get(code) ?? Number.NEGATIVE_INFINITY;
    refusals.set(code, now());
    if (now() - last >= CREDENTIAL_LOG_INTERVAL_MS) log.error({ code }, message);
  }

  function goAway(began: number, cause: unknown): void {
    if (away || began !== spell) return;
    change(true);
    if (LOGIN_CODES.has(codeOf(cause))) return;
    log.warn({ reason: cause instanceof Error ? cause.message : undefined }, 'the database is away');
  }

  /** The server answers, and fails at what it is asked. */
  function tellFailure(cause: unknown): void {
    const code = codeOf(cause);
    const line = limit(String(code));
    if (line === undefined) return;
    const detail = cause instanceof Error ? cause.message : undefined;
    log.error({ code, detail, ...line }, 'the database fails: what it fails at is answered with 503');
  }

  return {
    currentPeriod: () => spell,
    connected(deployment) {
      const isNews = deployment.kind !== kind;
      kind = deployment.kind;
      if (isNews) log.info({ deployment: kind }, connectedMessage(deployment));
      else if (away) log.info('the database is back');
      if (away) change(false);
    },
    succeeded(began) {
      if (!away || began !== spell) return;
      change(false);
      log.info('the database is back');
    },
    failed(began, error) {
      if (!(error instanceof StoreError)) return;
      if (error.reason === 'failed') tellFailure(error.cause);
      if (error.reason !== 'unavailable') return;
      const code = codeOf(error.cause);
      if (LOGIN_CODES.has(code))
        refuse(code, 'the database refuses the user or the password of database.mongodb.uri');
      if (code === UNAUTHORIZED) {
        refuse(
          code,
          'the database user lacks a privilege: it needs readWrite on every database that is used',
        );
        return;
      }
      goAway(began, error.cause);
    },
  };
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error ? Reflect.get(cause, 'code') : undefined;
}
