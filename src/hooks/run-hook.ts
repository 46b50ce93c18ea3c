// One invocation of one hook: finds its module version, checks time and size, invokes it, and returns its result as JSON text.

import type { Capabilities } from '../capabilities/capabilities.ts';
import type { InvocationContext } from '../capabilities/model-scope.ts';
import type { HookTask } from '../collections/hooks/document-hooks.ts';
import type { Collection, HookEvent, HookUse } from '../collections/model/collection.ts';
import type { EndpointRequest } from '../endpoints/messages.ts';
import { AppError } from '../errors/errors.ts';
import { unscannedJsonFitsHeap } from '../lib/json/heap-estimate.ts';
import type { LiveModule, ModuleService } from '../modules/model/module-types.ts';
import type { ModuleVersion } from '../sandbox-supervisor/model/module-version.ts';
import type { InvocationRequest, InvocationResult, Sandbox } from '../sandbox-supervisor/model/sandbox.ts';
import { hookError, hookResultError, hookUnavailableError } from './hook-errors.ts';

/** Encodes a request as posted code may see it under the grants of its policy: JSON text. */
type EncodeRequest = (
  moduleVersion: ModuleVersion,
  request: EndpointRequest,
  params: Readonly<Record<string, string>>,
) => string;

/** Requests without a body. */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const NO_BODY: EndpointRequest['body'] = { type: 'none', text: '' };

function listName(event: HookEvent): 'updatedDocs' | 'deletedDocs' | undefined {
  if (event === 'beforeUpdate' || event === 'afterUpdate') return 'updatedDocs';
  return event === 'beforeDelete' || event === 'afterDelete' ? 'deletedDocs' : undefined;
}

/** Creates the function that encodes the call of a hook. */
export function createHookCallEncoder(encodeRequest: EncodeRequest) {
  const schemas = new WeakMap<Collection, string>();
  const schemaOf = (collection: Collection): string => {
    const known = schemas.get(collection) ?? JSON.stringify(collection.source['fields'] ?? {});
    schemas.set(collection, known);
    return known;
  };
  const requestOf = (moduleVersion: ModuleVersion, { context: { origin } }: HookTask): string => {
    if (origin?.http === undefined) return 'null';
    const { requestId, http } = origin;
    return encodeRequest(moduleVersion, { ...http, requestId, body: NO_BODY }, http.params ?? {});
  };
  /** The request with its body, `{}` for none as endpoints have it; without one that is too long, or would not fit. */
  const withBody = (request: string, { context: { origin } }: HookTask, quota: number): string => {
    if (origin?.http === undefined) return request;
    const { method } = origin.http;
    const body = origin.http.body ?? (READS.has(method) ? '{}' : undefined);
    if (body === undefined || body.length > quota) return request;
    return `${request.slice(0, -1)},"body":${body}}`;
  };
  return (moduleVersion: ModuleVersion, use: HookUse, task: HookTask, objectCharacters = 0): string => {
    const { collection, event, documents, previousDocuments } = task;
    const list = listName(event);
    const members = [
      `"collection":${JSON.stringify(collection.name)}`,
      `"schema":${schemaOf(collection)}`,
      ...(use.options === undefined ? [] : [`"options":${JSON.stringify(use.options)}`]),
      ...(list === undefined || documents === undefined ? [] : [`"${list}":[${documents.join(',')}]`]),
      ...(previousDocuments === undefined ? [] : [`"previousDocs":[${previousDocuments.join(',')}]`]),
    ];
    const told = members.join(',');
    // What the hook is about has precedence; a character may be three bytes.
    const quota = moduleVersion.policy.grants.request.maxBodyBytes / 3 - told.length - objectCharacters;
    const request = withBody(requestOf(moduleVersion, task), task, quota);
    return `{"type":"${event}","data":{${told},"req":${request}}}`;
  };
}

export interface RunHookDeps {
  readonly modules: Pick<ModuleService, 'registry' | 'log'>;
  readonly sandbox: Pick<Sandbox, 'invoke'>;
  /** Guest calls that the policies grant. Used from the first guest call of a hook. */
  readonly capabilities: Capabilities;
  readonly encodeRequest: EncodeRequest;
  /** `sandbox.enabled` of the configuration. */
  readonly enabled: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Resolves after so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
}

/** Resolves with the JSON text that the hook returned, undefined when it returned nothing. */
export type RunHook = (use: HookUse, task: HookTask, object: string) => Promise<string | undefined>;

const STATUS_MESSAGES: Readonly<Record<Exclude<LiveModule['state'], 'active'>, string>> = {
  suspended: 'is suspended',
  broken: 'cannot be loaded',
  pending: 'waits for approval',
};

/** Milliseconds until a busy hook is invoked again. */
const BUSY_RETRY_MS = 50;

