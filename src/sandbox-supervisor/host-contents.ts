// What one host has: the invocations that it has not finished, the frames that it has not answered, and the module versions that
// it has loaded.

import { MAX_TIMERS } from './guest-calls.ts';
import type { HostConnection } from './host-connection.ts';
import { type AssignedFrame, type Invocation, MAX_LOG_LINES } from './invocation.ts';
import type { ModuleVersion } from './model/module-version.ts';
import { LONG_SLICE_CPU_MS, LONG_SLICE_MS, UNMEASURED_MS } from './tuning.ts';

/** A `run` or `deliver` frame. */
export interface SentFrame extends AssignedFrame {
  readonly invocations: readonly Invocation[];
  /** A `deliver`: its invocation has started. */
  readonly isDelivery: boolean;
  /** How many invocations of its module version may be started and unfinished in the host. */
  readonly maxInFlight: number;
}

export class SentFrames {
  readonly #frames: SentFrame[] = [];
  #progressAt: number;
  #runsSince: number;
  #partialResults = 0;
  #cpuMs = 0;
  /** CPU that the process had used when the current frame was first measured. */
  #cpuMark: number | null = null;

  constructor(now: number) {
    this.#progressAt = now;
    this.#runsSince = now;
  }

  get length(): number {
    return this.#frames.length;
  }

  get current(): SentFrame | undefined {
    return this.#frames[0];
  }

  /** Frames in the pipe, behind the current one. */
  get queued(): readonly SentFrame[] {
    return this.#frames.slice(1);
  }

  /** When the current time slice began, as far as is known. */
  get progressAt(): number {
    return this.#progressAt;
  }

  /** Since when the host runs the current frame, as far as is known. */
  get runsSince(): number {
    return this.#runsSince;
  }

  /** Whether the host is in a long time slice. One that gets no core is not: more hosts would make that worse. */
  isLong(now: number): boolean {
    const ms = now - this.#progressAt;
    if (ms < LONG_SLICE_MS) return false;
    return this.#cpuMark === null ? ms >= UNMEASURED_MS : this.#cpuMs >= LONG_SLICE_CPU_MS;
  }

  /** CPU that the process was seen to use for the current frame. */
  get cpuMs(): number {
    return this.#cpuMs;
  }

  /** The largest number of invocations that one of them lets be in flight. */
  get maxInFlight(): number {
    return this.#frames.reduce((max, frame) => Math.max(max, frame.maxInFlight), 0);
  }

  isUsing(moduleNumber: number): boolean {
    return this.#frames.some((frame) => frame.moduleNumber === moduleNumber);
  }

  push(frame: SentFrame, now: number): void {
    this.#frames.push(frame);
    if (this.#frames.length > 1) return;
    this.#progressAt = now;
    this.#beginNext();
  }

  /** Records that the host did something: it came up, or sent a result. */
  recordProgress(now: number): void {
    this.#progressAt = now;
  }

  /**
   * Counts a result that does not complete the current frame. False when there are more than invocations: each counts as
   * progress, so that no timeout would ever end a host that sends them without end.
   */
  countPartialResult(): boolean {
    this.#partialResults += 1;
    return this.#partialResults <= (this.current?.invocations.length ?? 0);
  }

  /** Records what the process has used so far. Returns how much of that is for the current frame, from its first measurement. */
  recordCpu(usedMs: number): number {
    this.#cpuMark ??= usedMs;
    this.#cpuMs = usedMs - this.#cpuMark;
    return this.#cpuMs;
  }

  /** The current frame is answered. CPU that was seen to be used is charged to an invocation that was alone in it. */
  complete(): void {
    const frame = this.#frames.shift();
    if (frame?.invocations.length === 1) frame.invocations[0]?.addCpu(this.#cpuMs);
    this.#beginNext();
  }

  clear(): void {
    this.#frames.length = 0;
  }

  #beginNext(): void {
    this.#runsSince = this.#progressAt;
    this.#partialResults = 0;
    this.#cpuMs = 0;
    this.#cpuMark = null;
  }
}

/**
 * Invocations by number, in ascending order. A list: a `Map` whose members come and go makes a new table again and again, and
 * each of the old ones refers to the next, so that all that were ever in it would outlive most garbage collections.
 */
export class NumberedInvocations {
  readonly #list: Invocation[] = [];
  #characters = 0;

