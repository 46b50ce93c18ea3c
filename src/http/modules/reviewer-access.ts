// Review over HTTP: what a reviewer reaches who is no admin, who may approve, and what is said of code that waits.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { requireAdmin } from '../access/authenticate.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { createRequestDeadline } from '../core/request-context.ts';
import type { OnRequestHook } from '../core/resource.ts';

/** Code, policies, versions and their differences: a reviewer reads them. */
const REVIEWER_READ_URL = /\/(?:hooks|config|policy|versions(?:\/:version(?:\/(?:policy|diff\/:other))?)?)$/;
const APPROVAL_URL = /\/versions\/:version\/approve$/;

function isReviewerRequest({ method, routeOptions }: FastifyRequest): boolean {
  const { url = '' } = routeOptions;
  return method === 'GET' || method === 'HEAD'
    ? REVIEWER_READ_URL.test(url)
    : method === 'POST' && APPROVAL_URL.test(url);
}

/** Hook: an admin's token is needed; to read what waits, and to approve it, that of a reviewer will do. */
export const requireAdminOrReviewer: OnRequestHook = (request, reply, done) => {
  if (request.client?.reviewer === true && isReviewerRequest(request)) done();
  else requireAdmin(request, reply, done);
};

/** Throws APPROVAL_REFUSED for whoever has not the right to approve, admins too. */
export function assertReviewer({ client }: FastifyRequest): void {
  if (client?.reviewer === true) return;
  throw new AppError('APPROVAL_REFUSED', {
    message:
      'Only a reviewer approves: `cloister clients set <id> --reviewer` on the machine gives the right',
  });
}

export type ReviewerAccessDeps = Pick<HttpDeps, 'clients' | 'config' | 'now'>;

/** Makes the function that says what code or a policy waits for, and how to make a reviewer where there is none. */
export function createPendingMessage(deps: ReviewerAccessDeps): (request: FastifyRequest) => Promise<string> {
  const deadline = createRequestDeadline(deps);
  return async (request) => {
    const by = request.client?.clientId ?? '';
    // The change is made already: where nobody can be looked up, the answer says less.
    const there = await deps.clients.hasReviewer({ by, deadline: deadline(request) }).catch(() => true);
    const hint = there
      ? ''
      : '; there is no other yet: make one on the machine with `cloister clients add --id <id> --reviewer`';
    return `waits for the approval of a reviewer${hint}`;
  };
}
