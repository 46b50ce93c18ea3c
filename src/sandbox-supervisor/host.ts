// Hands requests and answers to a host, and keeps account of what it has.

import type { ModuleVersion } from './module-version.ts';
import type { HostCallResult } from './sandbox.ts';
import type { Host, Invocation, ModuleNumbers, RunFrame } from './state.ts';

/** Isolates that a host keeps: room is left for one full heap under its memory limit. */
const MAX_MODULES = 24;
/** What a module may take to load, in milliseconds: here and when it is posted. */
export const LOAD_MS = 300;
/** Lines and timers that one request may have. */
export const MAX_LOG_LINES = 100;
export const MAX_TIMERS = 20;

/** The file name that stacks and messages of the module show. */
function fileName({ id, kind }: ModuleVersion): string {
  return `${kind}.${id.slice(Math.max(id.lastIndexOf('/'), id.indexOf(':')) + 1)}.js`;
}

/** Room is made for one more unit. A unit with requests stays: they are of the lane that holds the host. */
function dropOldest(host: Host): void {
  const inUse = new Set(host.frames.map(({ unit }) => unit));
  for (const [number, id] of host.units) {
    if (host.units.size < MAX_MODULES) return;
    if (!inUse.has(number) && (id !== host.lane?.id || host.requests.size === 0)) drop(host, number);
  }
}

function drop(host: Host, number: number): void {
  host.units.delete(number);
  host.retired.delete(number);
  host.link.send({ t: 'drop', unit: number }, [], 0);
}

/** Sends the code if the host does not have it; true if so. */
function load(host: Host, unit: ModuleVersion, number: number): boolean {
  if (host.units.delete(number)) {
    // Deleted and set again, it is the one that was used last.
    host.units.set(number, unit.id);
    return false;
  }
  dropOldest(host);
  host.units.set(number, unit.id);
  const { isolation, limits, grants } = unit.policy;
  const { cpuMs, wallMs, heapMb, responseBytes, logBytes, hostCalls } = limits;
  const bounds = { loadMs: LOAD_MS, cpuMs, wallMs, heapMb, responseBytes, logBytes, hostCalls };
  const fixed = { logLines: MAX_LOG_LINES, timers: MAX_TIMERS, timerMs: wallMs };
  const powers = { model: grants.collections.length > 0, fetch: grants.fetch.length > 0 };
  const how = { name: fileName(unit), kind: unit.kind, isolation, ...bounds, ...fixed, ...powers };
  host.link.send({ t: 'load', unit: number, ...how }, [unit.source], Buffer.byteLength(unit.source));
  return true;
}

function expect(host: Host, frame: RunFrame, now: number): void {
  host.frames.push(frame);
  if (host.frames.length > 1) return;
  host.progressAt = now;
  beginFrame(host);
}

/** The host is at the first of its frames from now on. */
function beginFrame(host: Host): void {
  host.cpuMark = null;
  const [frame] = host.frames;
  if (frame !== undefined) frame.since = host.progressAt;
}

/** The host is done with a frame. What it was seen to use of CPU counts for the request, if it was that of one alone. */
export function completeFrame(host: Host): void {
  const done = host.frames.shift();
  const [request] = done?.requests ?? [];
  if (done !== undefined && done.requests.length === 1 && request !== undefined) request.cpuMs += done.cpuMs;
  beginFrame(host);
}

interface SendOptions {
  readonly unit: ModuleVersion;
  readonly requests: readonly Invocation[];
  readonly room: number;
  readonly numberOf: ModuleNumbers;
  readonly now: number;
}

/** Sends requests of one unit as one frame. The host belongs to their lane from now on. */
export function sendInvocations(host: Host, { unit, requests, room, numberOf, now }: SendOptions): void {
  const number = numberOf(unit);
  const isCold = load(host, unit, number);
  const frame: RunFrame = {
    unit: number,
    requests,
    isDelivery: false,
    isCold,
    room,
    parts: 0,
    since: 0,
    cpuMs: 0,
  };
  const jobs: [number, number, number][] = [];
  const texts: string[] = [];
  let rawBytes = 0;
  for (const request of requests) {
    const { head, body } = request.job;
    const headBytes = Buffer.byteLength(head);
    const bodyBytes = body === '' ? 0 : Buffer.byteLength(body);
    host.lastNumber += 1;
    request.number = host.lastNumber;
    request.frame = frame;
    host.requests.set(request.number, request);
    if (request.alone) host.exclusive = true;
    jobs.push([request.number, headBytes, bodyBytes]);
    texts.push(head, body);
    rawBytes += headBytes + bodyBytes;
  }
  const { lane } = requests[0] as Invocation;
  host.lane = lane;
  lane.hosts.add(host);
  expect(host, frame, now);
  host.link.send({ t: 'run', unit: number, room, jobs }, texts, rawBytes);
}

/** Sends the answer of a host call to the request that waits for it. */
export function sendHostCallResult(
  host: Host,
  request: Invocation,
  answer: HostCallResult & { readonly call: number; readonly now: number },
): void {
  const unit = request.frame?.unit;
  if (unit === undefined) return;
  const { call, ok, text, now } = answer;
  expect(
    host,
    { unit, requests: [request], isDelivery: true, isCold: false, room: 0, parts: 0, since: 0, cpuMs: 0 },
    now,
  );
  const header = { t: 'deliver', unit, job: request.number, call, ok } as const;
  host.link.send(header, [text], Buffer.byteLength(text));
}

/** Tells the host that a request is over which it may still hold. */
export function sendCancel(host: Host, request: Invocation): void {
  if (request.frame === null) return;
  host.link.send({ t: 'forget', unit: request.frame.unit, job: request.number }, [], 0);
}

/** Takes a host off its lane once it has nothing left to do, and lets retired units go. */
export function unassign(host: Host, now: number): void {
  if (host.requests.size > 0 || host.frames.length > 0) return;
  host.lane?.hosts.delete(host);
  host.lane = null;
  host.exclusive = false;
  host.idleSince = now;
  for (const number of host.retired) drop(host, number);
}

/** Marks every loaded version of a module: those without requests go at once. */
export function evictModule(host: Host, unitId: string): void {
  for (const [number, id] of host.units) {
    if (id !== unitId) continue;
    if (host.lane?.id === unitId) host.retired.add(number);
    else drop(host, number);
  }
}
