// Queues invocations per module, and sends one frame per queue in turn.

import type { PendingGuestCalls } from './guest-calls.ts';
import type { Host } from './host.ts';
import type { HostPool } from './host-pool.ts';
import { type HostLimits, maxInFlight, needsReadyHost, selectHost } from './host-selection.ts';
import { failedResult, Invocation } from './invocation.ts';
import type { ModuleLimits, ModuleVersion } from './model/module-version.ts';
import type { InvocationRequest, InvocationResult, UsageObserver } from './model/sandbox.ts';
import { ModuleQueue } from './module-queue.ts';
import { HOST_OWN_MB, IN_FLIGHT_PART } from './tuning.ts';

interface SchedulerDeps extends HostLimits {
  readonly pool: Pick<HostPool, 'hosts' | 'start' | 'keepSpare' | 'isBroken'>;
  /** Private memory of one host, in MB. */
  readonly hostMemoryMb: number;
  /** Trust domains whose hosts have the just-in-time compiler. */
  readonly jitDomains: ReadonlySet<string>;
  readonly pendingGuestCalls: PendingGuestCalls;
  readonly onStarted?: UsageObserver['onStarted'] | undefined;
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
  /** Invocations that wait for a host. */
  waitingCount(): number;
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
const NO_HOST = failedResult('SANDBOX_DISABLED', 'No host process can be started');

const BYTES_PER_CHARACTER = 2;
const MB = 1_048_576;

/** How many invocations of a module the memory of one host is enough for: where each has a heap of its own, so many as fit. */
export function maxInvocationsInHost(
  { policy: { isolation, limits } }: Pick<ModuleVersion, 'policy'>,
  hostMemoryMb: number,
): number {
  if (isolation !== 'isolate') return Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor((hostMemoryMb - HOST_OWN_MB) / limits.heapMb));
}

/** Characters of all requests that may be in flight in one host, unless it is a single one. */
function maxCharactersInFlight({ heapMb }: Pick<ModuleLimits, 'heapMb'>): number {
  return (heapMb * MB * IN_FLIGHT_PART) / BYTES_PER_CHARACTER;
}

/** Numbers the versions of all modules, the same in every host. */
function createModuleNumbers(): (moduleVersion: ModuleVersion) => number {
  const numbers = new WeakMap<ModuleVersion, number>();
  let last = 0;
  return (moduleVersion) => {
    const known = numbers.get(moduleVersion);
    if (known !== undefined) return known;
    last += 1;
    numbers.set(moduleVersion, last);
    return last;
  };
}

/** Creates the queues of all modules. Nothing runs before the first `enqueue`. */
export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { pool, busyHosts, maxHosts, hostMemoryMb, jitDomains, pendingGuestCalls, now, onStarted } = deps;
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
    const { moduleVersion, limits, characters } = first;
    const { concurrency } = limits;
    const maxCharacters = maxCharactersInFlight(limits);
    const { trustDomain: domain } = moduleVersion.policy;
    const jit = jitDomains.has(domain);
    const moduleNumber = numberOf(moduleVersion);
    const time = now();
    const isIsolated = first.isIsolatedRetry || queue.runsAlone(time);
    const maxPerHost = maxInvocationsInHost(moduleVersion, hostMemoryMb);
    const needs = { moduleNumber, concurrency, characters, maxCharacters, maxPerHost, isIsolated };
    const demand = { queue, domain, jit, ...needs, mayPipeline, now: time };
    const selected = selectHost(pool.hosts, demand, { busyHosts, maxHosts });
    const host = selected === 'start' ? pool.start(domain, jit) : selected;
    // A host that is being started beside others is used once it is up.
    if (host === null || (host.state === 'starting' && needsReadyHost(pool.hosts, demand))) return false;
    const isNew = host.isSpare || selected === 'start';
    host.reserve(domain);
    const max = isIsolated ? 1 : maxInFlight(pool.hosts, host, demand);
    const left = maxCharacters - host.invocations.characters;
    const invocations = queue.takeBatch({ isAlone: isIsolated, maxCharacters: left });
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
        const queue = queueOf(request.moduleVersion.id);
        queue.add(
          new Invocation(request, { stats: queue, pendingGuestCalls, resolve, now: now(), onStarted }),
        );
        waiting.add(queue);
        schedule();
      }),
    requeue(host, invocations) {
      const { queue } = host;
      for (const invocation of invocations) invocation.reset();
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
    waitingCount: () => [...waiting].reduce((sum, { length }) => sum + length, 0),
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
