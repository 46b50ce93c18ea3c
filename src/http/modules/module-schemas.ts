// The component schemas of the operations of posted code.

import type { JsonObject } from '../../lib/json/json.ts';
import { listOf, objectOf, ref } from '../../lib/json/schema-parts.ts';
import { POLICY_SCHEMA } from '../../modules/policy/policy-schema.ts';

const STATE = { enum: ['active', 'suspended', 'broken', 'pending'] };
const time = { type: 'integer', description: 'Epoch milliseconds' };
const SUSPENSION = objectOf({
  by: { enum: ['admin', 'breaker', 'operator'] },
  clientId: { type: ['string', 'null'] },
  at: { type: ['integer', 'null'], description: 'Epoch milliseconds' },
});
const text1 = { type: 'string' };
const figures = {
  calls: { type: 'integer' },
  errors: { type: 'integer' },
  cpuMs: { type: 'number', description: 'Milliseconds of processor time' },
};

const POLICY = POLICY_SCHEMA as JsonObject & { readonly properties: JsonObject };
const CODE = {
  sha256: { type: 'string', description: 'Of the active version' },
  approvedBy: { type: 'string', examples: ['client:rita'] },
  approvedAt: { type: 'string', description: 'ISO 8601' },
  pending: { type: 'array', items: { type: 'integer' }, description: 'Versions that wait for approval' },
};

/** Components of these operations. */
export const MODULE_SCHEMAS = {
  ModuleState: STATE,
  Suspension: SUSPENSION,
  Policy: {
    ...POLICY,
    description: 'What the code may use, and is granted: see docs/endpoints.md',
  },
  PolicyCode: objectOf(CODE, Object.keys(CODE)),
  StoredPolicy: {
    ...objectOf({ ...POLICY.properties, code: ref('PolicyCode') }, [
      ...['code', ...Object.keys(POLICY.properties).filter((name) => name !== 'version')],
    ]),
    description: 'The policy as it was put, with the state of the code as `code`',
  },
  PostedCode: objectOf(
    {
      result: { const: 'success' },
      message: text1,
      version: { type: 'integer' },
      warnings: listOf(text1),
      suggestedIsolation: { enum: ['realm', 'context', 'isolate'] },
    },
    ['suggestedIsolation'],
  ),
  ModuleVersion: objectOf(
    {
      version: { type: 'integer' },
      sha256: { ...text1, description: 'Of its code' },
      part: {
        enum: ['code', 'policy'],
        description: 'What is new in it: a policy comes with the code that it was put for',
      },
      clientId: { type: ['string', 'null'] },
      createdAt: time,
      active: { type: 'boolean' },
      refused: ref('Refusal'),
    },
    ['refused'],
  ),
  LogRecord: objectOf(
    {
      seq: { type: 'integer', description: 'Counts up from record to record' },
      at: time,
      version: { type: 'integer' },
      requestId: text1,
      level: text1,
      message: text1,
      stack: text1,
    },
    ['stack', 'level'],
  ),
  ModuleUsage: objectOf({
    from: time,
    to: time,
    ...figures,
    maxHeapMb: { type: ['number', 'null'], description: 'Megabytes; null: it was not looked at' },
    buckets: listOf(objectOf({ at: { ...time, description: 'When the minute begins' }, ...figures })),
  }),
  ModuleVersions: objectOf({ versions: listOf(ref('ModuleVersion')) }),
  ModuleLogs: objectOf({ logs: listOf(ref('LogRecord')) }),
  Endpoints: objectOf({ endpoints: listOf(ref('ListedEndpoint')), policyLimits: ref('PolicyLimits') }, [
    'policyLimits',
  ]),
  Hooks: objectOf({ hooks: listOf(ref('ListedHook')), policyLimits: ref('PolicyLimits') }),
  ListedEndpoint: objectOf(
    {
      version: text1,
      name: text1,
      slug: text1,
      path: text1,
      methods: listOf(text1),
      state: ref('ModuleState'),
      suspension: ref('Suspension'),
      pending: listOf(ref('PendingVersion')),
      lastModifiedAt: time,
    },
    ['suspension', 'pending'],
  ),
  ListedHook: objectOf(
    {
      name: text1,
      path: text1,
      state: ref('ModuleState'),
      suspension: ref('Suspension'),
      pending: listOf(ref('PendingVersion')),
      lastModifiedAt: time,
    },
    ['suspension'],
  ),
};
