// What the status report says about itself.

import { listOf, objectOf, ref } from '../../lib/json/schema-parts.ts';
import { type JsonSchema, json, type Operation } from '../core/operation.ts';
import type { ServerReport } from '../core/server-report.ts';

const number = (description: string) => ({ type: 'number', description });
const count = (description: string) => ({ type: 'integer', description });
const name = { type: 'string' };

/** What every client of this server is told. */
const FOR_ALL = {
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
};

const LEVEL = count('Isolation level that the self-test has proven, 1 to 3; 0 before it has run');

const bytes = count('Bytes');
const lookups = {
  anyOf: [objectOf({ hits: count('Since the start'), misses: count('Since the start') }), { type: 'null' }],
  description: 'Null: nothing is counted (`metrics.enabled`)',
};
const waiting = count('How many wait');
const running = count('How many are under way');
const maxWaiting = count('How many may wait');
const maxRunning = count('How many may be under way');

/** The members of a server report. */
const REPORT = {
  store: objectOf({
    engine: name,
    isReachable: { type: 'boolean' },
    pingMs: { type: ['number', 'null'], description: 'Milliseconds until it answered' },
    bytes: { type: ['integer', 'null'], description: 'What the database takes; null: not told in time' },
  }),
  queues: objectOf({
    calls: { ...objectOf({ waiting, running }), description: 'Of endpoints and hooks' },
    commits: {
      anyOf: [objectOf({ waiting, maxWaiting }), { type: 'null' }],
      description: 'Writes to the database; null: none waits in this process',
    },
    renderings: objectOf({ waiting, maxWaiting, running, maxRunning }),
  }),
  caches: objectOf({
    responses: objectOf({
      engine: { type: ['string', 'null'], description: 'Null: responses are not cached' },
      isReachable: { type: 'boolean' },
      lookups,
    }),
    renderedImages: objectOf({ lookups }),
  }),
  uploads: objectOf({ running, maxRunning, bytes, maxBytes: bytes }),
  unsentBytes: {
    ...objectOf({ used: bytes, max: bytes }),
    description: 'Parts of answers that clients have not read yet',
  },
  audit: objectOf({
    entries: { type: ['integer', 'null'], description: 'Null: not told in time' },
    newestAt: { type: ['integer', 'null'], description: 'Epoch milliseconds; null: there is none' },
    unwritten: count('Entries about failed changes that could not be written yet'),
  }),
} as const satisfies Readonly<Record<keyof ServerReport, JsonSchema>>;

/** What admins are told as well. */
const FOR_ADMINS = {
  ...REPORT,
  leakedFiles: count('Files that were never closed'),
  processes: {
    ...listOf(
      objectOf({
        id: name,
        host: name,
        pid: { type: 'integer' },
        address: { type: 'string', description: 'Where it listens for the content API' },
        version: name,
        since: count('Epoch milliseconds of its start'),
        lastSeen: count('Epoch milliseconds, by its own clock'),
        changes: count('Number of the newest change of the deployment that it has in force'),
        isSelf: { type: 'boolean', description: 'It is the one that answers' },
      }),
    ),
    description: 'The processes on the same database, the one that answers first',
  },
  sandbox: { ...ref('SandboxStatus'), description: 'For admins' },
};

/** Components of the report. */
export const STATUS_SCHEMAS = {
  SelfTestItem: objectOf({
    attempt: { type: 'string', examples: ['read a file'] },
    held: { type: 'boolean', description: 'The isolation held' },
    detail: name,
  }),
  SelfTest: objectOf({
    state: { enum: ['not-run', 'running', 'passed', 'failed'] },
    items: listOf(ref('SelfTestItem')),
  }),
  SandboxStatus: objectOf(
    {
      level: LEVEL,
      missing: { ...listOf(name), description: 'What the next level needs, in words' },
      selfTest: ref('SelfTest'),
      hosts: objectOf({
        running: count('Processes that run'),
        busy: count('Of these, with invocations'),
        spare: count('Of these, with no code yet'),
        max: count('Processes at the most'),
      }),
      processes: listOf(
        objectOf({
          state: { enum: ['starting', 'spare', 'idle', 'busy'], description: '`spare`: has run nothing yet' },
          memory: { type: ['integer', 'null'], description: 'Resident bytes; null: not known' },
          uptime: number('Seconds since it was started'),
          jit: { type: 'boolean', description: 'With the just-in-time compiler' },
        }),
      ),
      jit: {
        ...objectOf({ level: LEVEL, selfTest: ref('SelfTest') }),
        description: 'Of `sandbox.jitDomains`, where there are any',
      },
    },
    ['jit'],
  ),
  Status: objectOf({ ...FOR_ALL, ...FOR_ADMINS }, Object.keys(FOR_ADMINS)),
};

export const STATUS: Operation = {
  id: 'getStatus',
  tag: 'Server',
  audience: 'ownClients',
  summary: 'How the server is; for admins with its sandbox, database, caches, queues and limits',
  answers: { 200: { description: 'Versions, memory, uptime', content: json(ref('Status')) } },
};
