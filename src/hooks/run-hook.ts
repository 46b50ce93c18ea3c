// One run of one hook in the sandbox: from JSON text to JSON text.
import type { HookUse } from '../collections/hook-events.ts';
import type { HookTask } from '../collections/hooks.ts';
import type { EndpointRequest } from '../endpoints/calls.ts';
import type { LiveModule, ModuleService } from '../endpoints/modules.ts';
import type { HostAnswer, HostCall, Job, Outcome, Sandbox } from '../endpoints/sandbox.ts';
import type { Unit } from '../endpoints/unit.ts';
import { jsonTextFits } from '../lib/body-weight.ts';
import { createHookCall, type RequestView } from './hook-call.ts';
import { failedRun, refusalOf, refusedBy, unavailable } from './hook-failure.ts';

type Serve = (call: HostCall, signal: AbortSignal) => Promise<HostAnswer>;

export interface RunDeps {
  readonly modules: Pick<ModuleService, 'registry' | 'log'>;
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** What the policies grant beyond a result. Asked only once a hook asks for something. */
  readonly capabilities: {
    forRequest(origin: {
      readonly unit: Unit;
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

const NOT_RUNNING: Readonly<Record<Exclude<LiveModule['state'], 'active'>, string>> = {
  suspended: 'is suspended',
  broken: 'cannot be loaded',
  pending: 'waits for approval',
};

/** Milliseconds until a busy hook is asked again. */
const BUSY_MS = 50;

const isBusy = (outcome: Outcome) => outcome.kind === 'failure' && outcome.code === 'ENDPOINT_BUSY';

function isTooMuch(head: string, body: string, most: number): boolean {
  // Three bytes are the most that a character of UTF-16 takes.
  if ((head.length + body.length) * 3 <= most) return false;
  return Buffer.byteLength(head) + Buffer.byteLength(body) > most;
}

/** Makes the function that runs one hook. It throws what the client is to be told. */
export function createRunHook(deps: RunDeps): RunHook {
  const { modules, sandbox, capabilities, enabled, now, pause } = deps;
  const headOf = createHookCall(deps.requestView);

  const unitOf = (name: string): Unit => {
    if (!enabled) throw refusalOf('SANDBOX_DISABLED');
    const live = modules.registry.get({ kind: 'hook', name });
    if (live === undefined) throw unavailable(name, 'does not exist');
    if (live.state !== 'active') throw unavailable(name, NOT_RUNNING[live.state]);
    if (live.unit === undefined) throw unavailable(name, NOT_RUNNING.broken);
    return live.unit;
  };

  const jobOf = (unit: Unit, head: string, body: string, { context, until }: HookTask): Job => {
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

  const run = async (job: Job, { patient, until, isOver }: HookTask): Promise<Outcome> => {
    let outcome = await sandbox.run(job);
    while (patient === true && isBusy(outcome) && now() < until) {
      await pause(BUSY_MS);
      // What is left of a refused request would fill the queue of the hook for nothing.
      if (isOver?.() === true) break;
      outcome = await sandbox.run(job);
    }
    return outcome;
  };

  const resultOf = (outcome: Outcome, name: string, { index }: HookTask): string | undefined => {
    if (outcome.kind === 'failure') throw failedRun(name, outcome, index);
    if (outcome.kind !== 'result') throw refusedBy(name, 'answered as an endpoint does', { index });
    if (outcome.json?.trim() === 'null') throw refusedBy(name, 'returned null', { index });
    return outcome.json;
  };

  return async (use, task, obj) => {
    const { name } = use;
    const { index } = task;
    const unit = unitOf(name);
    if (task.isOver?.() === true) throw refusedBy(name, 'was not begun: the request is over', { index });
    if (now() >= task.until) {
      throw refusedBy(name, 'was not begun: the hooks of this request take too long together', { index });
    }
    const head = headOf(unit, use, task);
    if (isTooMuch(head, obj, unit.policy.grants.request.maxBodyBytes)) {
      throw refusedBy(name, 'would get more than `maxBodyBytes` of its policy', { index });
    }
    // Whoever writes the document must not be able to end the processes of the hook until it is suspended.
    const { heapMb } = unit.policy.limits;
    if (!(await jsonTextFits(head, heapMb)) || !(await jsonTextFits(obj, heapMb))) {
      throw refusedBy(name, 'would get more than fits into its memory', { index });
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
