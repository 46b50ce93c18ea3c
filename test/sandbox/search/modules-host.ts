// A real host process for many modules, one after the other: sends it frames as the server does, and reads what comes back.
import type { GuestEventKind, LoadOptions, SliceError } from '../../../sandbox/protocol.ts';
import { cpuMsOf } from '../../../src/sandbox-supervisor/process-usage.ts';
import { type HostProcess, startHost } from '../lab/host-process.ts';

export interface HostEvent {
  readonly number: number;
  readonly kind: GuestEventKind;
  readonly head: string;
  readonly body: string;
}

/** All that a host has said about one frame that it was sent. */
export interface FrameResult {
  readonly events: readonly HostEvent[];
  readonly errors: readonly (readonly [number: number, kind: SliceError, message: string])[];
  readonly returned: readonly number[];
  readonly disposed: boolean;
  readonly sliceMs: number;
}

interface ResultsHeader extends Omit<FrameResult, 'events'> {
  readonly t: string;
  readonly idle: boolean;
  readonly events: readonly (readonly [number, GuestEventKind, number, number])[];
}

export interface SentRequest {
  readonly number: number;
  readonly head: string;
  readonly body: string;
}

/** The process has ended, by which signal, or was killed because it did not come back. */
export class HostGone extends Error {
  readonly signal: NodeJS.Signals | undefined;

  constructor(message: string, signal?: NodeJS.Signals | null) {
    super(message);
    this.signal = signal ?? undefined;
  }
}

/** More than any program has in flight. */
const MAX_IN_FLIGHT = 64;
/** How often a host that is waited for is looked at. */
const WATCH_MS = 100;
/** Frames are kept in memory as long as their host lives. */
const MAX_FRAMES = 4_000;

function eventsOf(header: ResultsHeader, raw: string): HostEvent[] {
  const bytes = Buffer.from(raw);
  let at = 0;
  const take = (length: number) => {
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  return header.events.map(([number, kind, headBytes, bodyBytes]) => {
    const head = take(headBytes);
    return { number, kind, head, body: take(bodyBytes) };
  });
}

export class ModulesHost {
  readonly #process: HostProcess;
  #lastModule = 0;
  #read = 0;
  #isGone = false;
  #wake = () => {};

  private constructor(process: HostProcess) {
    this.#process = process;
    process.socket.on('data', () => this.#wake());
    const gone = () => {
      this.#isGone = true;
      this.#wake();
    };
    process.exit.then(gone, gone);
  }

  static async start(): Promise<ModulesHost> {
    const host = new ModulesHost(startHost());
    await host.#next(60_000);
    return host;
  }

  /** Whether it can take further modules. */
  get isUsable(): boolean {
    return !this.#isGone && this.#read < MAX_FRAMES;
  }

  load(options: LoadOptions & { readonly name: string }, source: string): number {
    this.#lastModule += 1;
    this.#process.send({ ...options, t: 'load', moduleNumber: this.#lastModule }, source);
    return this.#lastModule;
  }

  drop(moduleNumber: number): void {
    this.#process.send({ t: 'drop', moduleNumber });
  }

  forget(moduleNumber: number, number: number): void {
    this.#process.send({ t: 'forget', moduleNumber, number });
  }

  /** `maxCpuMs`: processor time of the process after which the host counts as stuck, and is killed. */
  run(moduleNumber: number, list: readonly SentRequest[], maxCpuMs: number): Promise<FrameResult> {
    const requests = list.map(({ number, head, body }) => [
      number,
      Buffer.byteLength(head),
      Buffer.byteLength(body),
    ]);
    const texts = list.flatMap(({ head, body }) => [head, body]);
    this.#process.send({ t: 'run', moduleNumber, maxInFlight: MAX_IN_FLIGHT, requests }, ...texts);
    return this.#result(maxCpuMs);
  }

  deliver(
    moduleNumber: number,
    { number, call, ok, text }: { number: number; call: number; ok: boolean; text: string },
    maxCpuMs: number,
  ): Promise<FrameResult> {
    this.#process.send({ t: 'deliver', moduleNumber, number, call, ok }, text);
    return this.#result(maxCpuMs);
  }

  kill(): void {
    this.#process.child.kill('SIGKILL');
  }

  async #result(maxCpuMs: number): Promise<FrameResult> {
    const events: HostEvent[] = [];
    const errors: FrameResult['errors'][number][] = [];
    let disposed = false;
    let sliceMs = 0;
    for (;;) {
      const { header, raw } = await this.#next(maxCpuMs);
      if (header.t !== 'results') throw new HostGone(`it sent ${JSON.stringify(header)}`);
      const results = header as unknown as ResultsHeader;
      events.push(...eventsOf(results, raw));
      errors.push(...results.errors);
      disposed ||= results.disposed;
      sliceMs = Math.max(sliceMs, results.sliceMs);
      if (results.idle) return { events, errors, returned: results.returned, disposed, sliceMs };
    }
  }

  /** The next frame. The clock only says when to look at the processor time of the process. */
  async #next(maxCpuMs: number): Promise<HostProcess['frames'][number]> {
    const { frames, child } = this.#process;
    const pid = child.pid ?? 0;
    const used = cpuMsOf(pid) ?? 0;
    while (frames.length <= this.#read) {
      if (this.#isGone) throw new HostGone(`it ended by itself: ${child.signalCode}`, child.signalCode);
      const watch = setTimeout(() => this.#wake(), WATCH_MS);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      clearTimeout(watch);
      if (frames.length > this.#read || (cpuMsOf(pid) ?? 0) - used <= maxCpuMs) continue;
      this.kill();
      throw new HostGone(`it did not come back in ${maxCpuMs} ms of processor time`);
    }
    const frame = frames[this.#read];
    this.#read += 1;
    return frame as HostProcess['frames'][number];
  }
}
