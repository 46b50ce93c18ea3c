// Limits that a policy sets for one module, up to the policy limits.
import { readFileSync } from 'node:fs';
import type { PolicyLimit } from './tables.ts';
import { constant, type Unit, withUnit } from './values.ts';

const packaged: { readonly limits: Readonly<Record<string, number>> } = JSON.parse(
  readFileSync(new URL('../../../sandbox/policy.json', import.meta.url), 'utf8'),
);

const UNITS: Readonly<Record<string, Unit>> = {
  cpuMs: 'ms',
  wallMs: 'ms',
  heapMb: 'MB',
  responseBytes: 'bytes',
  logBytes: 'bytes',
};

/** The default of a limit in a policy, and the greatest value that the packaged policy limits allow. */
function policyValues(name: string): { readonly default: string; readonly max: string } {
  const unit = UNITS[name] ?? 'count';
  const max = packaged.limits[name];
  if (max === undefined) throw new Error(`sandbox/policy.json has no limit ${name}`);
  return {
    default: constant('src/modules/policy/policy.ts', `DEFAULT_LIMITS.${name}`, unit),
    max: withUnit(max, unit),
  };
}

/** No limit where the number is 0. */
const orNone = (text: string) => (text === '0' ? 'none' : text);

const KILLED_MS = constant('src/sandbox-supervisor/timeouts.ts', 'GRACE_MS', 'ms');
const LOG_LINES = constant('src/sandbox-supervisor/invocation.ts', 'MAX_LOG_LINES');
const PER_MINUTE = policyValues('perMinute');

export const POLICY_LIMITS: readonly PolicyLimit[] = [
  {
    limit: 'processor time of a request, all its time slices together, `cpuMs`',
    ...policyValues('cpuMs'),
    past: `504 \`ENDPOINT_TIMEOUT\`. The engine stops the time slice; a host that does not react is killed ${KILLED_MS} later`,
    tests: ['sandbox/hostile/cpu.alone', 'sandbox-supervisor/supervisor-crashes.full'],
  },
  {
    limit: 'time from the first time slice to the answer, `wallMs`',
    ...policyValues('wallMs'),
    past: `504 \`ENDPOINT_TIMEOUT\`; a host that does not react is killed ${KILLED_MS} later`,
    tests: ['sandbox/hostile/cpu.alone', 'sandbox-supervisor/supervisor-crashes.full'],
  },
  {
    limit: 'heap of an isolate, `heapMb`',
    ...policyValues('heapMb'),
    past: '502 `ENDPOINT_MEMORY`; the host is ended. With `isolation: "isolate"` only the isolate of that request is. Where several requests were in the isolate, nobody is blamed, nothing counts, and each that had changed nothing runs again alone',
    tests: ['sandbox/hostile/memory.alone', 'sandbox-supervisor/supervisor-crashes.full'],
  },
  {
    limit: 'body of an answer, `responseBytes`',
    ...policyValues('responseBytes'),
    past: '502 `ENDPOINT_RESPONSE_TOO_LARGE`',
    tests: ['sandbox/hostile/answers.alone'],
  },
  {
    limit: `log of a request, \`logBytes\`, and ${LOG_LINES} lines`,
    ...policyValues('logBytes'),
    past: 'the rest is dropped, and a last line says so',
    tests: ['sandbox/guest/log'],
  },
  {
    limit: 'calls of `Model` and `fetch` of a request, `hostCalls`',
    ...policyValues('hostCalls'),
    past: 'an exception in the code',
    tests: ['sandbox/hostile/answers.alone', 'sandbox-supervisor/guest-calls'],
  },
  {
    limit: 'requests of one module at a time, `concurrency`',
    ...policyValues('concurrency'),
    past: 'the next ones wait',
    tests: ['sandbox-supervisor/supervisor-queues.full'],
  },
  {
    limit: 'requests a minute, at all servers together, `perMinute`',
    default: orNone(PER_MINUTE.default),
    max: orNone(PER_MINUTE.max),
    past: '429 `ENDPOINT_RATE_LIMITED`',
    tests: ['sandbox/hostile/answers.alone', 'deployment/limits/shared-limits.full'],
  },
];
