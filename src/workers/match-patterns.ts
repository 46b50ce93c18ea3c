// Worker task: do texts match their patterns? The linear engine decides where it takes the pattern and is soon done,
// else the platform's own, which is faster on most texts but may take for ever: hence the limits.
import { createContext, Script } from 'node:vm';
import {
  compileLinearRegex,
  estimateRegexSize,
  type LinearRegex,
  LinearRegexError,
} from '../lib/regex/linear-regex.ts';
import { threadCpuMs } from '../lib/thread-cpu.ts';

export interface PatternJob {
  readonly pattern: string;
  /** Some of i, m, s. */
  readonly flags: string;
  /** All of them have to match. */
  readonly texts: readonly string[];
}

export interface PatternTask {
  readonly jobs: readonly PatternJob[];
  /** For all texts of one job together; over it the job counts as no match. */
  readonly limitMs: number;
  /** After this long no further job is begun. */
  readonly totalMs: number;
}

type Matcher = Pick<LinearRegex, 'test'>;
type Compile = (job: PatternJob) => Matcher;

/** Instructions of the linear engine times characters: some 80 ms at worst. */
const LINEAR_WORK = 2_000_000;

function fitsLinear({ pattern, flags, texts }: PatternJob): boolean {
  try {
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    return estimateRegexSize(pattern, flags) * length <= LINEAR_WORK;
  } catch (error) {
    if (error instanceof LinearRegexError) return false;
    throw error;
  }
}

// Code points, as in the linear engine, where the pattern permits it.
function compileNative({ pattern, flags }: PatternJob): Matcher {
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    return new RegExp(pattern, flags);
  }
}

/** Compiles each pattern once for as long as the result is kept. */
function createCompile(): Compile {
  const engines = [new Map<string, Matcher>(), new Map<string, Matcher>()] as const;
  return (job) => {
    const linear = fitsLinear(job);
    const known = linear ? engines[0] : engines[1];
    const key = `${job.flags}/${job.pattern}`;
    const matcher =
      known.get(key) ?? (linear ? compileLinearRegex(job.pattern, job.flags) : compileNative(job));
    known.set(key, matcher);
    return matcher;
  };
}

function isTimeout(error: unknown): boolean {
  // The error comes from the context, so it is no instance of our Error.
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

/**
 * The verdicts of the first jobs: the caller sends the others again.
 * One clock runs for as many jobs as fit into its time, since starting it costs more than most of them; a job that it
 * catches under way is begun anew with a clock of its own. The clock is that on the wall, on which a busy machine lets a
 * thread stand still: a job that had less than half of its time is begun anew, too, by the caller in the end.
 */
export function matchPatterns(
  { jobs, limitMs, totalMs }: PatternTask,
  { cpuMs = threadCpuMs }: { readonly cpuMs?: () => number } = {},
): readonly boolean[] {
  const verdicts: boolean[] = [];
  const compile = createCompile();
  const end = performance.now() + totalMs;
  const matchNext = () => {
    const begun = performance.now();
    for (const job of jobs.slice(verdicts.length)) {
      const matcher = compile(job);
      verdicts.push(job.texts.every((text) => matcher.test(text)));
      if (performance.now() - begun > limitMs / 2) return;
    }
  };
  const context = createContext({ matchNext });
  const script = new Script('matchNext()');
  do {
    const before = verdicts.length;
    const cpuBefore = cpuMs();
    try {
      script.runInContext(context, { timeout: limitMs });
    } catch (error) {
      if (!isTimeout(error)) throw error;
      const hadItsTime = cpuMs() - cpuBefore >= limitMs / 2;
      if (verdicts.length === before && hadItsTime) verdicts.push(false);
    }
  } while (verdicts.length < jobs.length && performance.now() < end);
  return verdicts;
}
