// One call of an endpoint: `accept` authorizes the matched request before its body is read, `run` invokes the module with the
// request as text and turns the result into a response or an error. Behind them: how results become errors, and what hooks are told
// of the request.

import { decideEndpoint } from '../auth/access/permissions.ts';
import { missingTokenError, notPermittedError } from '../auth/auth-errors.ts';
import type { Client } from '../auth/clients/client.ts';
import type { Capabilities } from '../capabilities/capabilities.ts';
import { type HookRequest, maxHookBodyCharacters } from '../collections/model/documents.ts';
import { AppError, StoreError } from '../errors/errors.ts';
import { isJsonObject } from '../lib/json/json.ts';
import type { EndpointMatch, LiveModule, ModuleService } from '../modules/model/module-types.ts';
import type { ModuleVersion } from '../sandbox-supervisor/model/module-version.ts';
import type {
  GuestLogRecord,
  InvocationErrorCode,
  InvocationRequest,
  InvocationResult,
  PassedError,
  Sandbox,
} from '../sandbox-supervisor/model/sandbox.ts';
import {
  createRequestEncoder,
  createResponseFilter,
  type EndpointRequest,
  type EndpointResponse,
  pairsText,
} from './messages.ts';

/** What is known of a request before its body is read. */
interface EndpointCaller {
  /** Upper case. */
  readonly method: string;
  /** Path without the query, for the realm of a `WWW-Authenticate` header. */
  readonly path: string;
  readonly client: Client | null;
}

/** A call that was accepted: the module version that runs, whatever is posted while the body is read. */
export interface EndpointCall {
  readonly endpoint: LiveModule;
  readonly moduleVersion: ModuleVersion;
  readonly params: EndpointMatch['params'];
}

export interface EndpointCalls {
  /**
   * Accepts a call before its body is read. Throws NO_TOKEN or NOT_PERMITTED, StoreError `unavailable` until the server is
   * ready, SANDBOX_DISABLED, ENDPOINT_SUSPENDED, METHOD_NOT_ALLOWED.
   */
  accept(match: EndpointMatch, caller: EndpointCaller, isReady: boolean): EndpointCall;
  /** Runs an accepted call. Rejects with an AppError: `ENDPOINT_…`, or NOT_FOUND after `next()`. */
  run(call: EndpointCall, request: EndpointRequest): Promise<EndpointResponse>;
}

interface EndpointCallsDeps {
  readonly sandbox: Pick<Sandbox, 'invoke'>;
  readonly modules: Pick<ModuleService, 'log'>;
  /** Guest calls that the policies grant. */
  readonly capabilities: Capabilities;
  /** `sandbox.enabled` of the configuration. */
  readonly enabled: boolean;
}

/** Errors that the code did not cause: they stay out of its log. */
const UNLOGGED_ERRORS: ReadonlySet<InvocationErrorCode> = new Set([
  'ENDPOINT_BUSY',
  'ENDPOINT_RATE_LIMITED',
  'ENDPOINT_SUSPENDED',
  'SANDBOX_DISABLED',
]);

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

/** Creates the calls of all endpoints. */
export function createEndpointCalls(deps: EndpointCallsDeps): EndpointCalls {
  const { sandbox, modules, capabilities, enabled } = deps;
  const encodeRequest = createRequestEncoder();
  const filterResponse = createResponseFilter();

  return {
    accept({ endpoint, params }, caller, isReady) {
      assertAuthorized(endpoint, caller);
      if (!isReady) throw new StoreError('unavailable');
      if (!enabled) throw new AppError('SANDBOX_DISABLED');
      const { state, moduleVersion } = endpoint;
      if (state !== 'active' || moduleVersion === undefined) throw new AppError('ENDPOINT_SUSPENDED');
      if (!handlesMethod(endpoint, caller.method)) throw methodError(endpoint);
      return { endpoint, moduleVersion, params };
    },

    async run({ endpoint, moduleVersion, params }, request) {
      const { client, requestId, method, body } = request;
      const log = (record: GuestLogRecord) => modules.log(moduleVersion, requestId, record);
      const ownRequest = () => toHookRequest(request, params);
      const outages = watchOutages((call, signal) =>
        capabilities.perform(call, { moduleVersion, client, requestId, ownRequest }, signal),
      );
      const result = await sandbox.invoke({
        moduleVersion,
        head: encodeRequest(moduleVersion, request, params),
        body: body.text,
        performGuestCall: outages.perform,
        log,
      });
      if (result.kind !== 'response') {
        logError(result, log);
        throw outages.errorOf(result) ?? toError(result, endpoint);
      }
      const { response, dropped } = filterResponse(moduleVersion, method, result);
      if (dropped.length > 0) {
        log({ level: 'warn', message: `headers without a grant dropped: ${dropped.join(', ')}` });
      }
      return response;
    },
  };
}

