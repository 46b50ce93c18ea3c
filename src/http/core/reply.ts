// Sends responses as text that is ready: the framework never serializes a body again.
import type { FastifyReply } from 'fastify';
import type { Page } from '../../collections/model/documents.ts';
import { type ChunkedText, MAX_JOINED_LENGTH } from '../../lib/chunked-text.ts';

export const JSON_TYPE = 'application/json';
export const JAVASCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** Serializer of bodies that are ready; `on-send.ts` takes texts in pieces too. */
export const passThrough = (payload: unknown): string => payload as string;

/** Sends text under a content type. */
export function sendText(reply: FastifyReply, type: string, text: ChunkedText): FastifyReply {
  // Without this serializer Fastify appends a charset, which JSON does not have (RFC 8259, 11).
  return reply.serializer(passThrough).header('content-type', type).send(text);
}

/** Sends a value as JSON with a status. */
export function sendJson(reply: FastifyReply, value: unknown, status = 200): FastifyReply {
  return sendText(reply.code(status), JSON_TYPE, JSON.stringify(value));
}

/** Documents, which are JSON text already, as the body `{"results":[…]…}`; in pieces when they are long together. */
export function formatResults(results: readonly string[], rest = ''): ChunkedText {
  const length = results.reduce((sum, { length }) => sum + length + 1, 0);
  if (length <= MAX_JOINED_LENGTH) return `{"results":[${results.join(',')}]${rest}}`;
  const pieces = ['{"results":['];
  for (const [index, text] of results.entries()) {
    if (index > 0) pieces.push(',');
    pieces.push(text);
  }
  pieces.push(`]${rest}}`);
  return pieces;
}

/** A page as JSON text. */
export function formatPage({ results, metadata }: Page): ChunkedText {
  return formatResults(results, `,"metadata":${JSON.stringify(metadata)}`);
}
