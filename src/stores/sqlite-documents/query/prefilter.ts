// SQL conditions that every match passes, so that a scan need not parse every document. Others may pass too:
// what passes is evaluated afterwards. They look at the text, which is what `JSON.stringify` makes.
import type { SQLInputValue } from 'node:sqlite';
import type { Json } from '../../../lib/json/json.ts';
import type { Filter, FilterTest } from '../../filter.ts';
import { flattenConjunction } from './conjunction.ts';
import type { Access } from './plan-types.ts';

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

/** Longer text is looked for by its beginning. */
const MAX_LITERAL = 64;
/** More values than this are not looked for one by one. */
const MAX_VALUES = 20;
const MAX_CONDITIONS = 8;

/** Names that need no thought in a JSON path. */
const PLAIN_NAME = /^[A-Za-z]\w*$/;
const POSITION = /^\d+$/;
const ASCII_WITHOUT_VARIANTS = /[^kKsS\u0080-\uffff%_]/;

/** How much a bound is widened: SQLite reads decimals a little less exactly than JavaScript. */
const TOLERANCE = 1e-9;

/** Text as it stands in a document; long text without its end. */
function quoted(text: string): string {
  if (text.length <= MAX_LITERAL) return JSON.stringify(text);
  const short = text.slice(0, MAX_LITERAL);
  // Half of a surrogate pair would be written as an escape.
  return JSON.stringify(short.isWellFormed() ? short : short.slice(0, -1)).slice(0, -1);
}

/** SQLite finds text by LIKE twice as fast as by `instr`. It ignores the case of ASCII, which lets more pass. */
function like(pattern: string): Condition {
  return { sql: 'json like ?', values: [pattern] };
}

function anyOf(conditions: readonly Condition[]): Condition {
  return {
    sql: `(${conditions.map((condition) => condition.sql).join(' or ')})`,
    values: conditions.flatMap((condition) => condition.values),
  };
}

/** Text as a LIKE pattern: what LIKE would take for more than itself becomes "any character". */
function likeLiteral(text: string): string {
  return text.replaceAll('%', '_');
}

/** The same for text in any case: beyond ASCII, and where ASCII has kin beyond it, any character may stand. */
function caseInsensitiveLikeLiteral(text: string): string {
  let pattern = '';
  for (const character of text) pattern += ASCII_WITHOUT_VARIANTS.test(character) ? character : '_';
  return pattern;
}

/** The text that a document with `value` at the field `name`, or in an array there, must have. */
function containsValue(name: string, value: Json, fold: boolean): Condition | undefined {
  if (value === null || typeof value === 'object') return undefined;
  const text = typeof value === 'string' ? quoted(value) : JSON.stringify(value);
  const literal = fold ? caseInsensitiveLikeLiteral(text) : likeLiteral(text);
  if (isUnsearchableName(name)) return like(`%${literal}%`);
  const member = memberPattern(name);
  return anyOf([like(`%${member}${literal}%`), like(`%${member}[%${literal}%`)]);
}

/** The name as it stands before a value. */
function memberPattern(name: string): string {
  return `${likeLiteral(JSON.stringify(name))}:`;
}

/** A position names no member, and a very long name is not worth looking for. */
const isUnsearchableName = (name: string) => POSITION.test(name) || name.length > MAX_LITERAL;

function comparison(
  path: string,
  test: Extract<FilterTest, { kind: 'ne' | 'gt' | 'gte' | 'lt' | 'lte' }>,
): Condition | undefined {
  if (typeof test.value !== 'number' || test.kind === 'ne' || !PLAIN_NAME.test(path)) return undefined;
  const field = `$.${path}`;
  const slack = Math.abs(test.value) * TOLERANCE;
  // SQLite puts text, which is what an array is there, above every number.
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
      return containsValue(name, test.value, test.fold === true);
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
    default:
      return undefined;
  }
}

/** Some member has that name. */
function containsName(name: string, operand: Json): Condition | undefined {
  return operand === null || isUnsearchableName(name) ? undefined : like(`%${memberPattern(name)}%`);
}

/** Some member of that name is a list. */
function containsArray(name: string): Condition | undefined {
  return isUnsearchableName(name) ? undefined : like(`%${memberPattern(name)}[%`);
}

/** The conditions for an access that sees every document; none for the others. */
export function createPrefilter(filter: Filter, access: Access): Prefilter {
  if (access.kind !== 'scan' && access.kind !== 'walk') return NO_PREFILTER;
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
