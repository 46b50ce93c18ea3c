// Logs outages of the database: one line when it becomes unavailable or available, none per request.
import { errorCodeOf, StoreError } from '../../../errors/errors.ts';
import { createLogThrottle } from '../../../lib/logger.ts';
import type { Deployment, MongoOptions } from './types.ts';

/** An authentication or authorization error is logged again after so many milliseconds without one. */
const CREDENTIAL_LOG_INTERVAL_MS = 60_000;

/** Other errors of the server are logged once per code in so many milliseconds. */
const ERROR_LOG_INTERVAL_MS = 60_000;

/** AuthenticationFailed, AtlasError. */
const LOGIN_CODES: ReadonlySet<unknown> = new Set([18, 8000]);
const UNAUTHORIZED = 13;

export interface OutageLog {
  /** Number of the current period: up or down. Pass it to `succeeded` or `failed`, which ignore operations of earlier periods. */
  currentPeriod(): number;
  connected(deployment: Deployment): void;
  /** An operation that began in `period` succeeded. */
  succeeded(period: number): void;
  /** An operation that began in `period` failed. */
  failed(period: number, error: unknown): void;
}

interface OutageLogOptions {
  readonly log: MongoOptions['log'];
  readonly now: () => number;
}

function connectedMessage({ kind, transactions }: Deployment): string {
  const message = `connected to the database (${kind})`;
  return transactions ? message : `${message}: no transactions; a single-member replica set has them`;
}

/** Creates the log of one connection. */
export function createOutageLog({ log, now }: OutageLogOptions): OutageLog {
  const throttle = createLogThrottle({ everyMs: ERROR_LOG_INTERVAL_MS, now });
  const lastCredentialErrors = new Map<unknown, number>();
  let kind: Deployment['kind'] | undefined;
  let isDown = false;
  let period = 0;

  function setDown(next: boolean): void {
    isDown = next;
    period += 1;
  }

  function logCredentialError(code: unknown, message: string): void {
    const last = lastCredentialErrors.get(code) ?? Number.NEGATIVE_INFINITY;
    lastCredentialErrors.set(code, now());
    if (now() - last >= CREDENTIAL_LOG_INTERVAL_MS) log.error({ code }, message);
  }

  function goDown(since: number, cause: unknown): void {
    if (isDown || since !== period) return;
    setDown(true);
    if (LOGIN_CODES.has(errorCodeOf(cause))) return;
    log.warn({ reason: cause instanceof Error ? cause.message : undefined }, 'database unavailable');
  }

  /** Logs that the server answers, but with an error. */
  function logServerError(cause: unknown): void {
    const code = errorCodeOf(cause);
    const line = throttle(String(code));
    if (line === undefined) return;
    const detail = cause instanceof Error ? cause.message : undefined;
    log.error({ code, detail, ...line }, 'database operation failed, responding with 503');
  }

  return {
    currentPeriod: () => period,
    connected(deployment) {
      const isNew = deployment.kind !== kind;
      kind = deployment.kind;
      if (isNew) log.info({ deployment: kind }, connectedMessage(deployment));
      else if (isDown) log.info('database available again');
      if (isDown) setDown(false);
    },
    succeeded(since) {
      if (!isDown || since !== period) return;
      setDown(false);
      log.info('database available again');
    },
    failed(since, error) {
      if (!(error instanceof StoreError)) return;
      if (error.reason === 'failed') logServerError(error.cause);
      if (error.reason !== 'unavailable') return;
      const code = errorCodeOf(error.cause);
      if (LOGIN_CODES.has(code)) {
        logCredentialError(
          code,
          'database authentication failed: check the user and password in database.mongodb.uri',
        );
      }
      if (code === UNAUTHORIZED) {
        logCredentialError(
          code,
          'database user lacks a privilege: it needs readWrite on every database in use',
        );
        return;
      }
      goDown(since, error.cause);
    },
  };
}
