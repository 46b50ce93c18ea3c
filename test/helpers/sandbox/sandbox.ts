// Module versions, invocations and sandboxes for tests, and hosts without a process: what is sent to one is kept.

import { onTestFinished } from 'vitest';
import type { ToHost } from '../../../sandbox/protocol.ts';
import { packageRoot } from '../../../src/lib/files/package-files.ts';
import { PendingGuestCalls } from '../../../src/sandbox-supervisor/guest-calls.ts';
import { Host } from '../../../src/sandbox-supervisor/host.ts';
import { Invocation } from '../../../src/sandbox-supervisor/invocation.ts';
import type { IsolationLayers } from '../../../src/sandbox-supervisor/isolation/isolation-levels.ts';
import { createLauncher } from '../../../src/sandbox-supervisor/isolation/launcher.ts';
import type { ModuleLimits, ModuleVersion } from '../../../src/sandbox-supervisor/model/module-version.ts';
import type {
  Incident,
  InvocationRequest,
  InvocationResult,
  SandboxObserver,
} from '../../../src/sandbox-supervisor/model/sandbox.ts';
import { ModuleQueue } from '../../../src/sandbox-supervisor/module-queue.ts';
import { createSupervisor, type SupervisorOptions } from '../../../src/sandbox-supervisor/supervisor.ts';

/** No machine is so slow that it meets these clocks: a test of a limit sets its own. */
const LIMITS: ModuleLimits = {
  cpuMs: 10_000,
  wallMs: 30_000,
  heapMb: 64,
  responseBytes: 1_048_576,
  logBytes: 65_536,
  hostCalls: 50,
  concurrency: 16,
  perMinute: 0,
};

export interface ModuleVersionOptions {
  readonly id?: string;
  readonly limits?: Partial<ModuleLimits>;
  readonly trustDomain?: string;
  readonly kind?: ModuleVersion['kind'];
}

let versions = 0;

/** A new version of a module. */
export function createModuleVersion(
  source: string,
  {
    id = 'endpoint:1.0/test',
    limits = {},
    trustDomain = 'default',
    kind = 'endpoint',
  }: ModuleVersionOptions = {},
): ModuleVersion {
  versions += 1;
  return {
    id,
    kind,
    version: versions,
    sha256: '0'.repeat(64),
    source,
    policy: {
      isolation: 'realm',
      trustDomain,
      limits: { ...LIMITS, ...limits },
      grants: {
        request: { headers: [], maxBodyBytes: 262_144 },
        response: { headers: [] },
        collections: [
          { name: '1.0/library/books', actions: ['find', 'create'], as: 'caller', maxResults: 10 },
        ],
        fetch: [],
        config: {},
        bcrypt: { maxRounds: 0 },
      },
    },
  };
}

const HEAD = {
  method: 'GET',
  url: '/1.0/test',
  path: '/1.0/test',
  params: {},
  query: {},
  headers: {},
  bodyType: 'none',
  client: null,
  ip: '127.0.0.1',
};

/** A request of an endpoint. Guest calls fail unless the test serves them. */
export function invocationRequest(
  moduleVersion: ModuleVersion,
  parts: Partial<InvocationRequest> & { readonly query?: object } = {},
): InvocationRequest {
  const { query = {}, ...job } = parts;
  return {
    moduleVersion,
    head: JSON.stringify({ ...HEAD, query }),
    body: '',
    performGuestCall: async () => ({ ok: false, text: '{"code":"NOT_GRANTED","message":"no"}' }),
    log: () => undefined,
    ...job,
  };
}

/**
 * A request may wait a second for a host, which is as long as a busy machine may stall. Tests of that second have a clock of
 * their own; in all others it lasts longer.
 */
const slowClock = () => performance.now() / 5;

/** As if all layers that a machine may have had held. */
export const ALL_LAYERS: IsolationLayers = Object.fromEntries(
  [
    ...['emptyEnvironment', 'permissions', 'jitless', 'limits', 'memoryLimit', 'namespaces', 'startFilter'],
    ...['selfLock', 'diesWithServer', 'noNewPrivileges', 'ownUser', 'reviewedBinding'],
  ].map((name) => [name, true]),
);

