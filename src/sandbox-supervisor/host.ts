// One sandbox process: the modules it has loaded, the frames it was sent, and the invocations it has not finished.
import type { ToHost } from '../../sandbox/protocol.ts';
import type { HostConnection } from './host-connection.ts';
import { LoadedModules, NumberedInvocations, SentFrames } from './host-contents.ts';
import type { Invocation } from './invocation.ts';
import type { IsolationLayers } from './isolation/isolation-levels.ts';
import type { ModuleVersion } from './model/module-version.ts';
import type { GuestCallResult } from './model/sandbox.ts';
import type { ModuleQueue } from './module-queue.ts';

const INSPECTION_DOMAIN = ' inspect';

interface HostOptions {
  /** Connects it to its process. */
  readonly connect: (host: Host) => HostConnection;
  /** It runs with the just-in-time compiler. */
  readonly jit: boolean;
  /** Milliseconds of a steady clock, like all times here. */
  readonly now: number;
}

interface SendOptions {
  readonly queue: ModuleQueue;
  readonly moduleVersion: ModuleVersion;
  readonly moduleNumber: number;
  readonly invocations: readonly Invocation[];
  readonly maxInFlight: number;
  readonly now: number;
}

/** The trust domain of hosts that inspect code: one per author, and one for files (null). No policy can name it, for its space. */
export function inspectionDomain(author: string | null): string {
  return author === null ? INSPECTION_DOMAIN : `${INSPECTION_DOMAIN} ${author}`;
}

export class Host {
  readonly jit: boolean;
  readonly startedAt: number;
  /** What it was sent and has not answered. */
  readonly frames: SentFrames;
  readonly #connection: HostConnection;
  readonly #invocations = new NumberedInvocations();
  readonly #modules: LoadedModules;
  #state: 'starting' | 'ready' | 'dead' = 'starting';
  #domain: string | null = null;
  #queue: ModuleQueue | null = null;
  #lastNumber = 0;
  #startedCount = 0;
  #isExclusive = false;
  #isInspecting = false;
  #isDraining = false;
  #idleSince: number;
  #cpuMs = 0;

  constructor({ connect, jit, now }: HostOptions) {
    this.#connection = connect(this);
    this.#modules = new LoadedModules(this.#connection.send);
    this.jit = jit;
    this.startedAt = now;
    this.frames = new SentFrames(now);
    this.#idleSince = now;
  }

  get state(): 'starting' | 'ready' | 'dead' {
    return this.#state;
  }

  /** Modules of two trust domains never share a host. Null: a spare host, which has run nothing. */
  get domain(): string | null {
    return this.#domain;
  }

  /** Whose invocations it has. A host serves one module at a time. */
  get queue(): ModuleQueue | null {
    return this.#queue;
  }

  /** Sent and not settled, by number. */
  get invocations(): Pick<NumberedInvocations, 'size' | 'characters' | 'get' | 'values'> {
    return this.#invocations;
  }

  /** Invocations that are started and unfinished. */
  get startedCount(): number {
    return this.#startedCount;
  }

