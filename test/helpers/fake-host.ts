// Hosts without a process: what is sent to one is kept, and the test says what comes back.
import type { ToHost } from '../../sandbox/protocol.ts';
import { Host } from '../../src/sandbox-supervisor/host.ts';
import { Invocation } from '../../src/sandbox-supervisor/invocation.ts';
import type { ModuleVersion } from '../../src/sandbox-supervisor/model/module-version.ts';
import type { InvocationRequest, InvocationResult } from '../../src/sandbox-supervisor/model/sandbox.ts';
import { ModuleQueue } from '../../src/sandbox-supervisor/module-queue.ts';
import { createModuleVersion, invocationRequest } from './sandbox.ts';

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
  };
  const host = new Host({ connection, jit, now });
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
  const invocation = new Invocation(invocationRequest(MODULE, request), { stats: queue, resolve, now });
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
