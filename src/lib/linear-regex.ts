// Regular expressions of clients, run by an engine whose time grows linearly with the text.
import { RE2JS } from 're2js';

export interface LinearRegex {
  /** True when the pattern matches anywhere in `text`. */
  test(text: string): boolean;
}

export type LinearRegexFailure = 'syntax' | 'unsupported' | 'too-large';

/** Why a pattern is refused. The message may be shown to the client. */
export class LinearRegexError extends Error {
  readonly reason: LinearRegexFailure;

  constructor(reason: LinearRegexFailure, message: string) {
    super(message);
    this.name = 'LinearRegexError';
    this.reason = reason;
  }
}

/** Compiles a pattern in JavaScript's syntax; `flags` is some of i, m, s. Throws LinearRegexError. */
export function compileLinear(pattern: string, flags: string): LinearRegex {
  if (pattern.length > 1000) throw new LinearRegexError('too-large', 'The pattern is too long');
  let bits = 0;
  if (flags.includes('i')) bits |= RE2JS.CASE_INSENSITIVE;
  if (flags.includes('m')) bits |= RE2JS.MULTILINE;
  if (flags.includes('s')) bits |= RE2JS.DOTALL;
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern), bits);
  } catch {
    throw new LinearRegexError('syntax', 'The pattern is not a valid regular expression');
  }
}
