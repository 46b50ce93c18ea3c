// Runs one program in a real host, and says what its plain requests could see of the hostile ones.
import type { Program } from './grammar.ts';
import type { FrameResult, ModulesHost } from './modules-host.ts';
import { createRandom, type Random } from './random.ts';
import { answerTo, SearchRequest } from './requests.ts';

/** A plain request, or the host, was not as it would have been without the hostile ones. */
export class Leak extends Error {
  /** It may be that of a machine that is busy with something else. */
  readonly isAboutTime: boolean;

  constructor(message: string, isAboutTime = false) {
    super(message);
    this.isAboutTime = isAboutTime;
  }
}

/** Processor time of others that may show up in the time slice of a plain request: shares of the limit of a request. */
const MAX_FOREIGN_SHARE = 0.5;
/** A frame may take this many times the limit of its requests, and this many milliseconds, before the host counts as stuck. */
const STUCK_FACTOR = 4;
const STUCK_MS = 1_500;
/** Guest calls of one program that are answered at most: some start timers for ever. */
const MAX_ANSWERS = 60;

export class Trial {
  readonly #host: ModulesHost;
  readonly #program: Program;
  readonly #random: Random;
  #module: number;
  #lastNumber = 0;
  #answers = 0;
  /** All that were sent, by number, and those of them that wait for a guest call. */
  readonly #requests: SearchRequest[] = [];
  /** Requests that were given back or lost, and are to be sent again. */
  #again: SearchRequest[] = [];
  /** What happened, for the report. */
  readonly history: string[] = [];

  constructor(host: ModulesHost, program: Program) {
    this.#host = host;
    this.#program = program;
    this.#random = createRandom(program.seed + 1);
    this.#module = host.load(program.options, program.source);
  }

  /** What was heard of the plain requests. Throws a `Leak` as soon as something is wrong. */
  async run(): Promise<readonly SearchRequest[]> {
    for (const { roles, answers } of this.#program.steps) {
      await this.#send(roles.map((role) => this.#request(role)));
      await this.#answer(answers, () => this.#waiting());
    }
    await this.#finish();
    this.#host.drop(this.#module);
    return this.#requests.filter(({ role }) => role === 'plain');
  }

  #request(role: SearchRequest['role']): SearchRequest {
    this.#lastNumber += 1;
    return new SearchRequest(this.#lastNumber, role, this.#program);
  }

