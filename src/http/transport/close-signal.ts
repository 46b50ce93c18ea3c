// A signal for work that nobody needs any more once its client has gone.
import type { FastifyReply } from 'fastify';
import { onceClosed } from '../../lib/streams/ownership.ts';

/** A signal that is aborted when the client closes the connection early. */
export function createCloseSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  onceClosed(reply.raw, () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
