// Settings of the sandbox, in which endpoints and hooks run. What their code may do at most is in the policy file, not here.
import type { SettingGroup } from './setting-schema.ts';

export const SANDBOX_SCHEMA = {
  type: 'object',
  description: 'The sandbox of custom endpoints and hooks.',
  properties: {
    enabled: {
      type: 'boolean',
      default: true,
      description:
        'Whether custom code runs at all. If not, calls, uploads of code, and reads and writes that hooks stand before are 503.',
    },
    policyFile: {
      type: 'string',
      minLength: 1,
      description:
        'The policy limits: what the policy of any endpoint or hook may ask for at most. Relative to the run directory. Unset: the packaged `sandbox/policy.json`.',
    },
    minimumLevel: {
      type: 'integer',
      minimum: 0,
      maximum: 3,
      default: 0,
      description:
        'The weakest isolation level with which the server starts and any process is used, from 1 to 3: the self-test then runs before it listens. 0: whatever this machine offers.',
    },
    maxHosts: {
      type: 'integer',
      minimum: 1,
      maximum: 256,
      default: 16,
      dividedAmongWorkers: true,
      description: 'Processes for custom code, idle ones included.',
    },
    hostMemoryMb: {
      type: 'integer',
      unit: 'MB',
      minimum: 256,
      maximum: 65_536,
      default: 384,
      description: 'Megabytes of data that one such process may have before the kernel refuses it more.',
    },
    jitDomains: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 100 },
      maxItems: 100,
      default: [],
      description:
        'Trust domains whose processes compile to machine code: faster, without the kernel’s memory limit, and with more of V8 for an attacker to try. Their level is 0: none may be named beside a `sandbox.minimumLevel`.',
    },
    review: {
      type: 'string',
      enum: ['none', 'grants', 'all'],
      default: 'none',
      description:
        'Which new code waits until a reviewer who did not write it approves it: none, that of modules with grants, powerful headers or a trust domain of their choice, or all.',
    },
    secrets: {
      type: 'object',
      description:
        'Texts that a policy names and the server adds to requests of custom code, which never sees them.',
      propertyNames: { pattern: '^[A-Z][A-Z0-9_]{0,63}$' },
      named: 'capital letters, digits and `_`, a letter first, at most 64',
      additionalProperties: {
        type: 'string',
        minLength: 1,
        maxLength: 8192,
        secret: true,
        description: 'The secret of this name.',
      },
    },
  },
} as const satisfies SettingGroup;
