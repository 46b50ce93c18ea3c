// A scheduler over fake hosts.

import { PendingGuestCalls } from '../../../src/sandbox-supervisor/guest-calls.ts';
import type { Host } from '../../../src/sandbox-supervisor/host.ts';
import type { ModuleVersion } from '../../../src/sandbox-supervisor/model/module-version.ts';
import type { InvocationRequest, InvocationResult } from '../../../src/sandbox-supervisor/model/sandbox.ts';
import { createScheduler } from '../../../src/sandbox-supervisor/scheduler.ts';
import {
  createModuleVersion,
  type FakeHost,
  fakeHost,
  invocationRequest,
  type ModuleVersionOptions,
} from './sandbox.ts';

export const RESULT = { kind: 'result', json: '1' } as const;

export function schedulerOf({ busyHosts = 2, startable = 16, startsAtOnce = true } = {}) {
  const hosts: FakeHost[] = [];
  let clock = 0;
  const state = { isBroken: false, spares: 0 };
  const scheduler = createScheduler({
    busyHosts,
    maxHosts: 16,
    hostMemoryMb: 384,
    jitDomains: new Set(['fast']),
    pendingGuestCalls: new PendingGuestCalls(),
    now: () => clock,
    pool: {
      hosts,
      start(domain, jit) {
        if (hosts.length >= startable) return null;
        const host = fakeHost({ domain, jit, isReady: startsAtOnce });
        hosts.push(host);
        return host;
      },
      keepSpare: () => {
        state.spares += 1;
      },
      isBroken: () => state.isBroken,
    },
  });
  /** Invocations in each frame that each host was sent. */
  const frames = () =>
    hosts.map(({ sent }) =>
      sent.flatMap(({ message }) => (message.t === 'run' ? [message.requests.length] : [])),
    );
  const run = (moduleVersion: ModuleVersion, count = 1, parts: Partial<InvocationRequest> = {}) =>
    Array.from({ length: count }, () => scheduler.enqueue(invocationRequest(moduleVersion, parts)));
  return { hosts, state, scheduler, frames, run, tick: (ms: number) => (clock += ms) };
}

export const endpoint = (name: string, options: ModuleVersionOptions = {}) =>
  createModuleVersion('code', { id: `endpoint:1.0/${name}`, ...options });

/** Resolves when what was scheduled has happened. */
export const dispatched = () => new Promise((resolve) => setImmediate(resolve));

/** Answers the current frame of a host. */
export function answer(host: Host) {
  const invocations = host.frames.current?.invocations ?? [];
  host.frames.complete();
  for (const invocation of invocations) invocation.settle(RESULT);
  host.release(0);
}

export async function codes(runs: readonly Promise<InvocationResult>[]) {
  return (await Promise.all(runs)).map((result) => (result.kind === 'failure' ? result.code : result.kind));
}
