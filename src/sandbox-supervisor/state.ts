// What the supervisor keeps in mind: requests, the lanes they queue in, and hosts. Types only.
import type { FromHost } from '../../sandbox/protocol.ts';
import type { HostConnection } from './host-connection.ts';
import type { ModuleVersion } from './module-version.ts';
import type { InvocationRequest, InvocationResult } from './sandbox.ts';

export type ResultMessage = Extract<FromHost, { readonly t: 'turns' }>;
export type HostVersions = Extract<FromHost, { readonly t: 'ready' }>['versions'];

/** One job on its way. Times are milliseconds of a steady clock. */
export interface Invocation {
  readonly job: InvocationRequest;
  readonly lane: ModuleQueue;
  readonly resolve: (outcome: InvocationResult) => void;
  /** Since when it waits for a host. */
  queuedAt: number;
  /** Its number in the host that has it, and the frame with which it was handed over. */
  number: number;
  frame: RunFrame | null;
  /** Its first turn has been seen. */
  begun: boolean;
  startedAt: number;
  /** It runs again after its host died, and shares the next one with nobody, so that blame is certain. */
  alone: boolean;
  over: boolean;
  /** It made a host call that must not be made twice. */
  hasActed: boolean;
  calls: number;
  timerCalls: number;
  /** Calls that are being performed, timers aside. */
  inFlight: number;
  logLines: number;
  logLength: number;
  /** CPU that its turns were seen to use before the present one. */
  cpuMs: number;
  controller: AbortController | null;
  timers: Set<NodeJS.Timeout> | null;
}

/** The queue of one module, whatever its versions, and what is known of its pace. */
export interface ModuleQueue {
  readonly id: string;
  readonly queue: Invocation[];
  /** Hosts that have requests of it. */
  readonly hosts: Set<Host>;
  /** What turns usually take: a mean of the longest turn of each frame that leans towards the shorter ones. */
  turnMs: number;
  /** It holds fewer hosts until then: a turn of it was long. */
  slowUntil: number;
  /** It gets no host until then: it answered a lot. */
  restUntil: number;
  /** Share of its requests that made host calls, from 0 to 1; they stay in a host after their turn. */
  waits: number;
  /** Begin of the minute that is being counted, and requests in it. */
  minuteFrom: number;
  minuteCount: number;
  usedAt: number;
}

/** A `run` or `deliver` that a host has not answered to the end. */
export interface RunFrame {
  readonly unit: number;
  readonly requests: readonly Invocation[];
  /** A `deliver`: its request has begun. */
  readonly isDelivery: boolean;
  /** The first one of its unit in this host. */
  readonly isCold: boolean;
  /** How many requests of the unit may be begun and unfinished in the host. */
  readonly room: number;
  /** What the host has said of it before it was done: at most one word for each request. */
  parts: number;
  /** Since when it is what the host runs, as far as is known. */
  since: number;
  /** CPU that it was seen to use, by the process's own account. */
  cpuMs: number;
}

export interface Host {
  readonly link: HostConnection;
  readonly jit: boolean;
  /** Null: a spare, which has served nobody. It never changes after that. */
  domain: string | null;
  state: 'starting' | 'ready' | 'dead';
  /** To whom it belongs as long as it has requests. */
  lane: ModuleQueue | null;
  /** Handed over and not over, by number. */
  readonly requests: Map<number, Invocation>;
  lastNumber: number;
  /** Oldest first: the first is what it runs. */
  readonly frames: RunFrame[];
  begun: number;
  /** It has a request that must stay alone. */
  exclusive: boolean;
  /** It inspects code. */
  inspecting: boolean;
  /** Loaded units by number, least recently used first, with the module they are of. */
  readonly units: Map<number, string>;
  /** Loaded units that are to go once nothing of them runs. */
  readonly retired: Set<number>;
  /** When its present turn began, as far as is known. */
  progressAt: number;
  /** CPU that it had used when its present frame was first looked at; null while nobody looked. */
  cpuMark: { readonly at: number; readonly cpuMs: number } | null;
  readonly startedAt: number;
  idleSince: number;
  /** It gets nothing new, and goes when it is empty. */
  draining: boolean;
}

/** A loaded unit: its number in every host. */
export type ModuleNumbers = (unit: ModuleVersion) => number;
