// The visitor as the conditions of routes see it.
import type { FastifyRequest } from 'fastify';
import type { Visitor } from '../../delivery/delivery.ts';

/** Who asks, by the headers and the address of a request. */
export function createVisitor({ headers, clientAddress }: FastifyRequest): Visitor {
  return {
    userAgent: headers['user-agent'] ?? '',
    acceptLanguage: headers['accept-language'] ?? '',
    ip: clientAddress,
  };
}