/** Creates the function that runs one hook. It throws the error for the client. */
export function createRunHook(deps: RunHookDeps): RunHook {
  const { modules, sandbox, capabilities, enabled, now, pause } = deps;
  const encodeHookCall = createHookCallEncoder(deps.encodeRequest);

  const findModuleVersion = (name: string): ModuleVersion => {
    if (!enabled) throw new AppError('SANDBOX_DISABLED');
    const live = modules.registry.get({ kind: 'hook', name });
    if (live === undefined) throw hookUnavailableError(name, 'does not exist');
    if (live.state !== 'active') throw hookUnavailableError(name, STATUS_MESSAGES[live.state]);
    if (live.moduleVersion === undefined) throw hookUnavailableError(name, STATUS_MESSAGES.broken);
    return live.moduleVersion;
  };

  const assertTimeLeft = (name: string, { index, until, isRequestOver }: HookTask): void => {
    if (isRequestOver?.() === true) throw hookError(name, 'was not begun: the request is over', { index });
    if (now() < until) return;
    throw hookError(name, 'was not begun: the hooks of this request take too long together', { index });
  };

  /** The guest calls of one invocation. Its context is made at the first: most hooks make none. */
  const guestCallsOf = (
    moduleVersion: ModuleVersion,
    { collection, context, until }: HookTask,
  ): InvocationRequest['performGuestCall'] => {
    const { origin, callDepth: depth = 0, hookWrites: reportsTo } = context;
    const client = origin?.client ?? null;
    const requestId = origin?.requestId ?? '';
    let made: InvocationContext | undefined;
    return (call, signal) => {
      made ??= {
        moduleVersion,
        client,
        requestId,
        depth,
        deadline: until,
        hookOf: collection.path,
        ...(reportsTo && { reportsTo }),
        ownRequest: () => origin?.http,
      };
      return capabilities.perform(call, made, signal);
    };
  };

  const invoke = async (
    invocation: InvocationRequest,
    { waitIfBusy, until, isRequestOver }: HookTask,
  ): Promise<InvocationResult> => {
    let result = await sandbox.invoke(invocation);
    while (waitIfBusy === true && isBusy(result) && now() < until) {
      await pause(BUSY_RETRY_MS);
      // The rest of a rejected request must not fill the queue of the hook.
      if (isRequestOver?.() === true) break;
      result = await sandbox.invoke(invocation);
    }
    return result;
  };

  return async (use, task, object) => {
    const { name } = use;
    const { index, context } = task;
    const moduleVersion = findModuleVersion(name);
    assertTimeLeft(name, task);
    const head = encodeHookCall(moduleVersion, use, task, object.length);
    await assertFits(name, moduleVersion, { head, body: object, index });
    const requestId = context.origin?.requestId ?? '';
    const invocation: InvocationRequest = {
      moduleVersion,
      head,
      body: object,
      performGuestCall: guestCallsOf(moduleVersion, task),
      log: (record) => modules.log(moduleVersion, requestId, record),
    };
    const result = await invoke(invocation, task);
    if (result.kind === 'failure' && result.code === 'ENDPOINT_ERROR') {
      const { message, stack } = result;
      invocation.log({ level: 'error', message, ...(stack === undefined ? {} : { stack }) });
    }
    return toJson(result, name, task);
  };
}

const isBusy = (result: InvocationResult) => result.kind === 'failure' && result.code === 'ENDPOINT_BUSY';

interface HookInput {
  readonly head: string;
  readonly body: string;
  readonly index: number | undefined;
}

/** Rejects input above the limits of the policy: authors of documents must not be able to crash a hook until it is suspended. */
async function assertFits(
  name: string,
  { policy: { grants, limits } }: ModuleVersion,
  { head, body, index }: HookInput,
): Promise<void> {
  if (exceedsBytes(head, body, grants.request.maxBodyBytes)) {
    throw hookError(name, 'would get more than `maxBodyBytes` of its policy', { index });
  }
  const { heapMb } = limits;
  if ((await unscannedJsonFitsHeap(head, heapMb)) && (await unscannedJsonFitsHeap(body, heapMb))) return;
  throw hookError(name, 'would get more than fits into its memory', { index });
}

function exceedsBytes(head: string, body: string, maxBytes: number): boolean {
  // A UTF-16 unit takes at most three bytes in UTF-8.
  if ((head.length + body.length) * 3 <= maxBytes) return false;
  return Buffer.byteLength(head) + Buffer.byteLength(body) > maxBytes;
}

function toJson(
  result: InvocationResult,
  name: string,
  { event, index }: Pick<HookTask, 'event' | 'index'>,
): string | undefined {
  if (result.kind === 'failure') throw hookResultError(name, result, { event, index });
  if (result.kind !== 'result') throw hookError(name, 'answered as an endpoint does', { index });
  if (result.json?.trim() === 'null') throw hookError(name, 'returned null', { index });
  return result.json;
}
