// Which host gets the next requests of a lane. Pure: it looks, and says.
import { isNonBlocking, isSlow, maxFrames } from './module-queue.ts';
import type { Host, ModuleQueue } from './state.ts';

export interface HostLimits {
  /** Hosts that may run turns at the same time. */
  readonly busyHosts: number;
  /** Hosts in all, waiting ones and the spare included. */
  readonly maxHosts: number;
}

export interface Demand {
  readonly lane: ModuleQueue;
  readonly domain: string;
  readonly jit: boolean;
  /** Number of the unit, for hosts that have it warm. */
  readonly unit: number;
  readonly concurrency: number;
  /** The next request must share its host with nobody. */
  readonly alone: boolean;
  /** Nobody is kept waiting by a host that has more than one frame. */
  readonly mayPipeline: boolean;
  readonly now: number;
}

/** Requests that a host may hold of a lane whose requests never waited so far. */
const MAX_UNEXPECTED_CALLS = 4;
const LONG_SLICE_MS = 50;

/** How many requests the host may hold, begun and unfinished, by what it was told. */
function reservedConcurrency(host: Host): number {
  let most = host.begun;
  for (const { room } of host.frames) most = Math.max(most, room);
  return most;
}

/**
 * How many requests of the lane may be begun and unfinished in this host, so that all hosts together keep to the
 * concurrency of its policy; 0 when no further one may begin.
 */
export function remainingConcurrency(lane: ModuleQueue, host: Host | null, concurrency: number): number {
  let elsewhere = 0;
  for (const other of lane.hosts) if (other !== host) elsewhere += reservedConcurrency(other);
  const begun = host?.begun ?? 0;
  const most = concurrency - elsewhere;
  if (most <= begun) return 0;
  return isNonBlocking(lane) ? Math.min(most, begun + MAX_UNEXPECTED_CALLS) : most;
}

/**
 * Whether one more host may run turns. One whose turn is long does not count for lanes with short ones: they need not
 * wait for loops to end, the kernel shares the cores among them.
 */
function mayBeBusy(hosts: readonly Host[], { lane, now }: Demand, { busyHosts }: HostLimits): boolean {
  const countsAll = isSlow(lane, now);
  let busy = 0;
  for (const { frames, state, progressAt } of hosts) {
    if (frames.length === 0) continue;
    if (countsAll || state === 'starting' || now - progressAt < LONG_SLICE_MS) busy += 1;
  }
  return busy < busyHosts;
}

/** How many hosts one lane may hold. */
function maxHostsOf({ lane, now }: Demand, { busyHosts, maxHosts }: HostLimits): number {
  return Math.max(1, Math.floor(isSlow(lane, now) ? busyHosts / 2 : maxHosts / 4));
}

function selectAssignedHost(wanted: Demand, canGrow: boolean): Host | null {
  const { lane, concurrency } = wanted;
  const mostFrames = wanted.mayPipeline ? maxFrames(lane) : 1;
  let best: Host | null = null;
  for (const host of lane.hosts) {
    if (host.draining || host.exclusive || host.state === 'dead' || host.domain !== wanted.domain) continue;
    const waiting = host.frames.length;
    if (waiting >= mostFrames || (waiting === 0 && !canGrow)) continue;
    if (remainingConcurrency(lane, host, concurrency) === 0) continue;
    if (best === null || waiting < best.frames.length) best = host;
  }
  return best;
}

/** The best of the free hosts: with a warm isolate, of the same domain, ready. */
function scoreHost(host: Host, { domain, unit }: Demand): number {
  const ready = host.state === 'ready' ? 1 : 0;
  if (host.units.has(unit)) return 4 + ready;
  return (host.domain === domain ? 2 : 0) + ready;
}

function selectFreeHost(hosts: readonly Host[], wanted: Demand): Host | null {
  let best: Host | null = null;
  for (const host of hosts) {
    if (host.lane !== null || host.draining || host.state === 'dead') continue;
    if (host.jit !== wanted.jit || (host.domain !== null && host.domain !== wanted.domain)) continue;
    if (best === null || scoreHost(host, wanted) > scoreHost(best, wanted)) best = host;
  }
  return best;
}

/** The host to use, `start` when one must be started, or null when the lane has to wait. */
export function selectHost(
  hosts: readonly Host[],
  wanted: Demand,
  bounds: HostLimits,
): Host | 'start' | null {
  const canGrow = mayBeBusy(hosts, wanted, bounds);
  const own = wanted.alone ? null : selectAssignedHost(wanted, canGrow);
  if (own !== null || !canGrow) return own;
  const { lane, concurrency } = wanted;
  if (lane.hosts.size >= maxHostsOf(wanted, bounds) || remainingConcurrency(lane, null, concurrency) === 0)
    return null;
  return selectFreeHost(hosts, wanted) ?? 'start';
}
