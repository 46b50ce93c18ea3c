// SQL conditions on the JSON text that every match passes, so that a scan parses fewer documents. They may pass other
// documents too: the filter is evaluated afterwards. They rely on the exact output of `JSON.stringify`.
import type { SQLInputValue } from 'node:sqlite';
import type { Json } from '../../../lib/json/json.ts';
import { unreachable } from '../../../lib/unreachable.ts';
import type { ComparisonKind, Filter, FilterTest } from '../../filter.ts';
import type { Access } from './index-access.ts';
import { flattenConjunction } from './index-access.ts';

export interface Prefilter {
  /** Empty, or conditions that each begin with ` and `. */
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

const NO_PREFILTER: Prefilter = { sql: '', values: [] };

/** Of longer text only the beginning is searched. */
const MAX_LITERAL = 64;
/** Lists of more values are not searched. */
const MAX_VALUES = 20;
const MAX_CONDITIONS = 8;

/** Names that need no quoting in a JSON path. */
const PLAIN_NAME = /^[A-Za-z]\w*$/;
const POSITION = /^\d+$/;
const ASCII_WITHOUT_VARIANTS = /[^kKsS\u0080-\uffff%_]/;

/** Relative amount by which a bound is widened: SQLite parses decimals less exactly than JavaScript. */
const TOLERANCE = 1e-9;

/** The JSON form of a text; of a long text without its end. */
function quoted(text: string): string {
  if (text.length <= MAX_LITERAL) return JSON.stringify(text);
  const short = text.slice(0, MAX_LITERAL);
  // `JSON.stringify` escapes half of a surrogate pair.
  return JSON.stringify(short.isWellFormed() ? short : short.slice(0, -1)).slice(0, -1);
}

/** LIKE is twice as fast as `instr`. It ignores the case of ASCII, which only passes more documents. */
function like(pattern: string): Condition {
  return { sql: 'json like ?', values: [pattern] };
}

function anyOf(conditions: readonly Condition[]): Condition {
  return {
    sql: `(${conditions.map((condition) => condition.sql).join(' or ')})`,
    values: conditions.flatMap((condition) => condition.values),
  };
}

/** A LIKE pattern for a text: the wildcard `%` becomes `_`, any single character. */
function likeLiteral(text: string): string {
  return text.replaceAll('%', '_');
}

/** The same for text in any case: non-ASCII letters, and ASCII letters with non-ASCII variants, become `_`. */
function caseInsensitiveLikeLiteral(text: string): string {
  let pattern = '';
  for (const character of text) pattern += ASCII_WITHOUT_VARIANTS.test(character) ? character : '_';
  return pattern;
}

/** Matches documents that have `value` at the field `name`, or in an array there. */
function containsValue(name: string, value: Json, fold: boolean): Condition | undefined {
  if (value === null || typeof value === 'object') return undefined;
  const text = typeof value === 'string' ? quoted(value) : JSON.stringify(value);
  const literal = fold ? caseInsensitiveLikeLiteral(text) : likeLiteral(text);
  if (isUnsearchableName(name)) return like(`%${literal}%`);
  const member = memberPattern(name);
  return anyOf([like(`%${member}${literal}%`), like(`%${member}[%${literal}%`)]);
}

/** The JSON form of a member name, up to its value. */
function memberPattern(name: string): string {
  return `${likeLiteral(JSON.stringify(name))}:`;
}

/** A position is not a member name, and very long names are not searched. */
const isUnsearchableName = (name: string) => POSITION.test(name) || name.length > MAX_LITERAL;

function comparison(
  path: string,
  test: Extract<FilterTest, { kind: ComparisonKind }>,
): Condition | undefined {
  if (typeof test.value !== 'number' || !PLAIN_NAME.test(path)) return undefined;
  const field = `$.${path}`;
  const slack = Math.abs(test.value) * TOLERANCE;
  // `json_extract` returns an array as text, which SQLite sorts above every number.
  if (test.kind === 'gt' || test.kind === 'gte') {
    return { sql: 'json_extract(json, ?) >= ?', values: [field, test.value - slack] };
  }
  const below: Condition = { sql: 'json_extract(json, ?) <= ?', values: [field, test.value + slack] };
  return anyOf([below, { sql: "json_type(json, ?) = 'array'", values: [field] }]);
}

function conditionOf(path: string, test: FilterTest): Condition | undefined {
  const name = path.slice(path.lastIndexOf('.') + 1);
  switch (test.kind) {
    case 'eq':
      return containsValue(name, test.value, test.caseInsensitive === true);
    case 'in': {
      if (test.values.length === 0 || test.values.length > MAX_VALUES) return undefined;
      const each = test.values.map((value) => containsValue(name, value, false));
      const known = each.filter((condition) => condition !== undefined);
      return known.length === each.length ? anyOf(known) : undefined;
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return comparison(path, test) ?? containsName(name, test.value);
    case 'regex':
      return containsName(name, '');
    case 'exists':
      return test.value ? containsName(name, '') : undefined;
    case 'type':
      return test.names.every((type) => type === 'array') ? containsArray(name) : undefined;
    case 'size':
    case 'elemMatch':
    case 'elemMatchValue':
      return containsArray(name);
    // What a document without the value passes says nothing of its text; of `all`, the other conditions have to do.
    case 'ne':
    case 'nin':
    case 'not':
    case 'all':
      return undefined;
    default:
      return unreachable(test);
  }
}

/** Matches documents with a member of that name. */
function containsName(name: string, operand: Json): Condition | undefined {
  return operand === null || isUnsearchableName(name) ? undefined : like(`%${memberPattern(name)}%`);
}

/** Matches documents with an array member of that name. */
function containsArray(name: string): Condition | undefined {
  return isUnsearchableName(name) ? undefined : like(`%${memberPattern(name)}[%`);
}

/** Creates the conditions for an access that reads every document; other accesses need none. */
export function createPrefilter(filter: Filter, access: Access): Prefilter {
  if (access.kind !== 'scan' && access.kind !== 'id-scan') return NO_PREFILTER;
  const { tests } = flattenConjunction(filter);
  const conditions = [...tests]
    .flatMap(([path, list]) => list.map((test) => conditionOf(path, test)))
    .filter((condition) => condition !== undefined)
    .slice(0, MAX_CONDITIONS);
  return {
    sql: conditions.map((condition) => ` and ${condition.sql}`).join(''),
    values: conditions.flatMap((condition) => condition.values),
  };
}
