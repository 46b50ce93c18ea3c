// `POST /token`: access tokens for client credentials. An `Authorization` header means nothing here.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isJsonObject } from '../../lib/json.ts';
import { acceptForm, bodyOf } from '../body.ts';
import { bodyLimit } from '../body-limits.ts';
import type { HttpDeps } from '../deps.ts';
import { sendValue } from '../reply.ts';
import { resource } from '../resource.ts';

/** Registers the login. The answer must not be kept by anything on its way (RFC 6749 5.1). */
export function tokenRoutes(
  server: FastifyInstance,
  { login, config }: Pick<HttpDeps, 'login' | 'config'>,
): void {
  acceptForm(server);
  const POST = async (request: FastifyRequest, reply: FastifyReply) => {
    const body = bodyOf(request);
    const { clientId, secret } = isJsonObject(body) ? { ...body } : {};
    const token = await login({ clientId, secret, address: request.clientAddress });
    return sendValue(reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' }), token);
  };
  resource(server, '/token', { POST }, { bodyLimit: bodyLimit('token', config.limits.jsonBytes) });
}
