// Queues requests and hands them to hosts, one frame for each lane in turn.

import { sendInvocations, unassign } from './host.ts';
import type { HostPool } from './host-pool.ts';
import { failedOutcome, resetForRequeue, settle } from './invocation.ts';
import {
  batchSize,
  countCall,
  createInvocation,
  createModuleQueue,
  isDisposable,
  isThrottled,
  maxWaiting,
} from './module-queue.ts';
import { type HostLimits, remainingConcurrency, selectHost } from './placement.ts';
import type { InvocationRequest, InvocationResult } from './sandbox.ts';
import type { Host, Invocation, ModuleNumbers, ModuleQueue } from './state.ts';

interface SchedulerDeps {
  readonly pool: Pick<HostPool, 'hosts' | 'start' | 'keepSpare' | 'isBroken'>;
  readonly bounds: HostLimits;
  /** Trust domains whose hosts have the just-in-time compiler. */
  readonly jitDomains: ReadonlySet<string>;
  readonly numberOf: ModuleNumbers;
  readonly now: () => number;
}

export interface Scheduler {
  readonly queues: ReadonlyMap<string, ModuleQueue>;
  enqueue(job: InvocationRequest): Promise<InvocationResult>;
  /** Takes requests out of a host and puts them in front of their queues, in their order. */
  requeue(host: Host, requests: readonly Invocation[]): void;
  /** Looks for room soon, once for all that happens until then. */
  schedule(): void;
  /** A host with requests has come up: the time that it took is nobody's wait for a turn. */
  onHostReady(host: Host): void;
  /** Whether any request waits for a host. */
  isWaiting(): boolean;
  /** Gives up what waits. */
  rejectAll(outcome: InvocationResult): void;
  /** Gives up what waits of one module. */
  rejectModule(unitId: string, outcome: InvocationResult): void;
  /** Forgets lanes that nobody used for a while. */
  disposeIdleQueues(): void;
}

/** Bytes, roughly, of the requests of one frame: a large one travels alone. */
const MAX_FRAME_CHARACTERS = 1_048_576;

const BUSY = failedOutcome('ENDPOINT_BUSY', 'Too many requests wait for a host');
const LIMITED = failedOutcome('ENDPOINT_RATE_LIMITED', 'It was called too often within a minute');
const NO_HOST = failedOutcome('SANDBOX_DISABLED', 'No host process can be started');

/** Takes the next requests of one unit from the front of the queue. */
function takeBatch(lane: ModuleQueue, most: number): Invocation[] {
  const [first] = lane.queue;
  const batch: Invocation[] = [];
  let length = 0;
  for (const request of lane.queue) {
    if (request.job.unit !== first?.job.unit || (batch.length > 0 && request.alone)) break;
    length += request.job.head.length + request.job.body.length;
    if (batch.length > 0 && length > MAX_FRAME_CHARACTERS) break;
    batch.push(request);
    if (batch.length === most || request.alone) break;
  }
  lane.queue.splice(0, batch.length);
  return batch;
}

/** Makes the queues of all modules. Nothing runs before the first `run`. */
export function createScheduler(options: SchedulerDeps): Scheduler {
  const { pool, bounds, jitDomains, numberOf, now } = options;
  const lanes = new Map<string, ModuleQueue>();
  /** Lanes with a queue; whoever got something goes to the end. */
  const waiting = new Set<ModuleQueue>();
  let isScheduled = false;

  const laneOf = (id: string): ModuleQueue => {
    let lane = lanes.get(id);
    if (lane === undefined) {
      lane = createModuleQueue(id, now());
      lanes.set(id, lane);
    }
    return lane;
  };

  /** Hands one frame over. False: the lane has to wait. */
  const handOne = (lane: ModuleQueue, mayPipeline: boolean): boolean => {
    const [first] = lane.queue;
    if (first === undefined) return false;
    const { unit } = first.job;
    const { trustDomain: domain, limits } = unit.policy;
    const jit = jitDomains.has(domain);
    const time = now();
    const wanted = { lane, domain, jit, unit: numberOf(unit), concurrency: limits.concurrency, now: time };
    const found = selectHost(pool.hosts, { ...wanted, alone: first.alone, mayPipeline }, bounds);
    const host = found === 'start' ? pool.start(domain, jit) : found;
    if (host === null) return false;
    const isNew = host.domain === null || found === 'start';
    host.domain = domain;
    const room = first.alone ? 1 : remainingConcurrency(lane, host, limits.concurrency);
    const requests = takeBatch(lane, batchSize(lane));
    sendInvocations(host, { unit, requests, room, numberOf, now: time });
    if (isNew) pool.keepSpare();
    return true;
  };

  const trim = (lane: ModuleQueue) => {
    const refusal = pool.isBroken() ? NO_HOST : BUSY;
    const most = pool.isBroken() ? 0 : maxWaiting(lane);
    while (lane.queue.length > most) {
      const request = lane.queue.pop();
      if (request !== undefined) settle(null, request, refusal);
    }
  };

  const dispatch = () => {
    isScheduled = false;
    let moved = true;
    while (moved) {
      moved = false;
      // While a lane has no host at all, those after it let theirs run empty.
      let isStarving = false;
      for (const lane of [...waiting]) {
        if (isThrottled(lane, now())) continue;
        if (!handOne(lane, !isStarving)) {
          isStarving ||= lane.hosts.size === 0;
          continue;
        }
        moved = true;
        waiting.delete(lane);
        if (lane.queue.length > 0) waiting.add(lane);
      }
    }
    for (const lane of waiting) {
      trim(lane);
      if (lane.queue.length === 0) waiting.delete(lane);
    }
  };

  const schedule = () => {
    if (isScheduled || waiting.size === 0) return;
    isScheduled = true;
    // After the sockets that are readable now: what comes in together travels together.
    setImmediate(dispatch);
  };

  return {
    queues: lanes,
    schedule,
    enqueue: (job) =>
      new Promise((resolve) => {
        const time = now();
        const lane = laneOf(job.unit.id);
        lane.usedAt = time;
        if (!countCall(lane, job.unit.policy.limits.perMinute, time)) return resolve(LIMITED);
        lane.queue.push(createInvocation(job, lane, resolve, time));
        waiting.add(lane);
        schedule();
      }),
    requeue(host, requests) {
      for (const request of requests.toReversed()) {
        resetForRequeue(host, request);
        request.lane.queue.unshift(request);
        waiting.add(request.lane);
      }
      unassign(host, now());
      schedule();
    },
    onHostReady(host) {
      if (host.frames.length === 0) return;
      const time = now();
      for (const request of host.requests.values()) request.queuedAt = time;
      for (const lane of waiting) {
        if (lane.hosts.size === 0) for (const request of lane.queue) request.queuedAt = time;
      }
    },
    isWaiting: () => waiting.size > 0,
    rejectAll(outcome) {
      for (const lane of waiting) for (const request of lane.queue.splice(0)) settle(null, request, outcome);
      waiting.clear();
    },
    rejectModule(unitId, outcome) {
      const lane = lanes.get(unitId);
      if (lane === undefined) return;
      for (const request of lane.queue.splice(0)) settle(null, request, outcome);
      waiting.delete(lane);
    },
    disposeIdleQueues() {
      const time = now();
      for (const [id, lane] of lanes) if (isDisposable(lane, time)) lanes.delete(id);
    },
  };
}
