// A host without a process: what is sent to it is kept, and the test says what comes back.
import type { ToHost } from '../../sandbox/protocol.ts';
import { createLane, createRequest } from '../../src/endpoints/hosts/lane.ts';
import type { Host, Lane, Request } from '../../src/endpoints/hosts/state.ts';
import type { Job, Outcome } from '../../src/endpoints/sandbox.ts';
import { jobOf, unitOf } from './sandbox-hosts.ts';

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

export const laneOf = (parts: Partial<Lane> = {}): Lane => ({
  ...createLane('endpoint:1.0/test', 0),
  ...parts,
});

export interface FakeRequest extends Request {
  outcome: Outcome | undefined;
}

const UNIT = unitOf('code');

/** A request of a lane, with its outcome once it is over. */
export function requestOf(lane: Lane = laneOf(), job: Partial<Job> = {}, now = 0): FakeRequest {
  const request: FakeRequest = Object.assign(
    createRequest(
      jobOf(UNIT, job),
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
