// Reads the `validation` block of a field: lengths and the pattern.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { FieldValidation, PatternRule } from '../model/collection.ts';
import type { IssueCollector } from './issue-collector.ts';
import { effectiveFlags, type PatternCompiler } from './pattern-compiler.ts';

const KNOWN_RULES = ['minLength', 'maxLength', 'regex'];
const MAX_PATTERN_CHARACTERS = 10_000;
const FLAGS = /^[imsgu]*$/;

const isLength = (value: Json | undefined): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

function checkLengths(name: string, { minLength, maxLength }: JsonObject, report: IssueCollector): void {
  for (const [rule, value] of Object.entries({ minLength, maxLength })) {
    if (value !== undefined && value !== null && !isLength(value)) {
      report.fieldIssue(name, `\`validation.${rule}\` must be a whole number, zero or more`);
    }
  }
  if (isLength(minLength) && isLength(maxLength) && minLength > maxLength) {
    report.fieldIssue(name, '`validation.minLength` is greater than `validation.maxLength`');
  }
}

// What the platform says of a pattern, without the pattern itself and the words around it.
function checkSyntax(pattern: string, flags: string): string | undefined {
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
  { issues: report, patterns }: SpecificationParseContext,
): PatternRule | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value) || typeof value['pattern'] !== 'string') {
    report.fieldIssue(name, '`validation.regex` must be an object with a text `pattern`');
    return undefined;
  }
  const { pattern, flags: sentFlags = '' } = value as { pattern: string; flags?: Json };
  if (typeof sentFlags !== 'string' || !FLAGS.test(sentFlags)) {
    report.fieldIssue(name, '`validation.regex.flags` may have the letters i, m and s');
    return undefined;
  }
  if (pattern.length > MAX_PATTERN_CHARACTERS) {
    report.fieldIssue(
      name,
      `\`validation.regex.pattern\` is longer than ${MAX_PATTERN_CHARACTERS} characters`,
    );
    return undefined;
  }
  const flags = effectiveFlags(sentFlags);
  const problem = checkSyntax(pattern, flags);
  if (problem !== undefined) {
    report.fieldIssue(name, `\`validation.regex.pattern\` is not a regular expression: ${problem}`);
    return undefined;
  }
  const linear = patterns.compile(pattern, flags);
  warnAboutPattern(name, { pattern, flags, linear }, report);
  return { pattern, flags, linear };
}

function warnAboutPattern(name: string, { pattern, linear }: PatternRule, report: IssueCollector): void {
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
export interface SpecificationParseContext {
  readonly issues: IssueCollector;
  readonly patterns: PatternCompiler;
}

/** Reads a `validation` block; what is wrong with it goes into `report` under the field `name`. */
export function parseValidation(
  name: string,
  source: Json | undefined,
  reading: SpecificationParseContext,
): FieldValidation {
  const { issues: report } = reading;
  if (source === undefined || source === null) return {};
  if (!isJsonObject(source)) {
    report.fieldIssue(name, '`validation` must be an object');
    return {};
  }
  for (const key of Object.keys(source).filter((entry) => !KNOWN_RULES.includes(entry))) {
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
