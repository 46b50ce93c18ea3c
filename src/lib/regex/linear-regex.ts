// Regular expressions of clients, run by an engine whose time grows linearly with the text.
import { lazyPackage } from '../files/lazy-package.ts';
import { PatternError, type PatternErrorReason } from './pattern-reader.ts';
import { translatePattern } from './translate-pattern.ts';

const re2js = lazyPackage<typeof import('re2js')>('re2js');

export interface LinearRegex {
  /** About how many instructions the engine may need for each character of a text, some 20 ns each at worst. */
  readonly size: number;
  /** True when the pattern matches anywhere in `text`. Patterns match code points. */
  test(text: string): boolean;
}

/** In UTF-16 units. */
const MAX_LENGTH = 1000;

/** Why a pattern is refused. The message may be shown to the client. */
export class LinearRegexError extends Error {
  readonly reason: PatternErrorReason;

  constructor(reason: PatternErrorReason, message: string) {
    super(message);
    this.name = 'LinearRegexError';
    this.reason = reason;
  }
}

/**
 * Compiles a pattern in JavaScript's syntax; `flags` is some of i, m, s. Throws LinearRegexError: `syntax` for what is
 * no pattern, `unsupported` for what takes more than linear time (look-around, back references), `too-large`.
 */
export function compileLinearRegex(pattern: string, flags: string): LinearRegex {
  const { text: translated, size } = translate(pattern, flags);
  const { RE2JS, RE2JSException } = re2js();
  try {
    const compiled = RE2JS.compile(translated);
    return { size, test: (text) => compiled.test(text) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new LinearRegexError('syntax', 'The pattern is not a regular expression that can be used here');
  }
}

/** The `size` of `compileLinearRegex` without the compiling, which may take milliseconds. Throws as that does. */
export function estimateRegexSize(pattern: string, flags: string): number {
  return translate(pattern, flags).size;
}

/** What `work` returns; undefined where it throws a LinearRegexError. */
export function ifLinear<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof LinearRegexError) return undefined;
    throw error;
  }
}

function translate(pattern: string, flags: string): ReturnType<typeof translatePattern> {
  if (pattern.length > MAX_LENGTH) {
    throw new LinearRegexError('too-large', `A pattern has at most ${MAX_LENGTH} characters`);
  }
  try {
    return translatePattern(pattern, flags);
  } catch (error) {
    if (error instanceof PatternError) throw new LinearRegexError(error.reason, error.message);
    throw error;
  }
}
