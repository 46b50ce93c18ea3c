// The queue of one module and its pace: how many requests are worth sending at once, and how many hosts it may hold.
import type { InvocationRequest, InvocationResult } from './sandbox.ts';
import type { Invocation, ModuleQueue } from './state.ts';

/** Requests that may wait for a host, and for how long. */
const MAX_QUEUE = 32;
/** The same where requests only pass through: that many are gone in the blink of an eye. */
const MAX_STREAM_QUEUE = 1024;
const MAX_QUEUE_MS = 1000;
/** Most requests in one frame. */
const MAX_BATCH = 16;
/** A frame should not hold a host for longer than this. */
const FRAME_MS = 8;
/** Up to these lengths of a turn it pays to have further frames lie ready in the pipe. */
const PIPELINE_MS = 1;
const STREAM_MS = 0.25;
/** After a longer turn a lane is slow for a hundred times as long, at most a minute. */
const SLOW_TURN_MS = 50;
const SLOW_FACTOR = 100;
const SLOW_FOR_MS = 60_000;
/** More than this in one frame counts as a lot. */
const MIN_LARGE_RESPONSE_BYTES = 262_144;
/**
 * Bytes a millisecond that one lane may answer for long. Answers of megabytes cost the server's thread collections of garbage,
 * which all others wait for: at four times as much a neighbour's p99 was twenty times its own.
 */
const BYTES_PER_MS = 65_536;
const MINUTE_MS = 60_000;
/** What is thought of a turn before the first one was seen. */
const UNKNOWN_MS = 0.2;
/**
 * Weights of what is new in the running mean of turns. A long one says little, as the machine may have been busy, and hosts
 * give requests back after it anyway; a short one says that turns can be short.
 */
const LONGER = 0.02;
const SHORTER = 0.5;
/** Weight of a request in the share of those that wait. */
const NEW = 0.2;
/** Share of waiting requests that counts as none. */
const RARELY = 0.01;

/** An empty queue, of whose pace nothing is known. `now`: milliseconds of a steady clock. */
export function createModuleQueue(id: string, now: number): ModuleQueue {
  return {
    id,
    queue: [],
    hosts: new Set(),
    turnMs: UNKNOWN_MS,
    slowUntil: 0,
    restUntil: 0,
    waits: 0,
    minuteFrom: now,
    minuteCount: 0,
    usedAt: now,
  };
}

/** A job that begins to wait in its lane. `now`: milliseconds of a steady clock. */
export function createInvocation(
  job: InvocationRequest,
  lane: ModuleQueue,
  resolve: (outcome: InvocationResult) => void,
  now: number,
): Invocation {
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
    cpuMs: 0,
    controller: null,
    timers: null,
  };
}

/** Counts a request towards its minute; false when that is full. A minute begins with the first request after the last one. */
export function countCall(lane: ModuleQueue, perMinute: number, now: number): boolean {
  if (now - lane.minuteFrom >= MINUTE_MS) {
    lane.minuteFrom = now;
    lane.minuteCount = 0;
  }
  if (perMinute > 0 && lane.minuteCount >= perMinute) return false;
  lane.minuteCount += 1;
  return true;
}

/** Takes note of a turn that may still be running, by the CPU that it has used. */
export function recordLongSlice(lane: ModuleQueue, turnMs: number, now: number): void {
  if (turnMs <= SLOW_TURN_MS) return;
  lane.slowUntil = Math.max(lane.slowUntil, now + Math.min(SLOW_FOR_MS, turnMs * SLOW_FACTOR));
}

/** Takes note of the longest turn of a frame. `isCold`: the first turn in an isolate says little of the next. */
export function recordLatency(
  lane: ModuleQueue,
  turnMs: number,
  { isCold, now }: { isCold: boolean; now: number },
): void {
  recordLongSlice(lane, turnMs, now);
  if (isCold) return;
  lane.turnMs += (turnMs - lane.turnMs) * (turnMs > lane.turnMs ? LONGER : SHORTER);
}

/** Takes note of what a frame of a host brought, in bytes. */
export function recordResponseBytes(lane: ModuleQueue, bytes: number, now: number): void {
  if (bytes <= MIN_LARGE_RESPONSE_BYTES) return;
  lane.restUntil = Math.max(lane.restUntil, now) + bytes / BYTES_PER_MS;
}

/** Whether others come first, as it has just answered a lot. */
export const isThrottled = (lane: ModuleQueue, now: number): boolean => now < lane.restUntil;

/** Takes note of a request that made a host call, or ended without. */
export function recordHostCallUse(lane: ModuleQueue, waited: boolean): void {
  lane.waits += ((waited ? 1 : 0) - lane.waits) * NEW;
}

/** It has waited for a host for as long as a caller is made to; once it has begun somewhere, for as long as it may run. */
export function isWaitingTooLong({ queuedAt, alone, job }: Invocation, now: number): boolean {
  return now - queuedAt > (alone ? job.unit.policy.limits.wallMs : MAX_QUEUE_MS);
}

export const isSlow = (lane: ModuleQueue, now: number): boolean => now < lane.slowUntil;

/** Requests for one frame. */
export function batchSize({ turnMs }: ModuleQueue): number {
  return Math.max(1, Math.min(MAX_BATCH, Math.floor(FRAME_MS / turnMs)));
}

/** Frames that one host may have at once. */
export function maxFrames({ turnMs }: ModuleQueue): number {
  return turnMs <= STREAM_MS ? 3 : turnMs <= PIPELINE_MS ? 2 : 1;
}

/** Whether its requests end, nearly all, in their first turn. */
export const isNonBlocking = ({ waits }: ModuleQueue): boolean => waits < RARELY;

/** Requests that may wait for a host. */
export function maxWaiting(lane: ModuleQueue): number {
  const isStream = lane.turnMs <= STREAM_MS && isNonBlocking(lane);
  return isStream ? MAX_STREAM_QUEUE : MAX_QUEUE;
}

/** Nothing of it is left that a later request would need. */
export function isDisposable(lane: ModuleQueue, now: number): boolean {
  return lane.queue.length === 0 && lane.hosts.size === 0 && now - lane.usedAt > MINUTE_MS;
}
