// Limits of posted code that no policy changes, and those of hosts.
import type { Limit } from './tables.ts';
import { constant, setting } from './values.ts';

const TUNING = 'src/sandbox-supervisor/tuning.ts';
const QUEUE = 'src/sandbox-supervisor/module-queue.ts';
const EVENTS = 'src/sandbox-supervisor/protocol/guest-events.ts';
const BCRYPT = 'src/capabilities/bcrypt-calls.ts';
const HASHER = 'src/workers/password-hasher.ts';
const STATES = 'src/modules/versions/state-transitions.ts';

export const POSTED_CODE_LIMITS: readonly Limit[] = [
  {
    limit: 'endpoints that have a label of their own in metrics',
    default: constant('src/metrics/endpoint-counts.ts', 'MAX_ENDPOINT_LABELS'),
    past: 'all others are counted as `other`',
    tests: ['metrics/label-limits'],
  },
  {
    limit: 'endpoints and hooks whose usage of the last hour is kept',
    default: constant('src/metrics/module-usage.ts', 'MAX_MODULES'),
    past: 'that of those that ran longest ago is dropped',
    tests: ['metrics/module-usage'],
  },
  {
    limit: 'posted code, `limits.endpointCodeBytes`',
    default: setting('limits.endpointCodeBytes'),
    past: '413',
    tests: ['sandbox/hostile/uploads.alone'],
  },
  {
    limit: 'reason of a refusal',
    default: `${constant('src/http/modules/review-schemas.ts', 'MAX_REASON_CHARACTERS')} characters`,
    past: '400, nothing has changed',
    tests: ['http/modules/module-routes'],
  },
  {
    limit: 'loading a module',
    default: constant('src/sandbox-supervisor/host-contents.ts', 'LOAD_MS', 'ms'),
    past: '400 `ENDPOINT_LOAD`, nothing has changed',
    tests: ['sandbox/hostile/uploads.alone', 'sandbox/inspect'],
  },
  {
    limit: 'description that code exports as `openapi`',
    default: `${constant('src/modules/description/parse-openapi.ts', 'MAX_BYTES', 'bytes')} of JSON, ${constant('sandbox/guest/describe.js', 'MAX_VALUES')} values, ${constant('sandbox/guest/describe.js', 'MAX_DEPTH')} levels`,
    past: 'the upload warns of it, and the endpoint is described as anything',
    tests: ['sandbox/guest/describe', 'modules/description/parse-openapi'],
  },
  {
    limit: 'body of a request, `grants.request.maxBodyBytes`, and what it would take of the heap',
    default: '`limits.jsonBytes`, and half of `heapMb`',
    past: '413 before the code runs',
    tests: ['http/modules/endpoint-call-route-body'],
  },
  {
    limit: 'headers of an answer',
    default: `${constant('sandbox/guest/headers.js', 'MAX_HEADERS')} headers, ${constant('sandbox/guest/headers.js', 'MAX_HEADER_CHARACTERS', 'bytes')}`,
    past: 'an exception in the code',
    tests: ['sandbox/hostile/answers.alone'],
  },
  {
    limit: 'timers of a request, besides its calls',
    default: constant('src/sandbox-supervisor/guest-calls.ts', 'MAX_TIMERS'),
    past: 'an exception in the code',
    tests: ['sandbox/hostile/answers.alone', 'sandbox-supervisor/guest-calls'],
  },
  {
    limit: 'calls of `bcrypt` at a time, of one module; bytes of a text; fewest rounds of a new hash',
    default: [
      constant(BCRYPT, 'MAX_ACTIVE_PER_MODULE'),
      constant(BCRYPT, 'MAX_TEXT_BYTES'),
      constant(BCRYPT, 'MIN_NEW_ROUNDS'),
    ].join('; '),
    past: '`ENDPOINT_BUSY`; `BAD_ARGUMENTS`; ten are taken',
    tests: ['capabilities/bcrypt-calls'],
  },
  {
    limit: 'calls of `bcrypt` that wait, of all modules; time that each may wait',
    default: `${constant(HASHER, 'MAX_QUEUE')}; ${constant(HASHER, 'MAX_WAIT_MS')}`,
    past: '`ENDPOINT_BUSY`',
    tests: ['workers/password-hasher'],
  },
  {
    limit: 'arguments of one call of `Model` or `fetch`',
    default: `${constant(EVENTS, 'MAX_ARGUMENT_BYTES', 'bytes')}, ${constant('src/capabilities/guest-call.ts', 'MAX_VALUES')} values`,
    past: 'a `RangeError` in the code for more bytes, `BAD_ARGUMENTS` for more values',
    tests: ['capabilities/guest-call', 'sandbox-supervisor/result-frames'],
  },
  {
    limit: 'arguments of all calls of one time slice together',
    default: `${constant('sandbox/guest-bridge.js', 'CALL_CHARACTERS')} characters`,
    past: 'a `RangeError` in the code',
    tests: ['sandbox/guest-bridge'],
  },
  {
    limit: 'pairs of a query string, of a form, and of `URLSearchParams`',
    default: constant('sandbox/form-text.js', 'MAX_PAIRS'),
    past: 'an exception in the code; a form body is 413 before the code runs',
    tests: ['sandbox/guest/url-search-params', 'lib/json/heap-estimate'],
  },
  {
    limit: 'one text that a helper of the host takes (UTF-8, base64, digests); for pairs 1,048,576',
    default: `${constant('sandbox/guest/request.js', 'LONGEST_ASKED')} characters`,
    past: 'a `RangeError` in the code',
    tests: ['lib/json/heap-estimate'],
  },
  {
    limit: 'processor time in such helpers, in one call into an isolate',
    default: `a quarter of the time limit of the call, ${constant('sandbox/bridge-time.js', 'MAX_MS', 'ms')} at most`,
    past: 'an exception in the code',
    tests: ['sandbox/bridge-time', 'sandbox/guest-bridge'],
  },
  {
    limit: 'text of all requests of a synchronous module that share one call into the isolate',
    default: constant('sandbox/request-texts.js', 'SHARED_BYTES', 'bytes'),
    past: 'the next ones have a call of their own',
    tests: ['sandbox/request-runner', 'sandbox/shared-entries'],
  },
  {
    limit: 'what idle isolates of other modules hold in a host, together with `heapMb` of the one that runs',
    default: `${constant('sandbox/loaded-modules.js', 'SHARED_MB')} MB, or ${constant('sandbox/loaded-modules.js', 'MIN_IDLE_MB')} MB besides a larger heap`,
    past: 'those that hold most are disposed of',
    tests: ['sandbox/loaded-modules'],
  },
  {
    limit: 'requests that wait, and how long',
    default: `${constant(QUEUE, 'MAX_WAITING')}, for ${constant(QUEUE, 'MAX_WAIT_MS', 'ms')}; up to ${constant(QUEUE, 'MAX_STREAM_WAITING')} where the module answers within milliseconds`,
    past: '503 `ENDPOINT_BUSY`',
    tests: [
      'sandbox-supervisor/supervisor-queues.full',
      'sandbox-supervisor/scheduler',
      'sandbox-supervisor/module-queue',
    ],
  },
  {
    limit: 'text of all requests that are in flight in one host, two bytes a character',
    default: 'a quarter of `heapMb`',
    past: 'the next ones wait for another host; a larger request is in flight alone',
    tests: ['sandbox-supervisor/module-queue', 'sandbox-supervisor/host-selection'],
  },
  {
    limit: 'time for which requests run alone, after a loss that several may have caused',
    default: constant(TUNING, 'ALONE_MS', 'ms'),
    past: 'they share hosts again',
    tests: ['sandbox-supervisor/module-queue', 'sandbox-supervisor/scheduler'],
  },
  {
    limit: 'values in the result of a hook of a write, `limits.jsonValues`',
    default: setting('limits.jsonValues'),
    past: '400 that names the hook',
    tests: ['hooks/hook-result'],
  },
  {
    limit: 'values in the result of a hook of a read',
    default: constant('src/hooks/hook-result.ts', 'MAX_READ_VALUES'),
    past: '400 that names the hook',
    tests: ['hooks/hook-result'],
  },
  {
    limit: 'results of hooks in memory: of one request; of all requests together',
    default: `${constant('src/hooks/hook-result.ts', 'HOOK_RESULT_LIMITS.request', 'bytes')}; ${constant('src/hooks/hook-result.ts', 'HOOK_RESULT_LIMITS.server', 'bytes')}`,
    past: '400 that names the hook; 503 `ENDPOINT_BUSY`',
    tests: ['hooks/hook-result'],
  },
  {
    limit: 'hosts, `sandbox.maxHosts`',
    default: setting('sandbox.maxHosts'),
    past: 'requests wait, then 503 `ENDPOINT_BUSY`',
    tests: ['sandbox-supervisor/host-pool', 'sandbox-supervisor/host-selection'],
  },
  {
    limit: 'private memory of a host, `sandbox.hostMemoryMb`',
    default: setting('sandbox.hostMemoryMb'),
    past: '502 `ENDPOINT_MEMORY` or `ENDPOINT_CRASHED`; the host is gone',
    tests: ['sandbox-supervisor/supervisor-crashes.full', 'sandbox-supervisor/isolation/self-test.full'],
  },
  {
    limit: 'processor time of a host in its whole life (`ulimit -t`)',
    default: `${constant('src/sandbox-supervisor/isolation/host-privileges.ts', 'MAX_CPU_SECONDS')} s`,
    past: 'the kernel ends it; the server replaces hosts long before',
    tests: ['sandbox-supervisor/isolation/launcher.full'],
  },
  {
    limit: 'age of a host',
    default: constant('src/sandbox-supervisor/host-pool.ts', 'MAX_AGE_MS', 'minutes'),
    past: 'it is replaced once it is idle',
    tests: ['sandbox-supervisor/host-pool'],
  },
  {
    limit: 'threads of a host that has a user of its own',
    default: constant('src/sandbox-supervisor/isolation/host-privileges.ts', 'MAX_THREADS'),
    past: 'the kernel rejects more',
    tests: ['sandbox-supervisor/isolation/launcher.full'],
  },
  {
    limit:
      'what a host sends apart from bodies: message, stack, line of a log, headers of an answer, list of errors',
    default: `${['errorMessage', 'stack', 'logMessage', 'headers', 'errorList'].map((name) => constant(EVENTS, `MAX_EVENT_CHARACTERS.${name}`)).join('; ')} characters`,
    past: 'the host is killed',
    tests: [
      'sandbox-supervisor/protocol/host-messages',
      'sandbox-supervisor/protocol/guest-events',
      'sandbox-supervisor/host-connection',
    ],
  },
  {
    limit: 'one frame of a host',
    default: constant('src/sandbox-supervisor/host-connection.ts', 'MAX_RAW_BYTES', 'bytes'),
    past: 'the host is killed',
    tests: ['sandbox-supervisor/host-connection'],
  },
  {
    limit: `answers over ${constant(TUNING, 'LARGE_RESULT_BYTES', 'bytes')} of one module`,
    default: `${constant(TUNING, 'BYTES_PER_MS', 'bytes')} a millisecond`,
    past: 'its next requests wait, others go first',
    tests: ['sandbox-supervisor/module-queue'],
  },
  {
    limit: 'process exits that code of one module caused',
    default: `${constant(STATES, 'MAX_PROCESS_ENDS')} in ${constant(STATES, 'ENDS_WINDOW_MS', 'minutes')}`,
    past: '503 `ENDPOINT_SUSPENDED`',
    tests: ['modules/circuit-breaker'],
  },
];
