// The queue of one module and its pace: how many requests are worth sending at once, and how many hosts it may hold.
import type { Job, Outcome } from '../sandbox.ts';
import type { Lane, Request } from './state.ts';

/** Requests that may wait for a host, and for how long. */
export const MAX_QUEUE = 32;
const MAX_QUEUE_MS = 1000;
/** Most requests in one frame. */
const MAX_DEPTH = 16;
/** A frame should not hold a host for longer than this. */
const FRAME_MS = 8;
/** Up to this length of a turn it pays to have the next frame lie ready in the pipe. */
const PIPELINE_MS = 1;
const SLOW_TURN_MS = 50;
const SLOW_FOR_MS = 60_000;
const MINUTE_MS = 60_000;
/** Weight of what is new in a running mean. */
const NEW = 0.2;

export function createLane(id: string, now: number): Lane {
  return {
    id,
    queue: [],
    hosts: new Set(),
    turnMs: undefined,
    slowUntil: 0,
    waits: 0,
    minuteFrom: now,
    minuteCount: 0,
    usedAt: now,
  };
}

export function createRequest(
  job: Job,
  lane: Lane,
  resolve: (outcome: Outcome) => void,
  now: number,
): Request {
  return {
    job,
    lane,
    resolve,
    queuedAt: now,
    number: 0,
    frame: null,
    begun: false,
    startedAt: 0,
    alone: false,
    over: false,
    hasActed: false,
    calls: 0,
    timerCalls: 0,
    inFlight: 0,
    logLines: 0,
    logLength: 0,
    controller: null,
    timers: null,
  };
}

/** Counts a request towards its minute; false when that is full. A minute begins with the first request after the last one. */
export function countTowardsMinute(lane: Lane, perMinute: number, now: number): boolean {
  if (now - lane.minuteFrom >= MINUTE_MS) {
    lane.minuteFrom = now;
    lane.minuteCount = 0;
  }
  if (perMinute > 0 && lane.minuteCount >= perMinute) return false;
  lane.minuteCount += 1;
  return true;
}

/** Takes note of the longest turn of a frame. */
export function noteTurn(lane: Lane, turnMs: number, now: number): void {
  lane.turnMs = lane.turnMs === undefined ? turnMs : lane.turnMs + (turnMs - lane.turnMs) * NEW;
  if (turnMs > SLOW_TURN_MS) lane.slowUntil = now + SLOW_FOR_MS;
}

/** Marks a lane whose present turn has been running for so long. */
export function noteRunningTurn(lane: Lane, runningMs: number, now: number): void {
  if (runningMs > SLOW_TURN_MS) lane.slowUntil = now + SLOW_FOR_MS;
}

/** Takes note of whether a request that is over had made host calls. */
export function noteWaiting(lane: Lane, waited: boolean): void {
  lane.waits += ((waited ? 1 : 0) - lane.waits) * NEW;
}

/** It has waited for a host for as long as a caller is made to. */
export const isWaitingTooLong = ({ queuedAt }: Request, now: number): boolean =>
  now - queuedAt > MAX_QUEUE_MS;

export const isSlow = (lane: Lane, now: number): boolean => now < lane.slowUntil;

/** Requests for one frame. */
export function depthOf({ turnMs }: Lane): number {
  if (turnMs === undefined) return MAX_DEPTH;
  return Math.max(1, Math.min(MAX_DEPTH, Math.floor(FRAME_MS / turnMs)));
}

/** Frames that one host may have at once. */
export function framesAtOnce({ turnMs }: Lane): number {
  return turnMs === undefined || turnMs <= PIPELINE_MS ? 2 : 1;
}

/** Nothing of it is left that a later request would need. */
export function isForgettable(lane: Lane, now: number): boolean {
  return lane.queue.length === 0 && lane.hosts.size === 0 && now - lane.usedAt > MINUTE_MS;
}
