// SQL conditions that every match passes, so that a scan need not parse every document. Others may pass too:
// what passes is evaluated afterwards. They look at the text, which is what `JSON.stringify` makes.
import type { SQLInputValue } from 'node:sqlite';
import type { Json } from '../../lib/json.ts';
import type { Filter, Test } from '../filter.ts';
import { conjunctionOf } from './conjunction.ts';
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

const NONE: Prefilter = { sql: '', values: [] };

/** Longer text is looked for by its beginning. */
const MAX_LITERAL = 64;
/** More values than this are not looked for one by one. */
const MAX_VALUES = 20;
const MAX_CONDITIONS = 8;

/** Names that need no thought in a JSON path. */
const PLAIN_NAME = /^[A-Za-z]\w*$/;
const POSITION = /^\d+$/;
const ASCII_WITHOUT_KIN = /[^kKsS\u0080-\uffff%_]/;

/** How much a bound is widened: SQLite reads decimals a little less exactly than JavaScript. */
const SLACK = 1e-9;

/** Text as it stands in a document; long text without its end. */
function quoted(text: string): string {
  if (text.length <= MAX_LITERAL) return JSON.stringify(text);
  const short = text.slice(0, MAX_LITERAL);
  // Half of a surrogate pair would be written as an escape.
  return JSON.stringify(short.isWellFormed() ? short : short.slice(0, -1)).slice(0, -1);
}

function contains(text: string): Condition {
  return { sql: 'instr(json, ?) > 0', values: [text] };
}

function anyOf(conditions: readonly Condition[]): Condition {
  return {
    sql: `(${conditions.map((condition) => condition.sql).join(' or ')})`,
    values: conditions.flatMap((condition) => condition.values),
  };
}

/** The text that a document with `value` at the field `name`, or in an array there, must have. */
function holds(name: string, value: Json): Condition | undefined {
  if (value === null || typeof value === 'object') return undefined;
  const literal = typeof value === 'string' ? quoted(value) : JSON.stringify(value);
  // A position names no member.
  if (POSITION.test(name)) return contains(literal);
  const member = `${JSON.stringify(name)}:`;
  return anyOf([
    contains(member + literal),
    { sql: `(instr(json, ?) > 0 and instr(json, ?) > 0)`, values: [`${member}[`, literal] },
  ]);
}

/** As a LIKE pattern, which ignores the case of ASCII. Whatever else may fold becomes "any character". */
function foldedPattern(text: string): string {
  let pattern = '';
  for (const character of quoted(text)) pattern += ASCII_WITHOUT_KIN.test(character) ? character : '_';
  return pattern;
}

function holdsFolded(name: string, text: string): Condition | undefined {
  if (!text.isWellFormed()) return undefined;
  const literal = foldedPattern(text);
  if (POSITION.test(name) || !PLAIN_NAME.test(name)) return { sql: 'json like ?', values: [`%${literal}%`] };
  // LIKE would take an underscore in the name for any character, which lets more pass and no less.
  const member = `"${name}":`;
  return anyOf([
    { sql: 'json like ?', values: [`%${member}${literal}%`] },
    { sql: '(instr(json, ?) > 0 and json like ?)', values: [`${member}[`, `%${literal}%`] },
  ]);
}

function comparison(
  path: string,
  test: Extract<Test, { kind: 'ne' | 'gt' | 'gte' | 'lt' | 'lte' }>,
): Condition | undefined {
  if (typeof test.value !== 'number' || test.kind === 'ne' || !PLAIN_NAME.test(path)) return undefined;
  const field = `$.${path}`;
  const slack = Math.abs(test.value) * SLACK;
  // SQLite puts text, which is what an array is there, above every number.
  if (test.kind === 'gt' || test.kind === 'gte') {
    return { sql: 'json_extract(json, ?) >= ?', values: [field, test.value - slack] };
  }
  const below: Condition = { sql: 'json_extract(json, ?) <= ?', values: [field, test.value + slack] };
  return anyOf([below, { sql: "json_type(json, ?) = 'array'", values: [field] }]);
}

function conditionOf(path: string, test: Test): Condition | undefined {
  const name = path.slice(path.lastIndexOf('.') + 1);
  switch (test.kind) {
    case 'eq':
      return test.fold === true && typeof test.value === 'string'
        ? holdsFolded(name, test.value)
        : holds(name, test.value);
    case 'in': {
      if (test.values.length === 0 || test.values.length > MAX_VALUES) return undefined;
      const each = test.values.map((value) => holds(name, value));
      const known = each.filter((condition) => condition !== undefined);
      return known.length === each.length ? anyOf(known) : undefined;
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return comparison(path, test) ?? present(name, test.value);
    case 'regex':
      return present(name, '');
    case 'exists':
      return test.value ? present(name, '') : undefined;
    default:
      return undefined;
  }
}

/** Some member has that name. */
function present(name: string, operand: Json): Condition | undefined {
  return operand === null || POSITION.test(name) ? undefined : contains(`${JSON.stringify(name)}:`);
}

/** The conditions for an access that sees every document; none for the others. */
export function prefilterOf(filter: Filter, access: Access): Prefilter {
  if (access.kind !== 'scan' && access.kind !== 'walk') return NONE;
  const { tests } = conjunctionOf(filter);
  const conditions = [...tests]
    .flatMap(([path, list]) => list.map((test) => conditionOf(path, test)))
    .filter((condition) => condition !== undefined)
    .slice(0, MAX_CONDITIONS);
  return {
    sql: conditions.map((condition) => ` and ${condition.sql}`).join(''),
    values: conditions.flatMap((condition) => condition.values),
  };
}
