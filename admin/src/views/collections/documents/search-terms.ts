// A search in one field as a filter of the API, and back.
import { FIELD_TYPES, type Field, type FieldType } from '../fields/field.ts';

export type Test = 'contains' | 'is' | 'not' | 'least' | 'most' | 'missing';

export const TEST_NAMES: Readonly<Record<Test, string>> = {
  contains: 'contains',
  is: 'is',
  not: 'is not',
  least: 'is at least',
  most: 'is at most',
  missing: 'has no value',
};

const RANGES: readonly Test[] = ['is', 'not', 'least', 'most', 'missing'];
const TESTS: Readonly<Record<FieldType, readonly Test[]>> = {
  String: ['contains', ...RANGES],
  Mixed: ['contains', ...RANGES],
  Number: RANGES,
  DateTime: RANGES,
  Boolean: ['is', 'not', 'missing'],
  ObjectID: ['is', 'not', 'missing'],
  Reference: ['is', 'not', 'missing'],
  Object: ['missing'],
};

export const testsOf = (type: FieldType): readonly Test[] => TESTS[type];

const OPERATORS: ReadonlyMap<Test, string> = new Map([
  ['contains', '$regex'],
  ['not', '$ne'],
  ['least', '$gte'],
  ['most', '$lte'],
]);

export interface Term {
  readonly field: string;
  readonly test: Test;
  readonly value: string;
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
const unescapePattern = (pattern: string) => pattern.replace(/\\([\\^$.*+?()[\]{}|])/g, '$1');

/** The filter in JSON. The server reads texts by the type of the field. */
export function filterOf({ field, test, value }: Term, type: FieldType): string {
  if (test === 'missing') return JSON.stringify({ [field]: null });
  const operand = type === 'Boolean' ? /^(?:yes|true|1)$/i.test(value.trim()) : value;
  const operator = OPERATORS.get(test);
  if (operator === undefined) return JSON.stringify({ [field]: operand });
  return JSON.stringify({ [field]: { [operator]: test === 'contains' ? escapePattern(value) : operand } });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];

const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

function termOf(field: string, operand: unknown): Term | undefined {
  if (operand === null) return { field, test: 'missing', value: '' };
  if (isPlain(operand)) return { field, test: 'is', value: String(operand) };
  const [first, ...more] = entriesOf(operand);
  if (first === undefined || more.length > 0 || !isPlain(first[1])) return undefined;
  const test = [...OPERATORS].find(([, operator]) => operator === first[0])?.[0];
  if (test === undefined) return undefined;
  const value = String(first[1]);
  return { field, test, value: test === 'contains' ? unescapePattern(value) : value };
}

/** The search that a filter came from; undefined for filters of other forms. */
export function parseTerm(filter: string, fields: readonly Field[]): Term | undefined {
  const [first, ...more] = entriesOf(parsed(filter));
  if (first === undefined || more.length > 0) return undefined;
  const field = fields.find(({ name }) => name === first[0]);
  const type = first[0] === '_id' ? FIELD_TYPES[6] : field?.type;
  const term = termOf(...first);
  if (type === undefined || term === undefined || !testsOf(type).includes(term.test)) return undefined;
  return filterOf(term, type) === JSON.stringify(parsed(filter)) ? term : undefined;
}
