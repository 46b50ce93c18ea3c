// What the code of each endpoint and hook has used in the last hour, by the minute: for the admin page. In memory, and so much for
// each module, however often it is called.

import type {
  InvocationRequest,
  InvocationResult,
  Sandbox,
  UsageObserver,
} from '../sandbox-supervisor/model/sandbox.ts';

/** Modules that are remembered: those that were used last. */
export const MAX_MODULES = 1000;
const MINUTE_MS = 60_000;
const MINUTES = 60;
const MB = 1024 * 1024;

interface UsageBucket {
  /** When the minute begins, in epoch milliseconds. */
  readonly at: number;
  readonly calls: number;
  readonly errors: number;
  /** Milliseconds of processor time. */
  readonly cpuMs: number;
}

export interface ModuleUsageReport {
  /** When the first minute begins, and the time of the report: epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly calls: number;
  readonly errors: number;
  readonly cpuMs: number;
  /** The most that the heap was seen to have, in megabytes; null where it was not looked at. */
  readonly maxHeapMb: number | null;
  /** One for each minute, the oldest first. */
  readonly buckets: readonly UsageBucket[];
}

const rounded = (value: number) => Math.round(value * 100) / 100;

/** What stands in a slot of a ring. */
const at = (values: Float64Array, slot: number): number => values[slot] ?? 0;

/** The last minutes of one module, in a ring. A slot that is of another minute counts as empty. */
class UsageRing {
  readonly #minutes = new Float64Array(MINUTES).fill(-1);
  readonly #calls = new Float64Array(MINUTES);
  readonly #errors = new Float64Array(MINUTES);
  readonly #cpuMs = new Float64Array(MINUTES);
  readonly #heapBytes = new Float64Array(MINUTES);

  has(minute: number): boolean {
    return this.#minutes[minute % MINUTES] === minute;
  }

  begin(minute: number): void {
    const slot = minute % MINUTES;
    this.#minutes[slot] = minute;
    for (const values of [this.#calls, this.#errors, this.#cpuMs, this.#heapBytes]) values[slot] = 0;
  }

  addCall(minute: number, failed: boolean): void {
    const slot = minute % MINUTES;
    this.#calls[slot] = at(this.#calls, slot) + 1;
    if (failed) this.#errors[slot] = at(this.#errors, slot) + 1;
  }

  addCpu(minute: number, ms: number): void {
    const slot = minute % MINUTES;
    this.#cpuMs[slot] = at(this.#cpuMs, slot) + ms;
  }

  seeHeap(minute: number, bytes: number): void {
    const slot = minute % MINUTES;
    this.#heapBytes[slot] = Math.max(at(this.#heapBytes, slot), bytes);
  }

  bucket(minute: number): UsageBucket {
    return {
      at: minute * MINUTE_MS,
      calls: this.#read(this.#calls, minute),
      errors: this.#read(this.#errors, minute),
      cpuMs: rounded(this.#read(this.#cpuMs, minute)),
    };
  }

  heapBytes(minute: number): number {
    return this.#read(this.#heapBytes, minute);
  }

  /** 0 where the slot of the minute is of another one. */
  #read(values: Float64Array, minute: number): number {
    return this.has(minute) ? at(values, minute % MINUTES) : 0;
  }
}

/** A hook that finds no room is invoked again by whoever called it: that is one call. */
const isRetried = (
  { moduleVersion }: Pick<InvocationRequest, 'moduleVersion'>,
  result: InvocationResult,
): boolean => moduleVersion.kind === 'hook' && result.kind === 'failure' && result.code === 'ENDPOINT_BUSY';

const hasFailed = (result: InvocationResult): boolean =>
  result.kind === 'failure' || (result.kind === 'next' && result.error !== undefined);

export class ModuleUsage {
  /** By id of the module: those that were used last stand last. */
  readonly #rings = new Map<string, UsageRing>();
  readonly #now: () => number;

  /** `now`: epoch milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The same sandbox, whose invocations are counted from now on. */
  around({ invoke }: Pick<Sandbox, 'invoke'>): Pick<Sandbox, 'invoke'> {
    return {
      invoke: (request) => {
        const result = invoke(request);
        result.then(
          (ended) => {
            if (!isRetried(request, ended)) this.addCall(request.moduleVersion.id, hasFailed(ended));
          },
          // Whoever invoked it hears of the error.
          () => undefined,
        );
        return result;
      },
    };
  }

  /** Hears what the sandbox tells of the code of modules; `next` hears it too. */
  observer(next: UsageObserver | undefined): UsageObserver {
    return {
      onStarted: (waitedMs) => next?.onStarted(waitedMs),
      onCpu: (moduleId, ms) => {
        this.addCpu(moduleId, ms);
        next?.onCpu(moduleId, ms);
      },
      onHeap: (moduleId, bytes) => this.seeHeap(moduleId, bytes),
    };
  }

  addCall(moduleId: string, failed: boolean): void {
    const minute = this.#minute();
    this.#ringOf(moduleId, minute).addCall(minute, failed);
  }

  /** Adds processor time, in milliseconds. */
  addCpu(moduleId: string, ms: number): void {
    const minute = this.#minute();
    this.#ringOf(moduleId, minute).addCpu(minute, ms);
  }

  /** The heap of the module was seen to have so many bytes. */
  seeHeap(moduleId: string, bytes: number): void {
    const minute = this.#minute();
    this.#ringOf(moduleId, minute).seeHeap(minute, bytes);
  }

  /** The last hour: this minute, which is not over, and those before it. */
  report(moduleId: string): ModuleUsageReport {
    const last = this.#minute();
    const minutes = Array.from({ length: MINUTES }, (_, index) => last - MINUTES + 1 + index);
    const ring = this.#rings.get(moduleId) ?? new UsageRing();
    const buckets = minutes.map((minute) => ring.bucket(minute));
    const sum = (member: 'calls' | 'errors' | 'cpuMs') =>
      buckets.reduce((total, bucket) => total + bucket[member], 0);
    const heapBytes = Math.max(...minutes.map((minute) => ring.heapBytes(minute)));
    return {
      from: (last - MINUTES + 1) * MINUTE_MS,
      to: this.#now(),
      calls: sum('calls'),
      errors: sum('errors'),
      cpuMs: rounded(sum('cpuMs')),
      maxHeapMb: heapBytes === 0 ? null : rounded(heapBytes / MB),
      buckets,
    };
  }

  #minute(): number {
    return Math.floor(this.#now() / MINUTE_MS);
  }

  #ringOf(moduleId: string, minute: number): UsageRing {
    const known = this.#rings.get(moduleId);
    if (known?.has(minute)) return known;
    const ring = known ?? new UsageRing();
    ring.begin(minute);
    this.#rings.delete(moduleId);
    const [oldest] = this.#rings.keys();
    if (this.#rings.size >= MAX_MODULES && oldest !== undefined) this.#rings.delete(oldest);
    this.#rings.set(moduleId, ring);
    return ring;
  }
}
