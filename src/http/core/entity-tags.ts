// Entity tags of what admins edit as a whole: routes, recipes, specifications, clients, posted code and policies. A write with `If-Match` is made only where
// nobody has changed the thing since it was read.
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import { evaluateConditions } from '../../lib/http/conditional.ts';
import type { ParameterDescription } from './operation.ts';

/** How an operation that reads such a thing describes its tag. */
export const ETAG_HEADER = { ETag: 'Tells this state from others: for `If-Match`' };

/** How an operation that writes it describes the condition. */
export const IF_MATCH: ParameterDescription = {
  in: 'header',
  name: 'If-Match',
  description: 'An ETag: the write is refused with 412 where the state is another by now',
  schema: { type: 'string' },
};

/** The tag of a state, which JSON can hold. The order of members counts. */
function entityTag(state: object): string {
  return `"${createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, 22)}"`;
}

/** Adds the tag of the state to its answer. */
export const sendEntityTag = (reply: FastifyReply, state: object): FastifyReply =>
  reply.header('ETag', entityTag(state));

/**
 * Throws PRECONDITION_FAILED unless the state is one that `If-Match` and `If-None-Match` of the write allow. Undefined: there is none.
 * Call it where nobody can change the state before the write.
 */
export function assertExpectedState({ headers }: FastifyRequest, state: object | undefined): void {
  const conditions = { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] };
  const isExpected =
    state === undefined
      ? conditions.ifMatch === undefined
      : evaluateConditions(conditions, { etag: entityTag(state), modifiedAt: undefined }) === 'send';
  if (isExpected) return;
  throw new AppError('PRECONDITION_FAILED', {
    message: 'It is not in a state that If-Match or If-None-Match allows: somebody has changed it',
  });
}
