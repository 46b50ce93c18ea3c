// A host without a process: what is sent to it is kept, and the test says what comes back.
import type { ToHost } from '../../sandbox/protocol.ts';
import { createInvocation, createModuleQueue } from '../../src/sandbox-supervisor/module-queue.ts';
import type { InvocationRequest, InvocationResult } from '../../src/sandbox-supervisor/sandbox.ts';
import type { Host, Invocation, ModuleQueue } from '../../src/sandbox-supervisor/state.ts';
import { createModuleVersion, invocationInput } from './sandbox.ts';

export interface FakeHost extends Host {
  readonly sent: { readonly message: ToHost; readonly texts: readonly string[] }[];
  killed: boolean;
}

export function fakeHost(parts: Partial<Host> = {}): FakeHost {
  const host: FakeHost = {
    sent: [],
    killed: false,
    link: {
      send: (message, texts) => host.sent.push({ message, texts }),
      kill: () => {
        host.killed = true;
      },
      pid: () => 1,
    },
    jit: false,
    domain: 'default',
    state: 'ready',
    lane: null,
    requests: new Map(),
    lastNumber: 0,
    frames: [],
    begun: 0,
    exclusive: false,
    inspecting: false,
    units: new Map(),
    retired: new Set(),
    progressAt: 0,
    cpuMark: null,
    startedAt: 0,
    idleSince: 0,
    draining: false,
    ...parts,
  };
  return host;
}

export const fakeQueue = (parts: Partial<ModuleQueue> = {}): ModuleQueue => ({
  ...createModuleQueue('endpoint:1.0/test', 0),
  ...parts,
});

export interface FakeInvocation extends Invocation {
  outcome: InvocationResult | undefined;
}

const UNIT = createModuleVersion('code');

/** A request of a lane, with its outcome once it is over. */
export function fakeInvocation(
  lane: ModuleQueue = fakeQueue(),
  job: Partial<InvocationRequest> = {},
  now = 0,
): FakeInvocation {
  const request: FakeInvocation = Object.assign(
    createInvocation(
      invocationInput(UNIT, job),
      lane,
      (outcome) => {
        request.outcome = outcome;
      },
      now,
    ),
    { outcome: undefined },
  );
  return request;
}
