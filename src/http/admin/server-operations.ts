// What the routes of the server itself say about themselves: health, status, metrics, configuration, audit log, cached responses.

import { objectOf, ref } from '../../lib/json/schema-parts.ts';
import { json, type Operation, text } from '../core/operation.ts';

const SERVER = 'Server';
const ADMINISTRATION = 'Administration';

/** Components of these operations. */
export const SERVER_SCHEMAS = {
  Done: objectOf({ result: { const: 'success' }, message: { type: 'string' } }),
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
  summary: 'Drops cached responses, and rendered images',
  description:
    '`path`: responses of one collection by its path, or all with `*`. `pattern`: rendered images of a path or query string of the delivery port, or all with `*`. At least one of the two.',
  body: {
    content: json({
      ...objectOf(
        {
          path: { type: 'string', minLength: 1, examples: ['/1.0/library/books', '*'] },
          pattern: { type: 'string', minLength: 1, maxLength: 4096, examples: ['/thumbnail/cover.jpg', '*'] },
        },
        ['path', 'pattern'],
      ),
      anyOf: [{ required: ['path'] }, { required: ['pattern'] }],
    }),
  },
  answers: { 200: done },
};
