// Selects the host for the next frame of a queue: one that has the code, is up, and leaves enough to other modules.

import type { Host } from './host.ts';
import type { ModuleQueue } from './module-queue.ts';
import { MAX_UNEXPECTED_WAITS } from './tuning.ts';

/** How many hosts there may be. */
export interface HostLimits {
  /** Hosts that may run time slices at the same time. */
  readonly busyHosts: number;
  /** Hosts in all, waiting ones and the spare included. */
  readonly maxHosts: number;
}

/** What the next invocations of a queue need. */
export interface Demand {
  readonly queue: ModuleQueue;
  readonly domain: string;
  readonly jit: boolean;
  /** Number of the module version, for hosts that have it loaded. */
  readonly moduleNumber: number;
  readonly concurrency: number;
  /** Of the next request, and of all that may be in flight in one host. */
  readonly characters: number;
  readonly maxCharacters: number;
  /** Invocations that the memory of one host is enough for. */
  readonly maxPerHost: number;
  /** The next invocation must not share its host. */
  readonly isIsolated: boolean;
  /** A host may be sent several frames: no other queue waits for a host. */
  readonly mayPipeline: boolean;
  readonly now: number;
}

/**
 * How many invocations of the queue may be started and unfinished in this host, so that all hosts together keep to the
 * concurrency of its policy; 0 when no further one may start. Null: in a host that does not have any of them yet.
 */
export function maxInFlight(
  hosts: readonly Host[],
  host: Host | null,
  { queue, concurrency, maxPerHost }: Pick<Demand, 'queue' | 'concurrency' | 'maxPerHost'>,
): number {
  let elsewhere = 0;
  for (const other of hosts) {
    if (other.queue === queue && other !== host) elsewhere += other.reservedConcurrency;
  }
  const started = host?.startedCount ?? 0;
  const max = Math.min(concurrency - elsewhere, maxPerHost);
  if (max <= started) return 0;
  return queue.isNonBlocking ? Math.min(max, started + MAX_UNEXPECTED_WAITS) : max;
}

/**
 * Whether one more host may run time slices. A host with a long slice does not count for queues with short ones: they need not
 * wait for loops to end, the kernel shares the cores among them.
 */
function mayOccupyHost(hosts: readonly Host[], { queue, now }: Demand, { busyHosts }: HostLimits): boolean {
  const countsAll = queue.isSlow(now);
  let busy = 0;
  for (const { frames, state } of hosts) {
    if (frames.length === 0) continue;
    if (countsAll || state === 'starting' || !frames.isLong(now)) busy += 1;
  }
  return busy < busyHosts;
}

/**
 * Whether the next frame has to go to a host that is up: the queue has one already, which will be free long before another process
 * has started. An isolated retry cannot use it.
 */
export function needsReadyHost(hosts: readonly Host[], { queue, isIsolated }: Demand): boolean {
  return !isIsolated && hosts.some((host) => host.queue === queue && host.state === 'ready');
}

/** The least occupied of the hosts that the queue already has, which are up if any of them is. */
function selectAssignedHost(hosts: readonly Host[], demand: Demand, mayOccupy: boolean): Host | null {
  const { queue, domain, mayPipeline, characters, maxCharacters } = demand;
  const needsReady = needsReadyHost(hosts, demand);
  const maxSentFrames = mayPipeline ? queue.maxSentFrames : 1;
  let best: Host | null = null;
  for (const host of hosts) {
    if (host.queue !== queue || host.domain !== domain) continue;
    if (host.isDraining || host.isExclusive || host.state === 'dead') continue;
    if (needsReady && host.state !== 'ready') continue;
    const { length } = host.frames;
    if (length >= maxSentFrames || (length === 0 && !mayOccupy)) continue;
    if (maxInFlight(hosts, host, demand) === 0) continue;
    const { invocations } = host;
    if (invocations.size > 0 && invocations.characters + characters > maxCharacters) continue;
    if (best === null || length < best.frames.length) best = host;
  }
  return best;
}

/** Prefers hosts that have the code, then those of the same domain, then those that are ready. */
function score(host: Host, { domain, moduleNumber }: Demand): number {
  const ready = host.state === 'ready' ? 1 : 0;
  if (host.hasLoaded(moduleNumber)) return 4 + ready;
  return (host.domain === domain ? 2 : 0) + ready;
}

function selectFreeHost(hosts: readonly Host[], demand: Demand): Host | null {
  let best: Host | null = null;
  for (const host of hosts) {
    if (host.queue !== null || host.isDraining || host.state === 'dead' || host.jit !== demand.jit) continue;
    if (host.domain !== null && host.domain !== demand.domain) continue;
    if (best === null || score(host, demand) > score(best, demand)) best = host;
  }
  return best;
}

const atLeastOne = (share: number) => Math.max(1, Math.floor(share));

/** The host to use, `start` when one must be started, or null when the queue has to wait. */
export function selectHost(
  hosts: readonly Host[],
  demand: Demand,
  limits: HostLimits,
): Host | 'start' | null {
  const { queue, isIsolated, now } = demand;
  const mayOccupy = mayOccupyHost(hosts, demand, limits);
  const assigned = isIsolated ? null : selectAssignedHost(hosts, demand, mayOccupy);
  if (assigned !== null || !mayOccupy) return assigned;
  const { busyHosts, maxHosts } = limits;
  const own = hosts.filter((host) => host.queue === queue);
  if (own.length >= atLeastOne(maxHosts / 4) || maxInFlight(hosts, null, demand) === 0) return null;
  // What is slow takes few cores. Hosts that only wait take none.
  const busy = own.filter(({ frames }) => frames.length > 0);
  if (queue.isSlow(now) && busy.length >= atLeastOne(busyHosts / 2)) return null;
  const free = selectFreeHost(hosts, demand);
  if (free?.state === 'starting' && needsReadyHost(hosts, demand)) return null;
  return free ?? 'start';
}
