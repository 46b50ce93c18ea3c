// The body of a response that is a file: opened for this response, held to its length, and let go of with it.

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openFor } from '../../lib/async/ownership.ts';
import { holdToLength } from '../../lib/async/stream-length.ts';
import type { ConnectionTracker } from './connection-tracker.ts';

/** What counts the buffers of files. */
export type BufferQuota = Pick<ConnectionTracker, 'get' | 'overloadError'>;

/** Counts what the buffers of a file may hold as unsent until its response is closed. Throws SERVER_BUSY beyond `limits.unsentBytes`. */
export function reserveBuffers(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  { connections, bytes }: { readonly connections: BufferQuota; readonly bytes: number },
): void {
  const error = connections.overloadError(bytes);
  if (error !== undefined) throw error;
  connections.get(raw.socket)?.reserveUntilClosed(reply.raw, bytes);
}

interface FileBodyOptions {
  /** Opens the file, or the part of it. */
  readonly open: () => Promise<Readable>;
  /** Bytes that the response announces; undefined where it announces none. */
  readonly length: number | undefined;
  /** Hears of an error after the first bytes, unless the client has gone: the connection is closed then. */
  readonly onFailure: (error: Error) => void;
}

/**
 * Opens the body. Resolves when its first bytes are there, or with a destroyed stream when the client has gone; rejects with
 * an error before that, which can still be sent as a response.
 */
export async function openFileBody(
  response: ServerResponse,
  { open, length, onFailure }: FileBodyOptions,
): Promise<Readable> {
  const body = await openFor(response, async () => {
    const source = await open();
    return length === undefined ? source : holdToLength(source, length);
  });
  if (body.destroyed) return body;
  await Promise.race([once(body, 'readable'), once(body, 'close')]);
  body.on('error', (error: Error) => {
    if (!response.destroyed) onFailure(error);
  });
  return body;
}