function assertAuthorized(
  { address, authenticate }: LiveModule,
  { client, method, path }: EndpointCaller,
): void {
  if (address.kind !== 'endpoint') throw new AppError('NOT_FOUND');
  const { apiVersion: version, name } = address;
  const decision = decideEndpoint(client, { version, name, authenticate }, method);
  if (decision === 'no-token') throw missingTokenError();
  if (decision !== 'ok') throw notPermittedError(path);
}

const handlesMethod = ({ methods }: LiveModule, method: string) =>
  methods.includes(method) || (method === 'HEAD' && methods.includes('GET'));

/** Value of the `Allow` header: HEAD comes with GET, OPTIONS always. */
function allowedMethods({ methods }: LiveModule): string {
  const implied = methods.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  return [...new Set([...methods, ...implied])].join(', ');
}

function methodError(endpoint: LiveModule): AppError {
  return new AppError('METHOD_NOT_ALLOWED', { headers: { Allow: allowedMethods(endpoint) } });
}

type ErrorResult = Exclude<InvocationResult, { readonly kind: 'response' }>;

/** Writes the texts of an error to the log of the module: the client never sees them. */
function logError(result: ErrorResult, log: (record: GuestLogRecord) => void): void {
  if (result.kind === 'next' && result.error !== undefined) {
    log({ level: 'error', message: result.error.message });
  }
  if (result.kind === 'failure' && !UNLOGGED_ERRORS.has(result.code)) {
    const { message, stack } = result;
    log({ level: 'error', message, ...(stack === undefined ? {} : { stack }) });
  }
}

function toError(result: ErrorResult, endpoint: LiveModule): AppError {
  if (result.kind === 'failure') {
    const { code, shown: message } = result;
    return new AppError(code, message === undefined ? {} : { message });
  }
  // Only hooks return results.
  if (result.kind === 'result') return new AppError('ENDPOINT_ERROR');
  return result.error === undefined ? new AppError('NOT_FOUND') : nextError(endpoint, result.error);
}

/** The error after `next(error)`: its status, and below 500 its list of errors; nothing else of its text. */
function nextError(endpoint: LiveModule, { statusCode: status = 500, items }: PassedError): AppError {
  const listed = items === undefined ? { message: 'The endpoint refused the request' } : { items };
  const shown = status < 500 ? listed : {};
  // RFC 9110 15.5.2 and 15.5.6 demand these beside the status.
  if (status === 401) return new AppError('ENDPOINT_ERROR', { status, ...shown, headers: CHALLENGE });
  const headers: Record<string, string> = status === 405 ? { Allow: allowedMethods(endpoint) } : {};
  return new AppError('ENDPOINT_ERROR', { status, ...shown, headers });
}

type Perform = InvocationRequest['performGuestCall'];

const OUTAGE_CODES = ['STORE_UNAVAILABLE', 'QUERY_TIMEOUT', 'STORE_BUSY'] as const;

interface OutageWatch {
  readonly perform: Perform;
  /** The error for the client where the code ended with that of such a call; undefined otherwise. */
  errorOf(result: InvocationResult): AppError | undefined;
}

/**
 * Watches the guest calls of one request for those that fail because the database is away or overloaded. That code does not catch
 * such an error is no fault of it, and the client should repeat the request.
 */
export function watchOutages(perform: Perform): OutageWatch {
  let seen: { readonly code: (typeof OUTAGE_CODES)[number]; readonly message: string } | undefined;
  const note = (text: string) => {
    const error: unknown = JSON.parse(text);
    if (!isJsonObject(error)) return;
    const code = OUTAGE_CODES.find((known) => known === error['code']);
    if (code !== undefined) seen = { code, message: String(error['message']) };
  };
  return {
    async perform(call, signal) {
      const result = await perform(call, signal);
      if (!result.ok) note(result.text);
      return result;
    },
    errorOf(result) {
      const isUncaught = result.kind === 'failure' && result.code === 'ENDPOINT_ERROR';
      if (!isUncaught || seen === undefined || !result.message.includes(seen.message)) return undefined;
      return new AppError(seen.code);
    },
  };
}

/** The request as hooks are told of it where the code passes it on to `Model`. */
function toHookRequest(request: EndpointRequest, params: EndpointCall['params']): HookRequest {
  const { method, url, headers, ip, client } = request;
  const body = hookBodyText(request.body);
  return { method, url, headers, ip, client, params, ...(body !== undefined && { body }) };
}

/** JSON text of what the endpoint has as `req.body`; undefined for a body that is too long for hooks. */
function hookBodyText({ type, text }: EndpointRequest['body']): string | undefined {
  if (type === 'none') return '{}';
  const max = maxHookBodyCharacters(type === 'json' && text.trimStart().startsWith('['));
  if (text.length > max) return undefined;
  // Of JSON the server has checked the form already.
  if (type === 'json') return text;
  const body = type === 'form' ? pairsText(text) : JSON.stringify(text);
  return body.length > max ? undefined : body;
}
