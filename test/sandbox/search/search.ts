// Tries one program after the other in the same host, and compares what plain requests get with what they get alone.
import { type Program, programOf } from './grammar.ts';
import { Leak, Trial } from './judge.ts';
import { HostGone, ModulesHost } from './modules-host.ts';

export interface Discovery {
  readonly seed: number;
  readonly what: string;
  /** A busy machine alone may be the cause. */
  readonly isAboutTime: boolean;
  readonly source: string;
  readonly history: readonly string[];
}

/** Processor time of a request: short, so that many programs can be tried. What is found is tried again with a long one. */
const SHORT_MS = 100;
const LONG_MS = 1_000;
/** One in so many has more, so that it can fill the heap. */
const SLOW_EVERY = 10;
const SLOW_MS = 400;
/**
 * A busy machine can stop a request once, and can keep requests from sharing an entry: where it may be a matter of time, what counts is
 * what comes again twice.
 */
const ATTEMPTS = 5;
const MIN_CONFIRMATIONS = 2;
/** For those that nothing disturbs. */
const ALONE_MS = 15_000;
/**
 * V8 gives some isolates up at the limit of their heap only with their process: it aborts. A host that meets an error of its own ends by
 * SIGKILL instead.
 */
const isOutOfMemory = ({ source }: Program, { signal }: HostGone) =>
  source.includes('kept.push(') && signal !== undefined && signal !== 'SIGKILL';

export class Search {
  #host: ModulesHost | undefined;
  /** Runs plain requests only. */
  #clean: ModulesHost | undefined;
  /** What a plain request gets that runs alone. */
  readonly #expected = new Map<string, readonly string[]>();

  readonly #onUnconfirmed: (seed: number, what: string) => void;

  /** `onUnconfirmed` is told what did not come again when the program was tried by itself, at leisure. */
  constructor(onUnconfirmed: (seed: number, what: string) => void = () => {}) {
    this.#onUnconfirmed = onUnconfirmed;
  }

  /** Tries the program of this seed; answers what is wrong with it, if anything. */
  async try(seed: number): Promise<Discovery | undefined> {
    const first = await this.judge(programOf(seed, seed % SLOW_EVERY === 0 ? SLOW_MS : SHORT_MS));
    if (first?.isAboutTime !== true) return first;
    let found = first;
    let confirmations = 0;
    for (let n = 0; n < ATTEMPTS && confirmations < MIN_CONFIRMATIONS; n += 1) {
      const again = await this.judge(programOf(seed, LONG_MS));
      if (again === undefined) continue;
      found = again;
      confirmations += 1;
    }
    if (confirmations === MIN_CONFIRMATIONS) return found;
    this.#onUnconfirmed(seed, first.what);
    return undefined;
  }

  close(): void {
    this.#discard();
    this.#clean?.kill();
  }

  #discard(): void {
    this.#host?.kill();
    this.#host = undefined;
  }

  /** What is wrong with one run of a program, if anything. */
  async judge(program: Program): Promise<Discovery | undefined> {
    const expected = await this.#expectedOf(program);
    if (this.#host?.isUsable !== true) {
      this.#discard();
      this.#host = await ModulesHost.start();
    }
    const trial = new Trial(this.#host, program);
    try {
      for (const request of await trial.run()) {
        const told = request.told();
        const wanted = request.isLost ? expected.slice(0, told.length) : expected;
        if (JSON.stringify(told) === JSON.stringify(wanted)) continue;
        throw new Leak(`plain request ${request.number} is told apart: ${differenceOf(wanted, told)}`);
      }
      return undefined;
    } catch (error) {
      const isGone = error instanceof HostGone;
      if (!isGone && !(error instanceof Leak)) throw error;
      this.#discard();
      if (isGone && isOutOfMemory(program, error)) return undefined;
      const { seed, source } = program;
      const what = isGone ? `the host is gone: ${error.message}` : error.message;
      const isAboutTime = error instanceof Leak && error.isAboutTime;
      return { seed, what, isAboutTime, source, history: trial.history };
    }
  }

  async #expectedOf(program: Program): Promise<readonly string[]> {
    const known = this.#expected.get(program.plainKey);
    if (known !== undefined) return known;
    if (this.#clean?.isUsable !== true) {
      this.#clean?.kill();
      this.#clean = await ModulesHost.start();
    }
    const options = { ...program.options, cpuMs: ALONE_MS };
    const alone = new Trial(this.#clean, { ...program, options, steps: [{ roles: ['plain'], answers: 60 }] });
    const [plain] = await alone.run();
    const told = plain?.told() ?? [];
    if (plain?.isOver !== true || !/^(end \[200|result )/m.test(told.join('\n'))) {
      throw new Error(`the plain request of ${program.seed} fails alone: ${told.join('; ')}`);
    }
    this.#expected.set(program.plainKey, told);
    return told;
  }
}

function differenceOf(wanted: readonly string[], told: readonly string[]): string {
  const at = Math.max(
    0,
    told.findIndex((line, n) => line !== wanted[n]),
  );
  return `\n  alone: ${wanted[at]}\n  now:   ${told[at]}`;
}

/** All about a discovery, for whoever looks at it. */
export const reportOf = ({ seed, what, source, history }: Discovery): string =>
  [`seed ${seed}: ${what}`, source, ...history].join('\n');
