// A request becomes a job of the sandbox, and the job's outcome an answer or an error in the one envelope.

import type { Capabilities } from '../capabilities/capabilities.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import type { EndpointMatch, LiveModule, ModuleService } from '../modules/model/types.ts';
import type { ModuleVersion } from '../sandbox-supervisor/module-version.ts';
import type {
  FailureCode,
  GuestLog,
  InvocationRequest,
  InvocationResult,
  Sandbox,
} from '../sandbox-supervisor/sandbox.ts';
import { createRequestView } from './request-view.ts';
import { createResponseView } from './response-view.ts';
import type { EndpointCalls, EndpointRequest, EndpointResponse } from './types.ts';

type Answer = Extract<InvocationResult, { readonly kind: 'response' }>;

interface EndpointCallsDeps {
  readonly sandbox: Pick<Sandbox, 'run'>;
  readonly modules: Pick<ModuleService, 'log'>;
  /** What the policies grant beyond answering. */
  readonly capabilities: Capabilities;
  /** `sandbox.enabled` of the configuration. */
  readonly enabled: boolean;
}

/** Seconds after which repeating a request may help. */
const RETRY_SECONDS: ReadonlyMap<ErrorCode, number> = new Map([
  ['ENDPOINT_BUSY', 1],
  ['ENDPOINT_RATE_LIMITED', 60],
  ['ENDPOINT_SUSPENDED', 60],
  ['SANDBOX_DISABLED', 60],
]);
/** Failures that say nothing about the code: its log is not filled with them. */
const UNLOGGED_ERRORS: ReadonlySet<FailureCode> = new Set([
  'ENDPOINT_BUSY',
  'ENDPOINT_RATE_LIMITED',
  'ENDPOINT_SUSPENDED',
  'SANDBOX_DISABLED',
]);

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

function unavailableError(code: ErrorCode, message?: string): AppError {
  const seconds = RETRY_SECONDS.get(code);
  const shown = message === undefined ? {} : { message };
  const headers = seconds === undefined ? {} : { headers: { 'Retry-After': String(seconds) } };
  return new AppError(code, { ...shown, ...headers });
}

/** Value of the `Allow` header: HEAD comes with GET, OPTIONS always. */
export function allowedMethods({ methods }: LiveModule): string {
  const implied = methods.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  return [...new Set([...methods, ...implied])].join(', ');
}

const handlesMethod = ({ methods }: LiveModule, method: string) =>
  methods.includes(method) || (method === 'HEAD' && methods.includes('GET'));

/** What `next(error)` asked for: its status, nothing of its text. */
function nextError(endpoint: LiveModule, status = 500): AppError {
  const message = status < 500 ? { message: 'The endpoint refused the request' } : {};
  // RFC 9110 15.5.2 and 15.5.6 demand these beside the status.
  if (status === 401) return new AppError('ENDPOINT_ERROR', { status, ...message, headers: CHALLENGE });
  const headers: Record<string, string> = status === 405 ? { Allow: allowedMethods(endpoint) } : {};
  return new AppError('ENDPOINT_ERROR', { status, ...message, headers });
}

function errorLogRecord({
  message,
  stack,
}: Extract<InvocationResult, { readonly kind: 'failure' }>): GuestLog {
  return { level: 'error', message, ...(stack === undefined ? {} : { stack }) };
}

/** What an outcome comes to when it is no answer. The texts go to the log of the module, to nobody else. */
function resultError(
  outcome: Exclude<InvocationResult, Answer>,
  job: InvocationRequest,
  endpoint: LiveModule,
): AppError {
  switch (outcome.kind) {
    case 'next':
      if (outcome.error === undefined) return new AppError('NOT_FOUND');
      job.log({ level: 'error', message: outcome.error.message });
      return nextError(endpoint, outcome.error.statusCode);
    case 'failure':
      if (!UNLOGGED_ERRORS.has(outcome.code)) job.log(errorLogRecord(outcome));
      return unavailableError(outcome.code, outcome.shown);
    case 'result':
      // Only hooks return results.
      return new AppError('ENDPOINT_ERROR');
  }
}

/** Makes what turns requests into jobs of the sandbox, and its outcomes into answers. */
export function createEndpointCalls(deps: EndpointCallsDeps): EndpointCalls {
  const { sandbox, modules, capabilities, enabled } = deps;
  const requestView = createRequestView();
  const responseView = createResponseView();

  const refusal = (endpoint: LiveModule, method: string): AppError | undefined => {
    if (!enabled) return unavailableError('SANDBOX_DISABLED');
    if (endpoint.state !== 'active' || endpoint.moduleVersion === undefined)
      return unavailableError('ENDPOINT_SUSPENDED');
    if (handlesMethod(endpoint, method)) return undefined;
    return new AppError('METHOD_NOT_ALLOWED', { headers: { Allow: allowedMethods(endpoint) } });
  };

  const jobOf = (unit: ModuleVersion, match: EndpointMatch, request: EndpointRequest): InvocationRequest => {
    const { client, requestId } = request;
    return {
      unit,
      head: requestView(unit, request, match.params),
      body: request.body.text,
      serve: (call, signal) => capabilities.forRequest({ unit, client, requestId })(call, signal),
      log: (record) => modules.log(unit, requestId, record),
    };
  };

  const settle = (
    job: InvocationRequest,
    endpoint: LiveModule,
    method: string,
    outcome: InvocationResult,
  ): EndpointResponse => {
    if (outcome.kind !== 'response') throw resultError(outcome, job, endpoint);
    const { response, dropped } = responseView(job.unit, method, outcome);
    if (dropped.length > 0) {
      job.log({ level: 'warn', message: `headers without a grant dropped: ${dropped.join(', ')}` });
    }
    return response;
  };

  return {
    findError: refusal,
    call(match, request) {
      const { endpoint } = match;
      const { moduleVersion: unit } = endpoint;
      const refused = refusal(endpoint, request.method);
      if (refused !== undefined || unit === undefined) {
        return Promise.reject(refused ?? unavailableError('ENDPOINT_SUSPENDED'));
      }
      const job = jobOf(unit, match, request);
      return sandbox.run(job).then((outcome) => settle(job, endpoint, request.method, outcome));
    },
  };
}
