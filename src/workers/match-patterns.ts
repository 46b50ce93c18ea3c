// Worker task: matches texts against patterns. The linear-time engine runs patterns that it supports if that is cheap; the others
// run on the native engine, which is faster on most texts but may take exponential time: hence the limits.

import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { createContext, Script } from 'node:vm';
import {
  compileLinearRegex,
  estimateRegexSize,
  type LinearRegex,
  LinearRegexError,
} from '../lib/regex/linear-regex.ts';

/** Milliseconds of CPU time that this thread has used. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

export interface PatternJob {
  readonly pattern: string;
  /** Some of i, m, s. */
  readonly flags: string;
  /** All of them must match. */
  readonly texts: readonly string[];
}

export interface PatternTask {
  readonly jobs: readonly PatternJob[];
  /** Limit for all texts of one job together. A job above it does not match. */
  readonly limitMs: number;
  /** After this time no other job starts. */
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

// With the flag `u` if the pattern permits it: matches code points, as the linear engine does.
function compileNative({ pattern, flags }: PatternJob): Matcher {
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    return new RegExp(pattern, flags);
  }
}

/** Compiles each pattern once. */
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
  // The error comes from the other context, so it is not an instance of our Error.
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

/** A timeout takes about five. More, because other threads open files in the moment between. */
const MAX_DESCRIPTORS_OF_TIMEOUT = 16;

/**
 * Throws EMFILE where a script with a timeout would not find the descriptors for the thread that watches it: Node ends the whole
 * process then.
 */
function assertDescriptors(): void {
  const open: number[] = [];
  try {
    while (open.length < MAX_DESCRIPTORS_OF_TIMEOUT) open.push(openSync(devNull, 'r'));
  } finally {
    for (const descriptor of open) closeSync(descriptor);
  }
}

/**
 * Returns the results of the first jobs; the caller sends the others again.
 * One timeout covers as many jobs as fit into its time, since starting it costs more than most of them; the job that it
 * interrupts is repeated with a timeout of its own. The timeout is wall-clock time, during which a busy machine may not run this
 * thread: an interrupted job that had less than half of its time as CPU time is repeated too, in the end by the caller. Throws
 * EMFILE where no timeout can be had.
 */
export function matchPatterns(
  { jobs, limitMs, totalMs }: PatternTask,
  { cpuMs = threadCpuMs }: { readonly cpuMs?: () => number } = {},
): readonly boolean[] {
  // Loads the engine. A timeout that interrupts this would leave it loaded in part, for the life of the thread.
  compileLinearRegex('', '');
  const results: boolean[] = [];
  const compile = createCompile();
  const end = performance.now() + totalMs;
  const matchNext = () => {
    const begun = performance.now();
    for (const job of jobs.slice(results.length)) {
      const matcher = compile(job);
      results.push(job.texts.every((text) => matcher.test(text)));
      if (performance.now() - begun > limitMs / 2) return;
    }
  };
  const context = createContext({ matchNext });
  const script = new Script('matchNext()');
  do {
    const before = results.length;
    const cpuBefore = cpuMs();
    assertDescriptors();
    try {
      script.runInContext(context, { timeout: limitMs });
    } catch (error) {
      if (!isTimeout(error)) throw error;
      const hadItsTime = cpuMs() - cpuBefore >= limitMs / 2;
      if (results.length === before && hadItsTime) results.push(false);
    }
  } while (results.length < jobs.length && performance.now() < end);
  return results;
}
