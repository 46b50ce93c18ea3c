// What is answered while the start still waits for the database.

import { StoreError } from '../../errors.ts';
import { apiVersionIssue } from '../../modules/model/address.ts';
import type { HttpDeps } from '../core/http-deps.ts';

type IsReady = HttpDeps['isReady'];

const ENDPOINT_PATH = /^\/(?<version>[^/]+)\/[^/]/;

/** Throws an `unavailable` StoreError while the start is not complete. */
export function assertReady(isReady: IsReady): void {
  if (!isReady()) throw new StoreError('unavailable');
}

/**
 * True when a path that nothing takes may be that of posted code, which is known once the database has come: then it is
 * not known either that nobody may have it.
 */
export function mayBeEndpointPath(path: string): boolean {
  const version = ENDPOINT_PATH.exec(path)?.groups?.['version'];
  return version !== undefined && apiVersionIssue(version) === undefined;
}
