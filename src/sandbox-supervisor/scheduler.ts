// Queues invocations per module, selects the host for the next frame of a queue, and sends one frame per queue in turn.

import type { PendingGuestCalls } from './guest-calls.ts';
import type { Host } from './host.ts';
import { createModuleNumbers } from './host-contents.ts';
import type { HostPool } from './host-pool.ts';
import { failedResult, Invocation } from './invocation.ts';
import type { InvocationRequest, InvocationResult } from './model/sandbox.ts';
import { ModuleQueue } from './module-queue.ts';

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
  /** The next invocation must not share its host. */
  readonly isIsolated: boolean;
  /** A host may be sent several frames: no other queue waits for a host. */
  readonly mayPipeline: boolean;
  readonly now: number;
}

/** Invocations that one host may have of a module that has made no guest calls so far. */
const MAX_UNEXPECTED_WAITS = 4;

/**
 * How many invocations of the queue may be started and unfinished in this host, so that all hosts together keep to the
 * concurrency of its policy; 0 when no further one may start. Null: in a host that does not have any of them yet.
 */
export function maxInFlight(
  hosts: readonly Host[],
  host: Host | null,
  { queue, concurrency }: Pick<Demand, 'queue' | 'concurrency'>,
): number {
  let elsewhere = 0;
  for (const other of hosts) {
    if (other.queue === queue && other !== host) elsewhere += other.reservedConcurrency;
  }
  const started = host?.startedCount ?? 0;
  const max = concurrency - elsewhere;
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
function needsReadyHost(hosts: readonly Host[], { queue, isIsolated }: Demand): boolean {
  return !isIsolated && hosts.some((host) => host.queue === queue && host.state === 'ready');
}

/** The least occupied of the hosts that the queue already has, which are up if any of them is. */
function selectAssignedHost(hosts: readonly Host[], demand: Demand, mayOccupy: boolean): Host | null {
  const { queue, domain, mayPipeline } = demand;
  const needsReady = needsReadyHost(hosts, demand);
  const maxFrames = mayPipeline ? queue.maxFrames : 1;
  let best: Host | null = null;
  for (const host of hosts) {
    if (host.queue !== queue || host.domain !== domain) continue;
    if (host.isDraining || host.isExclusive || host.state === 'dead') continue;
    if (needsReady && host.state !== 'ready') continue;
    const { length } = host.frames;
    if (length >= maxFrames || (length === 0 && !mayOccupy)) continue;
    if (maxInFlight(hosts, host, demand) === 0) continue;
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
  const max = Math.max(1, Math.floor(queue.isSlow(now) ? busyHosts / 2 : maxHosts / 4));
  const count = hosts.filter((host) => host.queue === queue).length;
  if (count >= max || maxInFlight(hosts, null, demand) === 0) return null;
  const free = selectFreeHost(hosts, demand);
  if (free?.state === 'starting' && needsReadyHost(hosts, demand)) return null;
  return free ?? 'start';
}

interface SchedulerDeps extends HostLimits {
  readonly pool: Pick<HostPool, 'hosts' | 'start' | 'keepSpare' | 'isBroken'>;
  /** Trust domains whose hosts have the just-in-time compiler. */
  readonly jitDomains: ReadonlySet<string>;
  readonly track: PendingGuestCalls['track'];
  /** Milliseconds of a steady clock. */
  readonly now: () => number;
}

export interface Scheduler {
  enqueue(request: InvocationRequest): Promise<InvocationResult>;
  /** Takes invocations out of a host and puts them in front of their queue, in their order. `schedule` sends them again. */
  requeue(host: Host, invocations: readonly Invocation[]): void;
  /** Looks for available hosts soon, once for all calls until then. */
  schedule(): void;
  /** A host has come up: the time that this took does not count as waiting. */
  onHostReady(host: Host): void;
  /** Whether any invocation waits for a host. */
  isWaiting(): boolean;
  /** Rejects what has waited in a queue for too long. */
  rejectExpired(now: number): void;
  rejectAll(result: InvocationResult): void;
  rejectModule(moduleId: string, result: InvocationResult): void;
  /** Forgets queues that have been unused for a while. */
  disposeUnused(): void;
}

const BUSY = failedResult('ENDPOINT_BUSY', 'Too many requests wait for a host');
const RATE_LIMITED = failedResult('ENDPOINT_RATE_LIMITED', 'It was called too often within a minute');
const NO_HOST = failedResult('SANDBOX_DISABLED', 'No host process can be started');

/** Creates the queues of all modules. Nothing runs before the first `enqueue`. */
export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { pool, busyHosts, maxHosts, jitDomains, track, now } = deps;
  const numberOf = createModuleNumbers();
  const queues = new Map<string, ModuleQueue>();
  /** Queues that are not empty. One that was sent something goes to the end. */
  const waiting = new Set<ModuleQueue>();
  let isScheduled = false;

  const queueOf = (moduleId: string): ModuleQueue => {
    let queue = queues.get(moduleId);
    if (queue === undefined) {
      queue = new ModuleQueue(moduleId, now());
      queues.set(moduleId, queue);
    }
    return queue;
  };

  const hasHost = (queue: ModuleQueue) => pool.hosts.some((host) => host.queue === queue);

  /** Whether the queue waits for a host that is being started: for this one, or behind what this one was sent. */
  const waitsForStart = (queue: ModuleQueue, host: Host) => {
    if (host.frames.length > 0) return !hasHost(queue);
    if (host.isSpare) return hasHost(queue);
    return host.queue === null && host.domain === queue.first?.moduleVersion.policy.trustDomain;
  };

  /** Sends one frame. False: the queue has to wait. */
  const sendNext = (queue: ModuleQueue, mayPipeline: boolean): boolean => {
    const { first } = queue;
    if (first === undefined) return false;
    const { moduleVersion, isIsolatedRetry: isIsolated, limits } = first;
    const { concurrency } = limits;
    const { trustDomain: domain } = moduleVersion.policy;
    const jit = jitDomains.has(domain);
    const moduleNumber = numberOf(moduleVersion);
    const time = now();
    const demand = { queue, domain, jit, moduleNumber, concurrency, isIsolated, mayPipeline, now: time };
    const selected = selectHost(pool.hosts, demand, { busyHosts, maxHosts });
    const host = selected === 'start' ? pool.start(domain, jit) : selected;
    // A host that is being started beside others is used once it is up.
    if (host === null || (host.state === 'starting' && needsReadyHost(pool.hosts, demand))) return false;
    const isNew = host.isSpare || selected === 'start';
    host.reserve(domain);
    const max = isIsolated ? 1 : maxInFlight(pool.hosts, host, demand);
    const invocations = queue.takeBatch();
    host.send({ queue, moduleVersion, moduleNumber, invocations, maxInFlight: max, now: time });
    if (isNew) pool.keepSpare();
    return true;
  };

  /** Sends one frame per queue, round by round. */
  const sendAll = () => {
    let hasSent = true;
    while (hasSent) {
      hasSent = false;
      // While a queue has no host at all, those after it let theirs run empty.
      let isStarving = false;
      for (const queue of [...waiting]) {
        if (queue.isThrottled(now())) continue;
        if (!sendNext(queue, !isStarving)) {
          isStarving ||= !hasHost(queue);
          continue;
        }
        hasSent = true;
        waiting.delete(queue);
        if (queue.length > 0) waiting.add(queue);
      }
    }
  };

  const dispatch = () => {
    isScheduled = false;
    sendAll();
    if (waiting.size === 0) return;
    const isBroken = pool.isBroken();
    for (const queue of waiting) {
      queue.rejectOverflow(isBroken ? 0 : queue.maxLength, isBroken ? NO_HOST : BUSY);
      if (queue.length === 0) waiting.delete(queue);
    }
  };

  const schedule = () => {
    if (isScheduled || waiting.size === 0) return;
    isScheduled = true;
    // After the sockets that are readable now: what comes in together is sent together.
    setImmediate(dispatch);
  };

  return {
    schedule,
    enqueue: (request) =>
      new Promise((resolve) => {
        const time = now();
        const { id, policy } = request.moduleVersion;
        const queue = queueOf(id);
        if (!queue.countCall(policy.limits.perMinute, time)) return resolve(RATE_LIMITED);
        queue.add(new Invocation(request, { stats: queue, track, resolve, now: time }));
        waiting.add(queue);
        schedule();
      }),
    requeue(host, invocations) {
      const { queue } = host;
      host.takeBack(invocations);
      if (queue !== null && invocations.length > 0) {
        queue.requeue(invocations);
        waiting.add(queue);
      }
    },
    onHostReady(host) {
      const time = now();
      for (const invocation of host.invocations.values()) invocation.restartWait(time);
      for (const queue of waiting) if (waitsForStart(queue, host)) queue.restartWaits(time);
    },
    isWaiting: () => waiting.size > 0,
    rejectExpired(time) {
      // A machine under load starts processes slowly: what waits for that is not rejected meanwhile.
      const starting = pool.hosts.filter(({ state }) => state === 'starting');
      for (const queue of queues.values()) {
        if (!starting.some((host) => waitsForStart(queue, host))) queue.rejectExpired(time);
      }
    },
    rejectAll(result) {
      for (const queue of waiting) queue.rejectAll(result);
      waiting.clear();
    },
    rejectModule(moduleId, result) {
      const queue = queues.get(moduleId);
      if (queue === undefined) return;
      queue.rejectAll(result);
      waiting.delete(queue);
    },
    disposeUnused() {
      const time = now();
      for (const [id, queue] of queues) if (queue.isUnused(time) && !hasHost(queue)) queues.delete(id);
    },
  };
}
