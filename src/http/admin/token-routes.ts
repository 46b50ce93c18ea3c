// `POST /token`: issues access tokens for client credentials. An `Authorization` header is ignored.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorItem } from '../../errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { acceptUrlEncoded, bodyLimit, jsonBody } from '../core/body-parsers.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { sendJson } from '../core/reply.ts';
import { addResource } from '../core/resource.ts';
import { ISSUE_TOKEN } from './access-operations.ts';

const MEMBERS = ['clientId', 'secret'] as const;

function findIssue(body: JsonObject, name: (typeof MEMBERS)[number]): ErrorItem | undefined {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  if (typeof value === 'string' && value !== '') return undefined;
  const isMissing = value === undefined || value === null || value === '';
  const message = isMissing ? `\`${name}\` is missing` : `\`${name}\` must be text`;
  return { field: name, message, code: 'BAD_REQUEST' };
}

/** The error for a body without credentials, which names each member that is missing. */
function findMissingMembers(body: JsonObject): AppError | undefined {
  const items = MEMBERS.map((name) => findIssue(body, name)).filter((item) => item !== undefined);
  if (items.length === 0) return undefined;
  // What curl makes of JSON without a type: the whole text is the name of a field.
  const isJson = Object.keys(body).some((name) => name.trimStart().startsWith('{'));
  const details = isJson
    ? 'JSON needs `Content-Type: application/json`'
    : 'send {"clientId":"…","secret":"…"}';
  return new AppError('BAD_REQUEST', { items: items.map((item) => ({ ...item, details })) });
}

/** Registers the login. Its response must not be cached (RFC 6749, 5.1). */
export function tokenRoutes(
  server: FastifyInstance,
  { login, config }: Pick<HttpDeps, 'login' | 'config'>,
): void {
  acceptUrlEncoded(server);
  const POST = async (request: FastifyRequest, reply: FastifyReply) => {
    const body = jsonBody(request);
    const sent = isJsonObject(body) ? { ...body } : {};
    const { clientId, secret } = sent;
    const missing = findMissingMembers(sent);
    const token = await login({ clientId, secret, missing, address: request.clientAddress });
    return sendJson(reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' }), token);
  };
  const operations = { POST: ISSUE_TOKEN };
  const limit = bodyLimit('token', config.limits.jsonBytes);
  addResource(server, '/token', { POST }, { operations, bodyLimit: limit });
}
