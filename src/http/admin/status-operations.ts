// What the status report says about itself.

import { listOf, objectOf, ref } from '../../lib/json/schema-parts.ts';
import { json, type Operation } from '../core/operation.ts';

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

/** What admins are told as well. */
const FOR_ADMINS = {
  leakedFiles: count('For admins: files that were never closed'),
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
  summary: 'How the server is',
  answers: { 200: { description: 'Versions, memory, uptime', content: json(ref('Status')) } },
};
