// Modules and a sandbox that are plain functions, for tests of what hooks make of them.

import type { HookTask } from '../../src/collections/hooks/document-hooks.ts';
import { FULL_ACCESS } from '../../src/collections/model/access.ts';
import type { CollectionSettings } from '../../src/collections/model/collection.ts';
import { createResultQuotas, HOOK_RESULT_LIMITS } from '../../src/hooks/hook-result.ts';
import type { RunHookDeps } from '../../src/hooks/run-hook.ts';
import type { Json } from '../../src/lib/json/json.ts';
import type { LiveModule } from '../../src/modules/model/module-types.ts';
import type {
  GuestLogRecord,
  InvocationRequest,
  InvocationResult,
} from '../../src/sandbox-supervisor/model/sandbox.ts';
import { ADMIN_CLIENT, collection } from '../http/fixtures.ts';
import { createModuleVersion } from '../modules/module-versions.ts';

type Run = (obj: Json, job: InvocationRequest) => InvocationResult | Promise<InvocationResult>;

export interface StandIn {
  readonly deps: RunHookDeps;
  /** By name; set one to let a hook exist. */
  readonly hooks: Map<string, Run>;
  /** What differs from an active module. */
  readonly modules: Map<string, Partial<LiveModule>>;
  readonly jobs: InvocationRequest[];
  readonly logs: [unit: string, requestId: string, record: GuestLogRecord][];
  readonly origins: unknown[];
  readonly clock: { time: number };
}

export const result = (value: Json | undefined): InvocationResult => ({
  kind: 'result',
  json: value === undefined ? undefined : JSON.stringify(value),
});

export const thrown = (message: string, code?: string): InvocationResult => ({
  kind: 'failure',
  code: 'ENDPOINT_ERROR',
  message: `for the log: ${message}`,
  stack: 'at line 1',
  thrown: { message, ...(code === undefined ? {} : { code }) },
});

function hookModule(name: string, more: Partial<LiveModule> = {}): LiveModule {
  return {
    address: { kind: 'hook', name },
    path: `/api/hooks/${name}`,
    state: 'active',
    methods: [],
    authenticate: true,
    moduleVersion: { ...createModuleVersion(`hook:${name}`), kind: 'hook' },
    postedBy: 'boss',
    postedAt: 1000,
    ...more,
  };
}

export function standIn(options: { readonly enabled?: boolean } = {}): StandIn {
  const { enabled = true } = options;
  const hooks: StandIn['hooks'] = new Map();
  const modules: StandIn['modules'] = new Map();
  const jobs: InvocationRequest[] = [];
  const logs: StandIn['logs'] = [];
  const origins: unknown[] = [];
  const clock = { time: 1000 };
  const nothing = () => undefined;
  const deps: RunHookDeps = {
    modules: {
      registry: {
        match: nothing,
        list: () => [],
        get: (address) =>
          hooks.has(address.name) ? hookModule(address.name, modules.get(address.name)) : undefined,
      },
      log: (unit, requestId, record) => void logs.push([unit.id, requestId, record]),
    },
    sandbox: {
      invoke: async (job) => {
        jobs.push(job);
        const run = hooks.get(job.moduleVersion.id.slice('hook:'.length));
        return run === undefined ? result(undefined) : run(JSON.parse(job.body), job);
      },
    },
    capabilities: {
      perform: async (_call, context) => {
        if (!origins.includes(context)) origins.push(context);
        return { ok: true, text: '1' };
      },
    },
    encodeRequest: (unit, { method, url, client }) =>
      JSON.stringify({ for: unit.id, method, url, client: client?.clientId ?? null }),
    enabled,
    now: () => clock.time,
    pause: async (ms) => {
      clock.time += ms;
    },
  };
  return { deps, hooks, modules, jobs, logs, origins, clock };
}

/** A task of the books, whose hooks are named by `hooks`. */
export function taskOf(hooks: CollectionSettings['hooks'], more: Partial<HookTask> = {}): HookTask {
  return {
    event: 'beforeCreate',
    collection: { ...collection('books', { settings: { hooks } }), source: { fields: { title: {} } } },
    context: {
      caller: { clientId: 'boss', access: () => FULL_ACCESS },
      deadline: 6000,
      origin: {
        requestId: 'r1',
        client: ADMIN_CLIENT,
        http: {
          method: 'POST',
          url: '/1.0/library/books?x=1',
          headers: {},
          ip: '10.0.0.1',
          client: ADMIN_CLIENT,
        },
      },
    },
    until: 31_000,
    resultHandling: { quota: createResultQuotas(HOOK_RESULT_LIMITS)(), validate: () => undefined },
    ...more,
  };
}