  get size(): number {
    return this.#list.length;
  }

  /** Characters of all their requests. */
  get characters(): number {
    return this.#characters;
  }

  get(number: number): Invocation | undefined {
    const invocation = this.#list[this.#place(number)];
    return invocation?.number === number ? invocation : undefined;
  }

  /** All of them, as they are now. */
  values(): readonly Invocation[] {
    return [...this.#list];
  }

  /** Adds one whose number is larger than that of any other. */
  add(invocation: Invocation): void {
    this.#list.push(invocation);
    this.#characters += invocation.characters;
  }

  delete(number: number): void {
    const place = this.#place(number);
    const invocation = this.#list[place];
    if (invocation?.number !== number) return;
    this.#list.splice(place, 1);
    this.#characters -= invocation.characters;
  }

  /** The place of the first whose number is not below this one. */
  #place(number: number): number {
    let from = 0;
    let to = this.#list.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#list[middle]?.number ?? 0) < number) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** Isolates that a host keeps: its memory limit then leaves enough for one full heap. */
const MAX_MODULES = 24;
/** How long a module may take to load, in milliseconds: here and when it is posted. */
export const LOAD_MS = 300;

/** The file name in stacks and messages of the module. */
function fileName({ id, kind }: ModuleVersion): string {
  return `${kind}.${id.slice(Math.max(id.lastIndexOf('/'), id.indexOf(':')) + 1)}.js`;
}

export class LoadedModules {
  readonly #send: HostConnection['send'];
  /** By number, least recently used first, with the id of their module. */
  readonly #moduleIds = new Map<number, string>();
  /** To be dropped once nothing of them runs. */
  readonly #evicted = new Set<number>();

  constructor(send: HostConnection['send']) {
    this.#send = send;
  }

  has(number: number): boolean {
    return this.#moduleIds.has(number);
  }

  /** The module of the code that was used last; null when there is none. */
  get lastModuleId(): string | null {
    return [...this.#moduleIds.values()].at(-1) ?? null;
  }

  /** Sends the code if the host does not have it; true if so. `isInUse` names the versions that must stay. */
  load(
    moduleVersion: ModuleVersion,
    number: number,
    isInUse: (number: number, moduleId: string) => boolean,
  ): boolean {
    const { id, kind, source, policy } = moduleVersion;
    if (this.#moduleIds.delete(number)) {
      // Deleted and set again, it is the one that was used last.
      this.#moduleIds.set(number, id);
      return false;
    }
    this.#dropLeastRecentlyUsed(isInUse);
    this.#moduleIds.set(number, id);
    const { isolation, limits, grants } = policy;
    const { cpuMs, wallMs, heapMb, responseBytes, logBytes, hostCalls } = limits;
    const perPolicy = { loadMs: LOAD_MS, cpuMs, wallMs, heapMb, responseBytes, logBytes, hostCalls };
    const fixed = { logLines: MAX_LOG_LINES, timers: MAX_TIMERS, timerMs: wallMs };
    const granted = {
      model: grants.collections.length > 0,
      fetch: grants.fetch.length > 0,
      bcrypt: grants.bcrypt.maxRounds > 0,
      config: JSON.stringify(grants.config),
    };
    const options = { name: fileName(moduleVersion), kind, isolation, ...perPolicy, ...fixed, ...granted };
    this.#send({ t: 'load', moduleNumber: number, ...options }, [source], Buffer.byteLength(source));
    return true;
  }

  /** Drops every version of a module: at once, or with `dropEvicted` when invocations of it still run. */
  evict(moduleId: string, isRunning: boolean): void {
    for (const [number, id] of this.#moduleIds) {
      if (id !== moduleId) continue;
      if (isRunning) this.#evicted.add(number);
      else this.#drop(number);
    }
  }

  dropEvicted(): void {
    for (const number of this.#evicted) this.#drop(number);
  }

  /** Makes space for one more. */
  #dropLeastRecentlyUsed(isInUse: (number: number, moduleId: string) => boolean): void {
    for (const [number, id] of this.#moduleIds) {
      if (this.#moduleIds.size < MAX_MODULES) return;
      if (!isInUse(number, id)) this.#drop(number);
    }
  }

  #drop(number: number): void {
    this.#moduleIds.delete(number);
    this.#evicted.delete(number);
    this.#send({ t: 'drop', moduleNumber: number }, [], 0);
  }
}
