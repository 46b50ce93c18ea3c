// Sends responses as text that is ready: the framework never serializes a body again.
import type { FastifyReply } from 'fastify';
import type { ChunkedText } from '../../lib/chunked-text.ts';

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
