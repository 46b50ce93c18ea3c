// Bodies for posted code: read to their end, held against its limit and checked for form, but handed on as text.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { EndpointRequest } from '../endpoints/calls.ts';
import { AppError } from '../errors.ts';
import { fitsHeap } from '../lib/body-weight.ts';
import { MAX_JSON_DEPTH, nestsDeeper } from '../lib/json-check.ts';

type GuestBody = EndpointRequest['body'];
type Done = (error: Error | null, body?: unknown) => void;

export const NO_BODY: GuestBody = { type: 'none', text: '' };

const refuse = (message: string) => new AppError('BAD_REQUEST', { message });

/** What code may be sent: bytes of a body, and MB of the heap in which it is read. */
export interface BodyRoom {
  readonly bytes: number;
  readonly heapMb: number;
}

/**
 * The text of a body. Throws BAD_REQUEST for what is not UTF-8, and for JSON that is none or nests too deep; PAYLOAD_TOO_LARGE
 * for what would not fit into the heap once it is read.
 */
export function guestBody(type: GuestBody['type'], bytes: Buffer, heapMb: number): GuestBody {
  if (bytes.length === 0) return NO_BODY;
  if (!isUtf8(bytes)) throw refuse('The body is not valid UTF-8');
  if (type === 'json' && nestsDeeper(bytes, MAX_JSON_DEPTH)) {
    throw refuse(`The body is nested deeper than ${MAX_JSON_DEPTH} levels`);
  }
  const text = bytes.toString('utf8');
  if (!fitsHeap(type, text, heapMb)) throw new AppError('PAYLOAD_TOO_LARGE');
  if (type !== 'json') return { type, text };
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new AppError('BAD_REQUEST', { message: 'The body is not valid JSON', cause });
  }
  return { type, text };
}

/** Reads a body of at most `limit` bytes; more ends the reading. */
function readBody(
  payload: IncomingMessage,
  limit: number,
  done: (error: Error | null, bytes: Buffer) => void,
) {
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = (error: Error | null) => {
    payload.off('data', take).off('end', end).off('error', finish);
    const [only = Buffer.alloc(0)] = chunks;
    done(error, chunks.length > 1 ? Buffer.concat(chunks, length) : only);
  };
  const end = () => finish(null);
  const take = (chunk: Buffer) => {
    length += chunk.length;
    if (length > limit) finish(new AppError('PAYLOAD_TOO_LARGE'));
    else chunks.push(chunk);
  };
  payload.on('data', take).on('end', end).on('error', finish).resume();
}

/**
 * Makes this scope take bodies as posted code may have them: JSON, forms and text. `roomOf`: what the code of this
 * request may be sent at most.
 */
export function acceptGuestBodies(
  server: FastifyInstance,
  roomOf: (request: FastifyRequest) => BodyRoom,
): void {
  const parser =
    (type: GuestBody['type']) => (request: FastifyRequest, payload: IncomingMessage, done: Done) => {
      const { bytes: limit, heapMb } = roomOf(request);
      if (Number(request.headers['content-length']) > limit) return done(new AppError('PAYLOAD_TOO_LARGE'));
      readBody(payload, limit, (error, bytes) => {
        if (error !== null) return done(error);
        try {
          done(null, guestBody(type, bytes, heapMb));
        } catch (fault) {
          done(fault instanceof Error ? fault : new Error('unknown'));
        }
      });
    };
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', parser('json'));
  server.addContentTypeParser('application/x-www-form-urlencoded', parser('form'));
  server.addContentTypeParser(/^text\//, parser('text'));
}
