// What the routes of the server itself say about themselves: health, status, metrics, configuration, audit log, cached responses.

import { listOf, objectOf, ref } from '../../lib/json/schema-parts.ts';
import { json, type Operation, text } from '../core/operation.ts';

const SERVER = 'Server';
const ADMINISTRATION = 'Administration';

const number = (description: string) => ({ type: 'number', description });
const name = { type: 'string' };
const nullableText = { type: ['string', 'null'] };

/** Components of these operations. */
export const SERVER_SCHEMAS = {
  Done: objectOf({ result: { const: 'success' }, message: { type: 'string' } }),
  AuditEntry: objectOf(
    {
      seq: { type: 'integer', description: 'From 1, without gaps' },
      at: { type: 'integer', description: 'Epoch milliseconds' },
      clientId: { ...nullableText, description: 'Null: the operator, or the server' },
      address: name,
      requestId: name,
      action: { type: 'string', examples: ['specification.create'] },
      target: { type: 'string', description: 'A path, or the id of a client' },
      before: { ...nullableText, description: 'SHA-256 of the state before; null: there was none' },
      after: { ...nullableText, description: 'SHA-256 of the state after; null: there is none' },
      policy: objectOf({ before: nullableText, after: nullableText }),
      key: { type: 'string', description: 'Id of the signing key' },
      previous: { type: 'string', description: 'Hash of the entry before' },
      hash: { type: 'string', description: 'HMAC-SHA256 of all other members' },
    },
    ['address', 'requestId', 'policy'],
  ),
  Status: objectOf(
    {
      service: objectOf({
        site: name,
        package: name,
        versions: objectOf({ current: name, latest: { type: 'null' } }),
      }),
      process: objectOf({
        pid: { type: 'integer' },
        uptime: number('Seconds'),
        uptimeFormatted: name,
        versions: objectOf({ node: name, v8: name }),
      }),
      memory: objectOf({ rss: number('Bytes'), heapTotal: number('Bytes'), heapUsed: number('Bytes') }),
      system: objectOf({
        platform: name,
        release: name,
        hostname: name,
        memory: objectOf({ free: number('Bytes'), total: number('Bytes') }),
        load: listOf({ type: 'number' }),
        uptime: number('Seconds'),
        uptimeFormatted: name,
      }),
      routes: { type: 'array' },
      leakedFiles: { type: 'integer', description: 'For admins: files that were never closed' },
      sandbox: { type: 'object', description: 'For admins: isolation level, self-test and processes' },
    },
    ['leakedFiles', 'sandbox'],
  ),
};

const done = { description: 'Done', content: json(ref('Done')) };

export const HELLO: Operation = {
  id: 'getHello',
  ignoresToken: true,
  tag: SERVER,
  audience: 'anyone',
  summary: 'Says hello',
  answers: { 200: { description: 'Hello', content: text() } },
};

export const HEALTH: Operation = {
  id: 'getHealth',
  ignoresToken: true,
  tag: SERVER,
  audience: 'anyone',
  summary: 'Tells whether the server can serve: 503 while the database is away',
  answers: { 200: { description: 'It can', content: json(objectOf({ status: { const: 'ok' } })) } },
};

/** `isPublic`: `metrics.public` of the configuration. */
export const metricsOperation = (isPublic: boolean): Operation => ({
  id: 'getMetrics',
  tag: SERVER,
  audience: isPublic ? 'anyone' : 'admins',
  summary: 'Metrics for Prometheus',
  description:
    'OpenMetrics where `Accept` asks for it. Also with `metrics.token` of the configuration as the token.',
  answers: {
    200: {
      description: 'The metrics of this moment',
      content: { ...text(), 'application/openmetrics-text': { type: 'string' } },
    },
  },
});

export const STATUS: Operation = {
  id: 'getStatus',
  tag: SERVER,
  audience: 'ownClients',
  summary: 'How the server is',
  answers: { 200: { description: 'Versions, memory, uptime', content: json(ref('Status')) } },
};

export const GET_CONFIGURATION: Operation = {
  id: 'getConfiguration',
  tag: ADMINISTRATION,
  audience: 'admins',
  summary: 'Reads the configuration, without its secrets',
  answers: { 200: { description: 'The settings', content: json({ type: 'object' }) } },
};

export const CHANGE_CONFIGURATION: Operation = {
  id: 'changeConfiguration',
  tag: ADMINISTRATION,
  audience: 'admins',
  summary: 'Changes the configuration, from the next start on',
  body: { content: json({ type: 'object', description: 'Settings by name, see docs/configuration.md' }) },
  answers: { 200: done },
};

export const FLUSH: Operation = {
  id: 'flushCache',
  tag: ADMINISTRATION,
  audience: 'admins',
  summary: 'Drops cached responses: of one collection by its path, of everything with `*`',
  body: {
    content: json(
      objectOf({ path: { type: 'string', minLength: 1, examples: ['/1.0/library/books', '*'] } }),
    ),
  },
  answers: { 200: done },
};