/** A sandbox with real hosts. */
export function createTestSandbox({
  isSuspended = () => false,
  ...options
}: Partial<SupervisorOptions & Pick<SandboxObserver, 'isSuspended'>> = {}) {
  const incidents: Incident[] = [];
  const sandbox = createSupervisor({
    launcher: createLauncher({ root: packageRoot() }),
    selfTest: async () => ({ state: 'passed', items: [], layers: ALL_LAYERS }),
    minimumLevel: 0,
    maxHosts: 16,
    busyHosts: 2,
    hostMemoryMb: 384,
    jitDomains: [],
    countCall: () => true,
    now: slowClock,
    ...options,
  });
  sandbox.attach({ onIncident: (incident) => incidents.push(incident), isSuspended });
  return { sandbox, incidents };
}

/** The same for one test, which closes it at its end. */
export function openSandbox(options: Parameters<typeof createTestSandbox>[0] = {}) {
  const made = createTestSandbox(options);
  onTestFinished(made.sandbox.close);
  return made;
}

export interface FakeHost extends Host {
  readonly sent: readonly { readonly message: ToHost; readonly texts: readonly string[] }[];
  /** The connection was told to kill the process. */
  readonly isKilled: () => boolean;
}

interface FakeHostOptions {
  readonly jit?: boolean;
  /** Null: a spare host. */
  readonly domain?: string | null;
  readonly isReady?: boolean;
  readonly now?: number;
}

export function fakeHost({
  jit = false,
  domain = 'default',
  isReady = true,
  now = 0,
}: FakeHostOptions = {}): FakeHost {
  const sent: { message: ToHost; texts: readonly string[] }[] = [];
  let isKilled = false;
  const connection = {
    send: (message: ToHost, texts: readonly string[]) => void sent.push({ message, texts }),
    kill: () => {
      isKilled = true;
    },
    pid: () => 1,
    layers: () => ({}),
  };
  const host = new Host({ connect: () => connection, jit, now });
  if (domain !== null) host.reserve(domain);
  if (isReady) host.becomeReady(now);
  return Object.assign(host, { sent, isKilled: () => isKilled });
}

export const fakeQueue = (moduleId = 'endpoint:1.0/test') => new ModuleQueue(moduleId, 0);

export interface FakeInvocation extends Invocation {
  /** Its result, once it is settled. */
  readonly result: () => InvocationResult | undefined;
}

const MODULE = createModuleVersion('code');

export function fakeInvocation(
  queue = fakeQueue(),
  request: Partial<InvocationRequest> = {},
  now = 0,
): FakeInvocation {
  let result: InvocationResult | undefined;
  const resolve = (settled: InvocationResult) => {
    result = settled;
  };
  const invocation = new Invocation(invocationRequest(MODULE, request), {
    stats: queue,
    resolve,
    now,
    pendingGuestCalls: new PendingGuestCalls(),
  });
  return Object.assign(invocation, { result: () => result });
}

interface SendOptions {
  readonly queue?: ModuleQueue;
  readonly moduleNumber?: number;
  readonly maxInFlight?: number;
  readonly now?: number;
}

/** Sends invocations of one module version to a host, as the scheduler does. */
export function sendTo<I extends Invocation>(
  host: Host,
  invocations: readonly I[],
  { queue = host.queue ?? fakeQueue(), moduleNumber = 1, maxInFlight = 16, now = 0 }: SendOptions = {},
): readonly I[] {
  const moduleVersion = (invocations[0] as Invocation).moduleVersion;
  host.send({ queue, moduleVersion, moduleNumber, invocations, maxInFlight, now });
  return invocations;
}

/** Invocations of one module version, sent to a host as one frame. */
export function sendNew(
  host: Host,
  count: number,
  { moduleVersion = MODULE, ...options }: SendOptions & { readonly moduleVersion?: ModuleVersion } = {},
): readonly FakeInvocation[] {
  const queue = options.queue ?? host.queue ?? fakeQueue(moduleVersion.id);
  const invocations = Array.from({ length: count }, () => fakeInvocation(queue, { moduleVersion }));
  return sendTo(host, invocations, { ...options, queue });
}
