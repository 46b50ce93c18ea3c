// `POST /token`: issues access tokens for client credentials. An `Authorization` header is ignored.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isJsonObject } from '../../lib/json/json.ts';
import { acceptUrlEncoded, bodyLimit, jsonBody } from '../core/body-parsers.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { sendJson } from '../core/reply.ts';
import { addResource } from '../core/resource.ts';
import { ISSUE_TOKEN } from './access-operations.ts';

/** Registers the login. Its response must not be cached (RFC 6749, 5.1). */
export function tokenRoutes(
  server: FastifyInstance,
  { login, config }: Pick<HttpDeps, 'login' | 'config'>,
): void {
  acceptUrlEncoded(server);
  const POST = async (request: FastifyRequest, reply: FastifyReply) => {
    const body = jsonBody(request);
    const { clientId, secret } = isJsonObject(body) ? { ...body } : {};
    const token = await login({ clientId, secret, address: request.clientAddress });
    return sendJson(reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' }), token);
  };
  const operations = { POST: ISSUE_TOKEN };
  const limit = bodyLimit('token', config.limits.jsonBytes);
  addResource(server, '/token', { POST }, { operations, bodyLimit: limit });
}
