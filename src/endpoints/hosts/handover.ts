// Hands requests and answers to a host, and keeps account of what it has.
import type { HostAnswer } from '../sandbox.ts';
import type { Unit } from '../unit.ts';
import type { Frame, Host, NumberOf, Request } from './state.ts';

/** Isolates that a host keeps: room is left for one full heap under its memory limit. */
const MAX_UNITS = 24;
/** What a module may take to load, in milliseconds: here and when it is posted. */
export const LOAD_MS = 300;
/** Lines and timers that one request may have. */
export const LOG_LINES = 100;
export const TIMERS = 20;

/** The file name that stacks and messages of the module show. */
function fileName({ id, kind }: Unit): string {
  return `${kind}.${id.slice(Math.max(id.lastIndexOf('/'), id.indexOf(':')) + 1)}.js`;
}

/** Room is made for one more unit. A unit with requests stays: they are of the lane that holds the host. */
function dropOldest(host: Host): void {
  const inUse = new Set(host.frames.map(({ unit }) => unit));
  for (const [number, id] of host.units) {
    if (host.units.size < MAX_UNITS) return;
    if (!inUse.has(number) && (id !== host.lane?.id || host.requests.size === 0)) drop(host, number);
  }
}

function drop(host: Host, number: number): void {
  host.units.delete(number);
  host.retired.delete(number);
  host.link.send({ t: 'drop', unit: number }, [], 0);
}

/** Sends the code if the host does not have it; true if so. */
function load(host: Host, unit: Unit, number: number): boolean {
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
  const fixed = { logLines: LOG_LINES, timers: TIMERS, timerMs: wallMs };
  const powers = { model: grants.collections.length > 0, fetch: grants.fetch.length > 0 };
  const how = { name: fileName(unit), kind: unit.kind, isolation, ...bounds, ...fixed, ...powers };
  host.link.send({ t: 'load', unit: number, ...how }, [unit.source], Buffer.byteLength(unit.source));
  return true;
}

function expect(host: Host, frame: Frame, now: number): void {
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
export function nextFrame(host: Host): void {
  const done = host.frames.shift();
  const [request] = done?.requests ?? [];
  if (done !== undefined && done.requests.length === 1 && request !== undefined) request.cpuMs += done.cpuMs;
  beginFrame(host);
}

interface Handover {
  readonly unit: Unit;
  readonly requests: readonly Request[];
  readonly room: number;
  readonly numberOf: NumberOf;
  readonly now: number;
}

/** Sends requests of one unit as one frame. The host belongs to their lane from now on. */
export function hand(host: Host, { unit, requests, room, numberOf, now }: Handover): void {
  const number = numberOf(unit);
  const isCold = load(host, unit, number);
  const frame: Frame = {
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
  const { lane } = requests[0] as Request;
  host.lane = lane;
  lane.hosts.add(host);
  expect(host, frame, now);
  host.link.send({ t: 'run', unit: number, room, jobs }, texts, rawBytes);
}

/** Sends the answer of a host call to the request that waits for it. */
export function deliver(
  host: Host,
  request: Request,
  answer: HostAnswer & { readonly call: number; readonly now: number },
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
export function forget(host: Host, request: Request): void {
  if (request.frame === null) return;
  host.link.send({ t: 'forget', unit: request.frame.unit, job: request.number }, [], 0);
}

/** Takes a host off its lane once it has nothing left to do, and lets retired units go. */
export function release(host: Host, now: number): void {
  if (host.requests.size > 0 || host.frames.length > 0) return;
  host.lane?.hosts.delete(host);
  host.lane = null;
  host.exclusive = false;
  host.idleSince = now;
  for (const number of host.retired) drop(host, number);
}

/** Marks every loaded version of a module: those without requests go at once. */
export function retire(host: Host, unitId: string): void {
  for (const [number, id] of host.units) {
    if (id !== unitId) continue;
    if (host.lane?.id === unitId) host.retired.add(number);
    else drop(host, number);
  }
}
