// Reads the `validation` block of a field: lengths and the pattern.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { FieldValidation, PatternRule } from '../collection.ts';
import { effectiveFlags, type PatternCompiler } from './patterns.ts';
import type { Report } from './report.ts';

const KNOWN = ['minLength', 'maxLength', 'regex'];
const MAX_PATTERN = 10_000;
const FLAGS = /^[imsgu]*$/;

const isLength = (value: Json | undefined): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

function checkLengths(name: string, { minLength, maxLength }: JsonObject, report: Report): void {
  for (const [rule, value] of Object.entries({ minLength, maxLength })) {
    if (value !== undefined && value !== null && !isLength(value)) {
      report.field(name, `\`validation.${rule}\` must be a whole number, zero or more`);
    }
  }
  if (isLength(minLength) && isLength(maxLength) && minLength > maxLength) {
    report.field(name, '`validation.minLength` is greater than `validation.maxLength`');
  }
}

// What the platform says of a pattern, without the pattern itself and the words around it.
function syntaxProblem(pattern: string, flags: string): string | undefined {
  try {
    new RegExp(pattern, flags);
    return undefined;
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    return text.slice(text.lastIndexOf(': ') + 2);
  }
}

function parseRegex(
  name: string,
  value: Json | undefined,
  { report, patterns }: Reading,
): PatternRule | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value) || typeof value['pattern'] !== 'string') {
    report.field(name, '`validation.regex` must be an object with a text `pattern`');
    return undefined;
  }
  const { pattern, flags: sentFlags = '' } = value as { pattern: string; flags?: Json };
  if (typeof sentFlags !== 'string' || !FLAGS.test(sentFlags)) {
    report.field(name, '`validation.regex.flags` may have the letters i, m and s');
    return undefined;
  }
  if (pattern.length > MAX_PATTERN) {
    report.field(name, `\`validation.regex.pattern\` is longer than ${MAX_PATTERN} characters`);
    return undefined;
  }
  const flags = effectiveFlags(sentFlags);
  const problem = syntaxProblem(pattern, flags);
  if (problem !== undefined) {
    report.field(name, `\`validation.regex.pattern\` is not a regular expression: ${problem}`);
    return undefined;
  }
  const linear = patterns.compile(pattern, flags);
  warnOfPattern(name, { pattern, flags, linear }, report);
  return { pattern, flags, linear };
}

function warnOfPattern(name: string, { pattern, linear }: PatternRule, report: Report): void {
  if (pattern.length > 1 && pattern.startsWith('/') && pattern.endsWith('/')) {
    report.warn(`fields.${name}`, 'the slashes around `validation.regex.pattern` are part of the pattern');
  }
  if (linear === undefined) {
    report.warn(
      `fields.${name}`,
      '`validation.regex.pattern` is beyond the linear-time engine: it runs apart, for at most 100 ms a value',
    );
  }
}

/** What a specification is read with. */
export interface Reading {
  readonly report: Report;
  readonly patterns: PatternCompiler;
}

/** Reads a `validation` block; what is wrong with it goes into `report` under the field `name`. */
export function parseValidation(name: string, source: Json | undefined, reading: Reading): FieldValidation {
  const { report } = reading;
  if (source === undefined || source === null) return {};
  if (!isJsonObject(source)) {
    report.field(name, '`validation` must be an object');
    return {};
  }
  for (const key of Object.keys(source).filter((entry) => !KNOWN.includes(entry))) {
    report.warn(`fields.${name}`, `\`validation.${key.slice(0, 100)}\` is no rule and has no effect`);
  }
  checkLengths(name, source, report);
  const { minLength, maxLength } = source;
  const regex = parseRegex(name, source['regex'], reading);
  return {
    ...(isLength(minLength) ? { minLength } : {}),
    ...(isLength(maxLength) ? { maxLength } : {}),
    ...(regex === undefined ? {} : { regex }),
  };
}
