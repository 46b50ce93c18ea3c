// One run of one hook in the sandbox: from JSON text to JSON text.

import type { HookTask } from '../collections/hooks/document-hooks.ts';
import type { HookUse } from '../collections/model/hook-events.ts';
import type { EndpointRequest } from '../endpoints/types.ts';
import { unscannedJsonFitsHeap } from '../lib/json/heap-estimate.ts';
import type { LiveModule, ModuleService } from '../modules/model/types.ts';
import type { ModuleVersion } from '../sandbox-supervisor/module-version.ts';
import type {
  HostCall,
  HostCallResult,
  InvocationRequest,
  InvocationResult,
  Sandbox,
} from '../sandbox-supervisor/sandbox.ts';
import { createHookCallEncoder, type RequestView } from './hook-call.ts';
import { hookError, hookResultError, hookUnavailableError, sandboxError } from './hook-errors.ts';

type Serve = (call: HostCall, signal: AbortSignal) => Promise<HostCallResult>;

export interface RunHookDeps {
  readonly modules: Pick<ModuleService, 'registry' | 'log'>;
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** What the policies grant beyond a result. Asked only once a hook asks for something. */
  readonly capabilities: {
    forRequest(origin: {
      readonly unit: ModuleVersion;
      readonly client: EndpointRequest['client'];
      readonly requestId: string;
      readonly depth: number;
      readonly deadline: number;
    }): Serve;
  };
  readonly requestView: RequestView;
  /** `sandbox.enabled` of the configuration. */
  readonly enabled: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Resolves after so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
}

/** Resolves with the JSON text that the hook returned, undefined when it returned nothing. */
export type RunHook = (use: HookUse, task: HookTask, obj: string) => Promise<string | undefined>;

const STATUS_MESSAGES: Readonly<Record<Exclude<LiveModule['state'], 'active'>, string>> = {
  suspended: 'is suspended',
  broken: 'cannot be loaded',
  pending: 'waits for approval',
};

/** Milliseconds until a busy hook is asked again. */
const BUSY_RETRY_MS = 50;

const isBusy = (outcome: InvocationResult) => outcome.kind === 'failure' && outcome.code === 'ENDPOINT_BUSY';

function exceedsBytes(head: string, body: string, most: number): boolean {
  // Three bytes are the most that a character of UTF-16 takes.
  if ((head.length + body.length) * 3 <= most) return false;
  return Buffer.byteLength(head) + Buffer.byteLength(body) > most;
}

/** Makes the function that runs one hook. It throws what the client is to be told. */
export function createRunHook(deps: RunHookDeps): RunHook {
  const { modules, sandbox, capabilities, enabled, now, pause } = deps;
  const headOf = createHookCallEncoder(deps.requestView);

  const unitOf = (name: string): ModuleVersion => {
    if (!enabled) throw sandboxError('SANDBOX_DISABLED');
    const live = modules.registry.get({ kind: 'hook', name });
    if (live === undefined) throw hookUnavailableError(name, 'does not exist');
    if (live.state !== 'active') throw hookUnavailableError(name, STATUS_MESSAGES[live.state]);
    if (live.moduleVersion === undefined) throw hookUnavailableError(name, STATUS_MESSAGES.broken);
    return live.moduleVersion;
  };

  const jobOf = (
    unit: ModuleVersion,
    head: string,
    body: string,
    { context, until }: HookTask,
  ): InvocationRequest => {
    const { origin, depth = 0 } = context;
    const requestId = origin?.requestId ?? '';
    const client = origin?.client ?? null;
    let serve: Serve | undefined;
    return {
      unit,
      head,
      body,
      serve: (call, signal) => {
        serve ??= capabilities.forRequest({ unit, client, requestId, depth, deadline: until });
        return serve(call, signal);
      },
      log: (record) => modules.log(unit, requestId, record),
    };
  };

  const run = async (
    job: InvocationRequest,
    { patient, until, isOver }: HookTask,
  ): Promise<InvocationResult> => {
    let outcome = await sandbox.run(job);
    while (patient === true && isBusy(outcome) && now() < until) {
      await pause(BUSY_RETRY_MS);
      // What is left of a refused request would fill the queue of the hook for nothing.
      if (isOver?.() === true) break;
      outcome = await sandbox.run(job);
    }
    return outcome;
  };

  const resultOf = (outcome: InvocationResult, name: string, { index }: HookTask): string | undefined => {
    if (outcome.kind === 'failure') throw hookResultError(name, outcome, index);
    if (outcome.kind !== 'result') throw hookError(name, 'answered as an endpoint does', { index });
    if (outcome.json?.trim() === 'null') throw hookError(name, 'returned null', { index });
    return outcome.json;
  };

  return async (use, task, obj) => {
    const { name } = use;
    const { index } = task;
    const unit = unitOf(name);
    if (task.isOver?.() === true) throw hookError(name, 'was not begun: the request is over', { index });
    if (now() >= task.until) {
      throw hookError(name, 'was not begun: the hooks of this request take too long together', { index });
    }
    const head = headOf(unit, use, task);
    if (exceedsBytes(head, obj, unit.policy.grants.request.maxBodyBytes)) {
      throw hookError(name, 'would get more than `maxBodyBytes` of its policy', { index });
    }
    // Whoever writes the document must not be able to end the processes of the hook until it is suspended.
    const { heapMb } = unit.policy.limits;
    if (!(await unscannedJsonFitsHeap(head, heapMb)) || !(await unscannedJsonFitsHeap(obj, heapMb))) {
      throw hookError(name, 'would get more than fits into its memory', { index });
    }
    const job = jobOf(unit, head, obj, task);
    const outcome = await run(job, task);
    if (outcome.kind === 'failure' && outcome.code === 'ENDPOINT_ERROR') {
      const { message, stack } = outcome;
      job.log({ level: 'error', message, ...(stack === undefined ? {} : { stack }) });
    }
    return resultOf(outcome, name, task);
  };
}
