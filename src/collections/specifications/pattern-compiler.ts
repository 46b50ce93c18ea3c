// Compiles the patterns of a specification for the linear-time engine, as many as it may have.

import { createYielder } from '../../lib/async/maybe-promise.ts';
import { isJsonObject, type Json } from '../../lib/json/json.ts';
import { prepareCaseVariants } from '../../lib/regex/case-folding.ts';
import { compileLinearRegex, ifLinear, type LinearRegex } from '../../lib/regex/linear-regex.ts';

export const MAX_PATTERN_FIELDS = 1_000;

/** Characters and instructions of all patterns together: each may take some 40 µs to compile. */
const MAX_PATTERNS_SIZE = 50_000;

export interface PatternCompiler {
  /** Undefined for a pattern beyond the engine, and for one that comes after too many others. Compiles each once. */
  compile(pattern: string, flags: string): LinearRegex | undefined;
}

/** The flags that have an effect, each once. */
export function effectiveFlags(sent: string): string {
  return [...new Set(sent)].filter((flag) => 'ims'.includes(flag)).join('');
}

/** Makes the compiler for one specification. */
export function createPatternCompiler(): PatternCompiler {
  const known = new Map<string, LinearRegex | undefined>();
  let left = MAX_PATTERNS_SIZE;
  return {
    compile(pattern, flags) {
      const key = `${flags}/${pattern}`;
      if (known.has(key) || left < pattern.length) return known.get(key);
      const compiled = ifLinear(() => compileLinearRegex(pattern, flags));
      left -= pattern.length + (compiled?.size ?? 0);
      known.set(key, compiled);
      return compiled;
    },
  };
}

function* listPatterns(source: Json): Generator<readonly [pattern: string, flags: string]> {
  const fields = isJsonObject(source) ? source['fields'] : undefined;
  if (!isJsonObject(fields) || Object.keys(fields).length > MAX_PATTERN_FIELDS) return;
  for (const field of Object.values(fields)) {
    const validation = isJsonObject(field) ? field['validation'] : undefined;
    const regex = isJsonObject(validation) ? validation['regex'] : undefined;
    if (!isJsonObject(regex)) continue;
    const { pattern, flags = '' } = regex;
    if (typeof pattern === 'string' && typeof flags === 'string') yield [pattern, effectiveFlags(flags)];
  }
}

/** A compiler that has compiled the patterns of a specification, which need not be valid, with turns for others in between. */
export async function compilePatterns(source: Json): Promise<PatternCompiler> {
  const compiler = createPatternCompiler();
  const pace = createYielder();
  for (const [pattern, flags] of listPatterns(source)) {
    if (flags.includes('i')) {
      prepareCaseVariants();
      await pace();
    }
    compiler.compile(pattern, flags);
    await pace();
  }
  return compiler;
}
