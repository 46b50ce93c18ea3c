// The error for a path that nothing serves: 401 or 404, or 503 while that is not known yet.
import type { FastifyRequest } from 'fastify';
import { missingTokenError } from '../../auth/auth-errors.ts';
import { AppError, StoreError } from '../../errors/errors.ts';
import { apiVersionIssue } from '../../modules/model/module-address.ts';
import { requestPath } from '../core/request-url.ts';

const ENDPOINT_PATH = /^\/(?<version>[^/]+)\/[^/]/;

/** True when a path may be that of an endpoint: endpoints are known once startup has read them from the database. */
function mayBeEndpointPath(path: string): boolean {
  const version = ENDPOINT_PATH.exec(path)?.groups?.['version'];
  return version !== undefined && apiVersionIssue(version) === undefined;
}

/**
 * The error for a path that nothing serves: 401 for the anonymous, so that nobody can probe which paths exist, 404 for others.
 * `isReady`: until startup has completed, a path that may be an endpoint's is 503.
 */
export function unknownPathError(
  request: Pick<FastifyRequest, 'client' | 'originalUrl'>,
  isReady: () => boolean = () => true,
): AppError | StoreError {
  if (!isReady() && mayBeEndpointPath(requestPath(request))) return new StoreError('unavailable');
  return request.client === null ? missingTokenError() : new AppError('NOT_FOUND');
}
