// The HTTP server with posted code behind it, of which only the running is played: each test says how a job ends.

import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import { buildConfig } from '../../../src/config/build-config.ts';
import { createEndpointCalls } from '../../../src/endpoints/call.ts';
import { createContentServer } from '../../../src/http/content-server.ts';
import type { HttpDeps } from '../../../src/http/core/http-deps.ts';
import { createByteQuota } from '../../../src/lib/async/concurrency.ts';
import { createIdSource } from '../../../src/lib/ids.ts';
import type { Json } from '../../../src/lib/json/json.ts';
import type { LiveModule, ModuleService } from '../../../src/modules/model/module-types.ts';
import type { InvocationRequest, InvocationResult } from '../../../src/sandbox-supervisor/model/sandbox.ts';
import { parsed } from '../../helpers/app/app.ts';
import { okResponse } from '../../modules/module-versions.ts';
import { ADMIN_CLIENT, callerOf, USER_CLIENT } from '../fixtures.ts';
import { createShelf, type Shelf } from './fake-modules.ts';

const CLIENTS = new Map([
  ['admin', ADMIN_CLIENT],
  ['user', USER_CLIENT],
  ['reviewer', { ...USER_CLIENT, reviewer: true }],
  ['report-reader', { ...USER_CLIENT, permissions: { endpoints: [{ path: 'report', apiVersion: '1.0' }] } }],
  ['book-reader', { ...USER_CLIENT, permissions: { collections: [{ path: 'report' }] } }],
]);

interface Options {
  readonly endpoints?: readonly LiveModule[];
  readonly hooks?: readonly LiveModule[];
  /** How each job ends; `ok()` unless given. */
  readonly run?: (job: InvocationRequest) => InvocationResult | Promise<InvocationResult>;
  readonly enabled?: boolean;
  /** Is there anybody to approve what waits? */
  readonly hasReviewer?: boolean;
  readonly isReady?: () => boolean;
  readonly config?: Readonly<Record<string, Json>>;
}

interface Asked {
  /** Name of a client above; none asks without a token. */
  readonly as?: string;
  readonly type?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface EndpointApp extends Shelf {
  readonly server: ReturnType<typeof createContentServer>;
  readonly jobs: InvocationRequest[];
  ask(method: string, url: string, asked?: Asked): Promise<Answered>;
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds
  readonly body: any;
}

function depsOf(modules: ModuleService, jobs: InvocationRequest[], options: Options): HttpDeps {
  const { run = () => okResponse(), enabled = true, config = {} } = options;
  const quiet = { error() {}, warn() {}, debug() {}, isLevelEnabled: () => false };
  const sandbox = {
    invoke: async (job: InvocationRequest) => {
      jobs.push(job);
      return run(job);
    },
  };
  const capabilities = {
    perform: async (call: object, origin: object) => ({
      ok: true,
      text: JSON.stringify({ origin, call }),
    }),
  };
  const status = {
    level: 2,
    missing: ['a lock'],
    layers: {},
    selfTest: { state: 'passed', items: [] },
    hosts: { running: 1, busy: 0, spare: 1, max: 16 },
    processes: [{ state: 'spare', memory: 1_000_000, uptime: 5, jit: false }],
    versions: null,
  } as const;
  return {
    config: buildConfig(new Map(Object.entries(config))),
    version: '0.0.0',
    logger: quiet,
    registry: createCollectionRegistry(),
    createCaller: callerOf,
    tokens: {
      peek: (token: string) => CLIENTS.get(token),
      verify: async () => Promise.reject(new Error('unknown token')),
    },
    store: { watch() {} },
    cache: undefined,
    now: Date.now,
    isReady: options.isReady ?? (() => true),
    unsentBytes: createByteQuota(Number.POSITIVE_INFINITY),
    generateId: createIdSource(),
    modules,
    clients: { hasReviewer: async () => options.hasReviewer ?? true },
    calls: createEndpointCalls({ sandbox, modules, capabilities, enabled }),
    sandboxEnabled: enabled,
    sandboxStatus: () => status,
    leakedFiles: () => 0,
    serverReport: async () => ({}),
    deployment: { processes: () => [], isConfirmed: () => true },
    usage: () => ({ calls: 0 }),
  } as unknown as HttpDeps;
}

export function startEndpointApp(options: Options = {}): EndpointApp {
  const jobs: InvocationRequest[] = [];
  const shelf = createShelf([...(options.endpoints ?? []), ...(options.hooks ?? [])]);
  const server = createContentServer(depsOf(shelf.modules, jobs, options));
  return {
    ...shelf,
    server,
    jobs,
    async ask(method, url, { as, type, body, headers } = {}) {
      const answer = await server.inject({
        method: method as 'GET',
        url,
        headers: {
          ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
          ...(type === undefined ? {} : { 'content-type': type }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: body }),
      });
      const { statusCode: status, body: text } = answer;
      return { status, headers: answer.headers, text, body: parsed(text) };
    },
  };
}
