// Worker task: matches texts against patterns. The linear-time engine runs patterns that it supports if that is cheap; the others
// run on the native engine, which is faster on most texts but may take exponential time: hence the caller watches.

import {
  compileLinearRegex,
  estimateRegexSize,
  ifLinear,
  type LinearRegex,
} from '../lib/regex/linear-regex.ts';
import { noteBegin, noteResult, type ProgressCells } from './pattern-progress.ts';

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
  /** After this time no other job starts. */
  readonly totalMs: number;
  /** Of as many jobs. */
  readonly progress: ProgressCells;
}

type Matcher = Pick<LinearRegex, 'test'>;
type Compile = (job: PatternJob) => Matcher;

/** Instructions of the linear engine times characters: some 80 ms at worst. */
const LINEAR_WORK = 2_000_000;

function fitsLinear({ pattern, flags, texts }: PatternJob): boolean {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const size = ifLinear(() => estimateRegexSize(pattern, flags));
  return size !== undefined && size * length <= LINEAR_WORK;
}

/** What may hold of no characters at all, and so between the two halves of a surrogate pair. */
const MATCHES_NOTHING = /\\B|\(\?<?!/;

/**
 * V8 looks for a match in the middle of surrogate pairs too, even with the flag `u` and against ECMA-262: this one finds its way to the
 * match by whole code points.
 */
function byCodePoints(pattern: string, flags: string): Matcher {
  const matcher = new RegExp(`[^]*?(?:${pattern})`, `${flags}uy`);
  return {
    test: (text) => {
      matcher.lastIndex = 0;
      return matcher.test(text);
    },
  };
}

// With the flag `u` if the pattern permits it: matches code points, as the linear engine does.
function compileNative({ pattern, flags }: PatternJob): Matcher {
  try {
    const matcher = new RegExp(pattern, `${flags}u`);
    return MATCHES_NOTHING.test(pattern) ? byCodePoints(pattern, flags) : matcher;
  } catch {
    return new RegExp(pattern, flags);
  }
}

/** For the engine that fits. What only compiling tells, such as a property that the linear one does not know, is left to the native one. */
function compileFor(job: PatternJob, linear: boolean): Matcher {
  const compiled = linear ? ifLinear(() => compileLinearRegex(job.pattern, job.flags)) : undefined;
  return compiled ?? compileNative(job);
}

/** Compiles each pattern once. */
function createCompile(): Compile {
  const engines = [new Map<string, Matcher>(), new Map<string, Matcher>()] as const;
  return (job) => {
    const linear = fitsLinear(job);
    const known = linear ? engines[0] : engines[1];
    const key = `${job.flags}/${job.pattern}`;
    const matcher = known.get(key) ?? compileFor(job, linear);
    known.set(key, matcher);
    return matcher;
  };
}

/**
 * Notes every result in `progress`, in order; the caller sends the others again. One that does not end is the caller's to stop, by
 * ending this thread: no thread can stop itself in the middle of a pattern, and one of Node's that watches it (`timeout` of node:vm)
 * would end the process where the system has no thread for it.
 */
export function matchPatterns({ jobs, totalMs, progress }: PatternTask): void {
  const compile = createCompile();
  const end = performance.now() + totalMs;
  for (const [position, job] of jobs.entries()) {
    if (position > 0 && performance.now() >= end) return;
    noteBegin(progress, position, threadCpuMs());
    const matcher = compile(job);
    noteResult(
      progress,
      position,
      job.texts.every((text) => matcher.test(text)),
    );
  }
}
