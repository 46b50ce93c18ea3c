// Access of reviewers: what they reach without being admins, who may approve or refuse, and the notice that code is pending.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { requireAdmin } from '../core/request-access.ts';
import { actorOf, createRequestDeadline } from '../core/request-context.ts';
import type { RequestGuard } from '../core/resource.ts';

/** URLs that reviewers may read: code, policies, versions and their differences. */
const REVIEWER_READ_URL = /\/(?:hooks|config|policy|versions(?:\/:version(?:\/(?:policy|diff\/:other))?)?)$/;
const DECISION_URL = /\/versions\/:version\/(?:approve|refuse)$/;

function isReviewerRequest({ method, routeOptions }: FastifyRequest): boolean {
  const { url = '' } = routeOptions;
  return method === 'GET' || method === 'HEAD'
    ? REVIEWER_READ_URL.test(url)
    : method === 'POST' && DECISION_URL.test(url);
}

/** Whether the caller may see what waits for a reviewer. */
export function mayReadPending({ client }: FastifyRequest): boolean {
  return client?.accessType === 'admin' || client?.reviewer === true;
}

/** Guard: rejects everybody but admins, and reviewers who read or decide. */
export const requireAdminOrReviewer: RequestGuard = (request, reply, done) => {
  if (request.client?.reviewer === true && isReviewerRequest(request)) done();
  else requireAdmin(request, reply, done);
};

/** Throws APPROVAL_REFUSED for everybody but reviewers, admins included. */
export function assertReviewer({ client }: FastifyRequest, does: 'approves' | 'refuses'): void {
  if (client?.reviewer === true) return;
  throw new AppError('APPROVAL_REFUSED', {
    message: `Only a reviewer ${does}: \`cloister clients set <id> --reviewer\` on the machine gives the right`,
  });
}

export type ReviewerAccessDeps = Pick<HttpDeps, 'clients' | 'config' | 'now'>;

/** Creates the function that tells of pending code or policies whose approval they need, with a hint where there is no reviewer. */
export function createApprovalNotice(deps: ReviewerAccessDeps): (request: FastifyRequest) => Promise<string> {
  const deadline = createRequestDeadline(deps);
  return async (request) => {
    // The change is made already: without the database the message has no hint.
    const hasReviewer = await deps.clients
      .hasReviewer({ actor: actorOf(request), deadline: deadline(request) })
      .catch(() => true);
    const hint = hasReviewer
      ? ''
      : '; there is no other yet: make one on the machine with `cloister clients add <id> --reviewer`';
    return `waits for the approval of a reviewer${hint}`;
  };
}