  /** Invocations that may be started and unfinished in it, by what it was told. */
  get reservedConcurrency(): number {
    return Math.max(this.#startedCount, this.frames.maxInFlight);
  }

  /** It has an isolated retry, and is sent nothing else meanwhile. */
  get isExclusive(): boolean {
    return this.#isExclusive;
  }

  /** It is sent nothing new, and is killed when it is idle. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  get isSpare(): boolean {
    return this.#domain === null && this.#state !== 'dead';
  }

  get isIdle(): boolean {
    return this.#state === 'ready' && this.#queue === null && this.frames.length === 0 && !this.#isInspecting;
  }

  get isBusy(): boolean {
    return this.frames.length > 0 || this.#isInspecting;
  }

  get hasWork(): boolean {
    return this.frames.length > 0 || this.#invocations.size > 0;
  }

  get hasInspected(): boolean {
    return this.#domain?.startsWith(INSPECTION_DOMAIN) === true;
  }

  get idleSince(): number {
    return this.#idleSince;
  }

  /** Pid of the process that runs guest code; undefined while unknown. */
  get pid(): number | undefined {
    return this.#connection.pid();
  }

  /** When its current time slice began, as far as is known. */
  get progressAt(): number {
    return this.frames.progressAt;
  }

  /** The isolation layers around its process; none before it has started. */
  get outerLayers(): IsolationLayers {
    return this.#connection.layers();
  }

  /** The module of the code that it ran last; null when it has run none. */
  get lastModuleId(): string | null {
    return this.#modules.lastModuleId;
  }

  hasLoaded(moduleNumber: number): boolean {
    return this.#modules.has(moduleNumber);
  }

  /** Whether it ever had an invocation of this number. That one may be settled, with messages about it still on the way. */
  hasSent(number: number): boolean {
    return number > 0 && number <= this.#lastNumber;
  }

  /** Assigns it to a trust domain, for good. */
  reserve(domain: string): void {
    this.#domain = domain;
  }

  /** It is locked and listening. */
  becomeReady(now: number): void {
    this.#state = 'ready';
    this.frames.recordProgress(now);
    this.#idleSince = now;
  }

  drain(): void {
    this.#isDraining = true;
  }

  /** Ends the process, which counts as running until its exit is seen. */
  killProcess(): void {
    this.#connection.kill();
  }

  /** Marks it as dead and ends the process. Nothing that it sends is read any more. */
  exit(): void {
    this.#state = 'dead';
    this.#connection.kill();
  }

  /** Sends invocations of one module version as one frame, and the code first if the host does not have it. */
  send({ queue, moduleVersion, moduleNumber, invocations, maxInFlight, now }: SendOptions): void {
    // What has invocations stays: they are of the module that the host serves.
    const isServed = (id: string) => id === this.#queue?.moduleId && this.#invocations.size > 0;
    const isCold = this.#modules.load(
      moduleVersion,
      moduleNumber,
      (number, id) => isServed(id) || this.frames.isUsing(number),
    );
    const frame = { moduleNumber, invocations, isDelivery: false, isCold, maxInFlight };
    const requests: [number, number, number][] = [];
    const texts: string[] = [];
    let rawBytes = 0;
    for (const invocation of invocations) {
      const { head, body } = invocation.request;
      const headBytes = Buffer.byteLength(head);
      const bodyBytes = body === '' ? 0 : Buffer.byteLength(body);
      this.#lastNumber += 1;
      invocation.assign(this, this.#lastNumber, frame);
      this.#invocations.add(invocation);
      if (invocation.isIsolatedRetry) this.#isExclusive = true;
      requests.push([this.#lastNumber, headBytes, bodyBytes]);
      texts.push(head, body);
      rawBytes += headBytes + bodyBytes;
    }
    this.#queue = queue;
    this.frames.push(frame, now);
    this.#connection.send({ t: 'run', moduleNumber, maxInFlight, requests }, texts, rawBytes);
  }

  /** Sends the result of a guest call. */
  reply(invocation: Invocation, call: number, { ok, text }: GuestCallResult, now: number): void {
    if (this.#state === 'dead') return;
    const { number, frame } = invocation;
    if (frame === null) return;
    const { moduleNumber } = frame;
    const invocations = [invocation];
    this.frames.push({ moduleNumber, invocations, isDelivery: true, isCold: false, maxInFlight: 0 }, now);
    const header = { t: 'deliver', moduleNumber, number, call, ok } as const;
    this.#connection.send(header, [text], Buffer.byteLength(text));
  }

  /** Tells the process that an invocation is settled which it may still have. */
  cancel({ number, frame }: Invocation): void {
    if (frame !== null)
      this.#connection.send({ t: 'forget', moduleNumber: frame.moduleNumber, number }, [], 0);
  }

  /** Sends code for inspection. */
  sendInspection(message: Extract<ToHost, { readonly t: 'inspect' }>, source: string): void {
    this.#isInspecting = true;
    this.#connection.send(message, [source], Buffer.byteLength(source));
  }

  endInspection(now: number): void {
    this.#isInspecting = false;
    this.#idleSince = now;
  }

  /** Counts an invocation that ran its first time slice. */
  recordStart(): void {
    this.#startedCount += 1;
  }

  /** Forgets an invocation that was settled or reset. Called by the invocation. */
  remove(invocation: Invocation): void {
    this.#invocations.delete(invocation.number);
    if (invocation.hasStarted) this.#startedCount -= 1;
  }

  /**
   * Takes processor time that the process says it has used. Returns how much of it is possible: a host runs one time slice after the
   * other, so that all of them are no longer than it is old.
   */
  addCpu(ms: number, now: number): number {
    const added = Math.max(0, Math.min(ms, now - this.startedAt - this.#cpuMs));
    this.#cpuMs += added;
    return added;
  }

  /** Frees the host for other modules if it has nothing left to do, and drops evicted code. */
  release(now: number): void {
    if (this.hasWork) return;
    this.#queue = null;
    this.#isExclusive = false;
    this.#idleSince = now;
    this.#modules.dropEvicted();
  }

  /** Drops every loaded version of a module: at once, or when its invocations have ended. */
  evict(moduleId: string): void {
    this.#modules.evict(moduleId, this.#queue?.moduleId === moduleId);
  }
}
