// Limits of requests, connections and documents.
import type { Limit } from './tables.ts';
import { constant, setting } from './values.ts';

const BODIES = 'src/http/core/body-parsers.ts';
const CLIENT = 'src/auth/clients/client.ts';
const PERMISSIONS = 'src/auth/clients/parse-permissions.ts';
const ISSUER_TOKENS = 'src/auth/issuers/issuer-tokens.ts';
const TRACKER = 'src/http/transport/connection-tracker.ts';

export const REQUEST_LIMITS: readonly Limit[] = [
  {
    limit: 'JSON body, `limits.jsonBytes`',
    default: setting('limits.jsonBytes'),
    past: '413',
    tests: ['http/core/limits'],
  },
  {
    limit:
      'values of one document, or of a body that is no list of documents, `limits.jsonValues`; each member of an object counts as three',
    default: setting('limits.jsonValues'),
    past: '413',
    tests: ['http/core/limits', 'http/core/json-body'],
  },
  {
    limit: 'body of `/token`',
    default: `${constant(BODIES, 'MAX_BODY_BYTES.token', 'bytes')}, ${constant(BODIES, 'MAX_FORM_FIELDS')} fields`,
    past: '413, 400 before it is parsed',
    tests: ['http/core/limits', 'security/hostile-bodies.alone'],
  },
  {
    limit: 'body of a specification or a client; of the configuration or a policy; all other small bodies',
    default: [
      constant(BODIES, 'MAX_BODY_BYTES.specification', 'bytes'),
      constant(BODIES, 'MAX_BODY_BYTES.policy', 'bytes'),
      constant(BODIES, 'MAX_BODY_BYTES.few', 'bytes'),
    ].join('; '),
    past: '413',
    tests: ['security/hostile-bodies.alone'],
  },
  {
    limit:
      'roles of a client; length of a role; entries of a list of its permissions; length of a name in them',
    default: [
      constant(CLIENT, 'MAX_ROLES'),
      constant('src/lib/client-names.ts', 'MAX_ROLE_LENGTH'),
      constant(PERMISSIONS, 'MAX_GRANTS'),
      constant(PERMISSIONS, 'MAX_NAME_LENGTH'),
    ].join('; '),
    past: '400',
    tests: ['auth/clients/parse-client'],
  },
  {
    limit: 'access token of an issuer of `auth.issuers`; its roles',
    default: [
      constant(ISSUER_TOKENS, 'MAX_TOKEN_LENGTH', 'bytes'),
      constant('src/auth/clients/client.ts', 'MAX_ROLES'),
    ].join('; '),
    past: '401',
    tests: ['security/issuer-tokens', 'auth/issuers/issuer-tokens'],
  },
  {
    limit: 'verified tokens of issuers that are remembered',
    default: [
      constant(ISSUER_TOKENS, 'MAX_REMEMBERED_TOKENS'),
      constant(ISSUER_TOKENS, 'MAX_REMEMBERED_CHARACTERS', 'bytes'),
    ].join(', '),
    past: 'the oldest ones are verified again',
    tests: ['auth/issuers/issuer-tokens'],
  },
  {
    limit: 'fetch of the keys of an issuer: time; answer',
    default: [
      constant('src/auth/issuers/issuer-keys.ts', 'MAX_FETCH_MS', 'ms'),
      constant('src/auth/issuers/issuer-keys.ts', 'MAX_KEY_SET_BYTES', 'bytes'),
    ].join('; '),
    past: 'the keys from before count; where there are none, its tokens are 503',
    tests: ['auth/issuers/issuer-keys'],
  },
  {
    limit: 'fetches of the keys of an issuer because of an unknown key',
    default: `one in ${constant('src/auth/issuers/issuer-keys.ts', 'UNKNOWN_KEY_MS', 'ms')}`,
    past: '401',
    tests: ['auth/issuers/issuer-keys'],
  },
  {
    limit: 'query string, `limits.queryStringBytes`',
    default: setting('limits.queryStringBytes'),
    past: '414',
    tests: ['http/core/limits'],
  },
  {
    limit: 'all headers',
    default: constant('src/http/transport/fastify-server.ts', 'MAX_HEADER_BYTES', 'bytes'),
    past: '431',
    tests: ['http/core/limits'],
  },
  {
    limit: 'time for headers, `limits.headersSeconds`; for a whole request, `limits.requestSeconds`',
    default: `${setting('limits.headersSeconds')}; ${setting('limits.requestSeconds')}`,
    past: '408',
    tests: ['http/core/limits'],
  },
  {
    limit: 'time for which a client may read nothing of its answer, `limits.sendSeconds`',
    default: setting('limits.sendSeconds'),
    past: 'the connection is reset',
    tests: ['http/transport/connection', 'security/slow-readers.full'],
  },
  {
    limit:
      'bytes a second that a client has to read of what waits for it, on average over the time for sending',
    default: constant('src/http/transport/connection-tracker.ts', 'MIN_BYTES_PER_SECOND', 'bytes'),
    past: 'the connection is reset',
    tests: ['http/transport/send-progress'],
  },
  {
    limit: 'bytes of answers that wait for clients, all together, `limits.unsentBytes`',
    default: setting('limits.unsentBytes'),
    past: 'connections that have read nothing for a third of `limits.sendSeconds` are closed, then reads answer 503',
    tests: ['http/transport/connection-tracker', 'http/transport/fastify-server'],
  },
  {
    limit: 'connections, `limits.connections`',
    default: setting('limits.connections'),
    past: '503 to all but `/health`, then closed',
    tests: ['http/transport/connection-tracker', 'http/core/limits'],
  },
  {
    limit: 'requests of one connection at a time',
    default: '1',
    past: 'the next ones wait, unread',
    tests: ['http/transport/connection'],
  },
  {
    limit: 'rest of a body that was refused',
    default: [
      constant(TRACKER, 'DEFAULT_DISCARD_LIMITS.bytes', 'bytes'),
      `${constant(TRACKER, 'DEFAULT_DISCARD_LIMITS.idleMs', 'ms')} without a byte`,
      `${constant(TRACKER, 'DEFAULT_DISCARD_LIMITS.totalMs', 'ms')} in all`,
    ].join(', '),
    past: 'the connection is closed',
    tests: ['http/transport/connection'],
  },
  {
    limit: 'bytes of one answer that are sent without yielding to the event loop',
    default: constant('src/http/transport/response-stream.ts', 'YIELD_BYTES', 'bytes'),
    past: 'the rest is sent after other events',
    tests: ['http/transport/response-stream', 'http/documents/long-pages.alone'],
  },
  {
    limit: 'depth of a JSON value',
    default: constant('src/lib/json/json.ts', 'MAX_JSON_DEPTH'),
    past: '400',
    tests: ['lib/json/json'],
  },
  {
    limit: 'filter, `limits.filterDepth`, `limits.filterNodes`',
    default: `${setting('limits.filterDepth')} levels, ${setting('limits.filterNodes')} conditions`,
    past: '400',
    tests: ['http/core/limits'],
  },
  {
    limit: 'database work of a request, `limits.queryMs`',
    default: setting('limits.queryMs'),
    past: '503',
    tests: ['http/core/limits'],
  },
  {
    limit: 'documents of a batch, `limits.batch`',
    default: setting('limits.batch'),
    past: '400',
    tests: ['http/core/limits'],
  },
  {
    limit: 'documents of a write by query, `limits.writeMatches`',
    default: setting('limits.writeMatches'),
    past: '400',
    tests: ['http/core/limits'],
  },
  {
    limit: 'results of a page, `limits.pageSize`',
    default: setting('limits.pageSize'),
    past: 'cut',
    tests: ['http/core/limits'],
  },
  {
    limit: 'composition, `limits.composeDepth`, `limits.composeReferences`',
    default: `${setting('limits.composeDepth')} levels, ${setting('limits.composeReferences')} references`,
    past: 'ids stay',
    tests: ['http/core/limits'],
  },
  {
    limit: 'ids that the look-ups of one filter bring in, `limits.composeReferences`',
    default: setting('limits.composeReferences'),
    past: '400',
    tests: ['collections/filters/compile'],
  },
  {
    limit: 'problems that one answer lists',
    default: `${constant('src/errors/errors.ts', 'MAX_ITEMS')}, and how many more there are`,
    past: 'cut',
    tests: ['errors/errors'],
  },
  {
    limit: 'failed logins, at all servers together, `auth.rateLimit`',
    default: `${setting('auth.rateLimit.perClient')} per address and client, ${setting('auth.rateLimit.perAddress')} per address, in ${setting('auth.rateLimit.windowSeconds')}`,
    past: '429',
    tests: ['http/admin/token-routes', 'deployment/limits/shared-limits.full'],
  },
];
