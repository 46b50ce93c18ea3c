// The visitor of a request, as the conditions of routes see it.
import type { FastifyRequest } from 'fastify';
import type { Visitor } from '../../delivery/model/delivery.ts';

/** The visitor by the headers and the client address of a request. */
export function createVisitor({ headers, clientAddress }: FastifyRequest): Visitor {
  return {
    userAgent: headers['user-agent'] ?? '',
    acceptLanguage: headers['accept-language'] ?? '',
    ip: clientAddress,
  };
}
