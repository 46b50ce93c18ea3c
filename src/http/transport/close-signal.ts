// A signal for work that nobody needs any more once its client has gone.
import type { FastifyReply } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import { onceClosed } from '../../lib/async/ownership.ts';

/** A signal that is aborted when the client closes the connection early. */
export function createCloseSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  onceClosed(reply.raw, () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Throws BAD_REQUEST where the client of the signal has gone: nobody reads the response, and the server is not at fault. */
export function assertNotGone(signal: AbortSignal, cause: unknown): void {
  if (signal.aborted) throw new AppError('BAD_REQUEST', { cause });
}