  /** The plain ones get all that they wait for; the hostile ones are forgotten, as when their time is over. */
  async #finish(): Promise<void> {
    const isPlain = ({ role }: SearchRequest) => role === 'plain';
    for (let rounds = 0; this.#again.length > 0 || this.#waiting().some(isPlain); rounds += 1) {
      if (rounds > 20) throw new Leak('a plain request never ends');
      await this.#send([]);
      await this.#answer(MAX_ANSWERS, () => this.#waiting().filter(isPlain));
    }
    const hostile = this.#waiting();
    for (const request of hostile) {
      this.#host.forget(this.#module, request.number);
      request.end();
      this.history.push(`forgotten: ${request.number}`);
    }
    if (hostile.length > 0) {
      await this.#send([this.#request('plain')]);
      await this.#answer(MAX_ANSWERS, () => this.#waiting());
    }
  }

  #waiting = () => this.#requests.filter(({ isOver, pending }) => !isOver && pending.length > 0);

  /** Sends these in one frame, behind those that are to be sent again, until none of them is given back. */
  async #send(added: readonly SearchRequest[]): Promise<void> {
    let frame = [...this.#again, ...added];
    this.#again = [];
    for (let rounds = 0; frame.length > 0; rounds += 1) {
      if (rounds > 40) throw new Leak('requests are given back again and again');
      this.#requests.push(...frame.filter((request) => !this.#requests.includes(request)));
      this.history.push(`sent: ${frame.map(({ number, role }) => `${number} ${role}`).join(', ')}`);
      const maxCpuMs = this.#maxCpuMs(frame.length);
      const result = await this.#host.run(this.#module, frame, maxCpuMs);
      const back = frame.filter(({ number }) => result.returned.includes(number));
      this.#read(result, frame);
      frame = [...back, ...this.#again];
      this.#again = [];
    }
  }

  async #answer(max: number, waiting: () => readonly SearchRequest[]): Promise<void> {
    for (let left = max; left > 0 && this.#answers < MAX_ANSWERS * 2; left -= 1) {
      const calls = waiting().flatMap(({ pending }) => pending);
      if (calls.length === 0) return;
      const chosen = this.#random.pick(calls);
      const { request } = chosen;
      request.pending.splice(request.pending.indexOf(chosen), 1);
      this.#answers += 1;
      this.history.push(`answered: ${chosen.name} ${chosen.call} of ${request.number} ${request.role}`);
      this.#read(await this.#host.deliver(this.#module, answerTo(chosen), this.#maxCpuMs(1)), [request]);
    }
  }

  #maxCpuMs = (requests: number) => this.#program.options.cpuMs * requests * STUCK_FACTOR + STUCK_MS;

  /** Takes in what came back for these, and judges it. */
  #read(result: FrameResult, frame: readonly SearchRequest[]): void {
    const { cpuMs, isolation } = this.#program.options;
    const { errors, returned, disposed, sliceMs } = result;
    const of = (number: number) => frame.find((request) => request.number === number);
    const spoken = this.#hear(result, frame);
    for (const [number, kind, message] of errors) {
      this.history.push(`  failed: ${number} ${kind} ${message}`);
      if (of(number)?.role !== 'hostile')
        throw new Leak(`${kind} of the plain request ${number}`, kind === 'timeout');
      of(number)?.end();
    }
    if (returned.length > 0) this.history.push(`  given back: ${returned.join()}`);
    for (const number of returned) {
      if (of(number) === undefined) throw new Leak(`${number} is given back, but was not sent`);
      if (spoken.has(number)) throw new Leak(`${number} is given back after it began`);
    }
    const isPlain = frame.every(({ role }) => role === 'plain');
    if (isPlain && sliceMs > cpuMs * MAX_FOREIGN_SHARE) {
      throw new Leak(`a plain request took ${Math.round(sliceMs)} ms of processor time`, true);
    }
    if (isolation === 'isolate' && disposed) throw new Leak('an isolate of its own counts as that of others');
    if (disposed) this.#lose(isPlain, returned);
    for (const { number, isOver, events } of frame) {
      const isSettled = isOver || returned.includes(number) || events.some(({ kind }) => kind === 'call');
      if (!isSettled) throw new Leak(`${number} has neither ended nor waits`);
    }
  }

  /** Each event must be of the request whose time slice it is. Returns the numbers of those that were heard. */
  #hear({ events }: FrameResult, frame: readonly SearchRequest[]): ReadonlySet<number> {
    const wereOver = new Set(frame.filter(({ isOver }) => isOver));
    const spoken = new Set<number>();
    let last = 0;
    for (const event of events) {
      const { number, kind, head, body } = event;
      this.history.push(`  heard: ${number} ${kind} ${head} ${body}`.slice(0, 1_000));
      const request = frame.find((other) => other.number === number);
      if (request === undefined) throw new Leak(`${kind} of ${number}, whose time slice it was not`);
      if (wereOver.has(request)) throw new Leak(`${kind} of ${number}, which had ended before`);
      if (request.isOver && kind !== 'log') throw new Leak(`${kind} of ${number} after its end`);
      if (spoken.has(number) && number !== last) throw new Leak(`${kind} of ${number} after one of ${last}`);
      last = number;
      spoken.add(number);
      request.hear(event);
    }
    return spoken;
  }

  /** The isolate is gone: all that waited in it begin again in a new one, as the server would have them. */
  #lose(isPlain: boolean, returned: readonly number[]): void {
    this.history.push('  the isolate was disposed of');
    // One that waits may hold all of the memory: then nobody is blamed.
    const mayHoldMemory = this.#waiting().some(({ role }) => role === 'hostile');
    if (isPlain && !mayHoldMemory) throw new Leak('the isolate is gone after a plain request');
    this.#host.drop(this.#module);
    this.#module = this.#host.load(this.#program.options, this.#program.source);
    for (const request of this.#requests) {
      if (request.isOver || returned.includes(request.number)) continue;
      request.lose();
      if (request.role === 'plain') this.#again.push(this.#request('plain'));
    }
  }
}
