// Units and jobs for tests of the sandbox, as the rest of the server would make them.
import { onTestFinished } from 'vitest';
import { packageRoot } from '../../src/lib/files/package-files.ts';
import type { IsolationLayers } from '../../src/sandbox-supervisor/isolation/isolation-levels.ts';
import { createLauncher } from '../../src/sandbox-supervisor/isolation/launcher.ts';
import type { ModuleLimits, ModuleVersion } from '../../src/sandbox-supervisor/model/module-version.ts';
import type {
  Incident,
  InvocationRequest,
  SandboxObserver,
} from '../../src/sandbox-supervisor/model/sandbox.ts';
import { createSupervisor, type SupervisorOptions } from '../../src/sandbox-supervisor/supervisor.ts';

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

/** A request of an endpoint. Host calls fail unless the test serves them. */
export function invocationRequest(
  moduleVersion: ModuleVersion,
  parts: Partial<InvocationRequest> & { readonly query?: object } = {},
): InvocationRequest {
  const { query = {}, ...job } = parts;
  return {
    moduleVersion,
    head: JSON.stringify({ ...HEAD, query }),
    body: '',
    performHostCall: async () => ({ ok: false, text: '{"code":"NOT_GRANTED","message":"no"}' }),
    log: () => undefined,
    ...job,
  };
}

/**
 * A request may wait a second for a host, which is as long as a busy machine may stall. Tests of that second have a clock of
 * their own; in all others it lasts longer.
 */
export const slowClock = () => performance.now() / 5;

/** As if all walls that a machine may have had held. */
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
    selfTest: async () => ({ state: 'passed', items: [], walls: ALL_LAYERS }),
    minimumLevel: 0,
    maxHosts: 16,
    busyHosts: 2,
    hostMemoryMb: 384,
    jitDomains: [],
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
