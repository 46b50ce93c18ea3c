// What is answered while the start still waits for the database.
import { checkVersion } from '../endpoints/modules/address.ts';
import { StoreError } from '../errors.ts';
import type { HttpDeps } from './deps.ts';

type IsReady = HttpDeps['isReady'];

const CODE_PATH = /^\/(?<version>[^/]+)\/[^/]/;

/** Throws an `unavailable` StoreError while the start is not complete. */
export function mustBeReady(isReady: IsReady): void {
  if (!isReady()) throw new StoreError('unavailable');
}

/**
 * True when a path that nothing takes may be that of posted code, which is known once the database has come: then it is
 * not known either that nobody may have it.
 */
export function mayBeCode(path: string): boolean {
  const version = CODE_PATH.exec(path)?.groups?.['version'];
  return version !== undefined && checkVersion(version) === undefined;
}
