// Queues requests and hands them to hosts, one frame for each lane in turn.
import type { Job, Outcome } from '../sandbox.ts';
import { hand, release } from './handover.ts';
import {
  countTowardsMinute,
  createLane,
  createRequest,
  depthOf,
  isForgettable,
  isResting,
  longestQueue,
} from './lane.ts';
import { type Bounds, place, roomIn } from './placement.ts';
import type { Pool } from './pool.ts';
import { failure, settle, takeBack } from './requests.ts';
import type { Host, Lane, NumberOf, Request } from './state.ts';

interface DispatcherOptions {
  readonly pool: Pick<Pool, 'hosts' | 'start' | 'keepSpare' | 'isBroken'>;
  readonly bounds: Bounds;
  /** Trust domains whose hosts have the just-in-time compiler. */
  readonly jitDomains: ReadonlySet<string>;
  readonly numberOf: NumberOf;
  readonly now: () => number;
}

export interface Dispatcher {
  readonly lanes: ReadonlyMap<string, Lane>;
  run(job: Job): Promise<Outcome>;
  /** Takes requests out of a host and puts them in front of their queues, in their order. */
  putBack(host: Host, requests: readonly Request[]): void;
  /** Looks for room soon, once for all that happens until then. */
  schedule(): void;
  /** A host with requests has come up: the time that it took is nobody's wait for a turn. */
  started(host: Host): void;
  /** Whether any request waits for a host. */
  isWaiting(): boolean;
  /** Gives up what waits. */
  refuseAll(outcome: Outcome): void;
  /** Gives up what waits of one module. */
  refuse(unitId: string, outcome: Outcome): void;
  /** Forgets lanes that nobody used for a while. */
  tidy(): void;
}

/** Bytes, roughly, of the requests of one frame: a large one travels alone. */
const FRAME_LENGTH = 1_048_576;

const BUSY = failure('ENDPOINT_BUSY', 'Too many requests wait for a host');
const LIMITED = failure('ENDPOINT_RATE_LIMITED', 'It was called too often within a minute');
const NO_HOST = failure('SANDBOX_DISABLED', 'No host process can be started');

/** Takes the next requests of one unit from the front of the queue. */
function takeBatch(lane: Lane, most: number): Request[] {
  const [first] = lane.queue;
  const batch: Request[] = [];
  let length = 0;
  for (const request of lane.queue) {
    if (request.job.unit !== first?.job.unit || (batch.length > 0 && request.alone)) break;
    length += request.job.head.length + request.job.body.length;
    if (batch.length > 0 && length > FRAME_LENGTH) break;
    batch.push(request);
    if (batch.length === most || request.alone) break;
  }
  lane.queue.splice(0, batch.length);
  return batch;
}

/** Makes the queues of all modules. Nothing runs before the first `run`. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { pool, bounds, jitDomains, numberOf, now } = options;
  const lanes = new Map<string, Lane>();
  /** Lanes with a queue; whoever got something goes to the end. */
  const waiting = new Set<Lane>();
  let isScheduled = false;

  const laneOf = (id: string): Lane => {
    let lane = lanes.get(id);
    if (lane === undefined) {
      lane = createLane(id, now());
      lanes.set(id, lane);
    }
    return lane;
  };

  /** Hands one frame over. False: the lane has to wait. */
  const handOne = (lane: Lane, mayPipeline: boolean): boolean => {
    const [first] = lane.queue;
    if (first === undefined) return false;
    const { unit } = first.job;
    const { trustDomain: domain, limits } = unit.policy;
    const jit = jitDomains.has(domain);
    const time = now();
    const wanted = { lane, domain, jit, unit: numberOf(unit), concurrency: limits.concurrency, now: time };
    const found = place(pool.hosts, { ...wanted, alone: first.alone, mayPipeline }, bounds);
    const host = found === 'start' ? pool.start(domain, jit) : found;
    if (host === null) return false;
    const isNew = host.domain === null || found === 'start';
    host.domain = domain;
    const room = first.alone ? 1 : roomIn(lane, host, limits.concurrency);
    const requests = takeBatch(lane, depthOf(lane));
    hand(host, { unit, requests, room, numberOf, now: time });
    if (isNew) pool.keepSpare();
    return true;
  };

  const trim = (lane: Lane) => {
    const refusal = pool.isBroken() ? NO_HOST : BUSY;
    const most = pool.isBroken() ? 0 : longestQueue(lane);
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
        if (isResting(lane, now())) continue;
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
    lanes,
    schedule,
    run: (job) =>
      new Promise((resolve) => {
        const time = now();
        const lane = laneOf(job.unit.id);
        lane.usedAt = time;
        if (!countTowardsMinute(lane, job.unit.policy.limits.perMinute, time)) return resolve(LIMITED);
        lane.queue.push(createRequest(job, lane, resolve, time));
        waiting.add(lane);
        schedule();
      }),
    putBack(host, requests) {
      for (const request of requests.toReversed()) {
        takeBack(host, request);
        request.lane.queue.unshift(request);
        waiting.add(request.lane);
      }
      release(host, now());
      schedule();
    },
    started(host) {
      if (host.frames.length === 0) return;
      const time = now();
      for (const request of host.requests.values()) request.queuedAt = time;
      for (const lane of waiting) {
        if (lane.hosts.size === 0) for (const request of lane.queue) request.queuedAt = time;
      }
    },
    isWaiting: () => waiting.size > 0,
    refuseAll(outcome) {
      for (const lane of waiting) for (const request of lane.queue.splice(0)) settle(null, request, outcome);
      waiting.clear();
    },
    refuse(unitId, outcome) {
      const lane = lanes.get(unitId);
      if (lane === undefined) return;
      for (const request of lane.queue.splice(0)) settle(null, request, outcome);
      waiting.delete(lane);
    },
    tidy() {
      const time = now();
      for (const [id, lane] of lanes) if (isForgettable(lane, time)) lanes.delete(id);
    },
  };
}
