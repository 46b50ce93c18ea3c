// The operators that a filter may apply to a path, each turned into a test of the stores' filter language.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { TypeName } from '../../stores/filter.ts';
import type { Budget } from './budget.ts';
import { areSettled, type DraftTest } from './draft.ts';
import { patternTest, slashedTest } from './patterns.ts';
import { refuseFilter } from './refusal.ts';
import type { OperandRules } from './scope.ts';

/** Where an operand stands, and what it needs to be read. */
export interface Place {
  readonly path: string;
  readonly rules: OperandRules;
  readonly depth: number;
  readonly budget: Budget;
  /** Reads the filter inside `$elemMatch`. */
  element(filter: JsonObject, depth: number): DraftTest;
}

type Reader = (operand: Json, place: Place, siblings: JsonObject) => readonly DraftTest[];

const TYPE_NAMES: ReadonlySet<string> = new Set<TypeName>([
  'string',
  'number',
  'object',
  'array',
  'bool',
  'null',
]);

const isTypeName = (value: Json): value is TypeName => typeof value === 'string' && TYPE_NAMES.has(value);

/** True for `{$operator: …}`: an object whose first key starts with `$`. */
export function isOperatorObject(value: Json): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).some((key) => key.startsWith('$'));
}

function readValue(operand: Json, place: Place): Json {
  if (isOperatorObject(operand)) {
    throw refuseFilter(place.path, 'An operator cannot stand inside the operand of another one');
  }
  return coerce(operand, place);
}

function coerce(operand: Json, { path, rules }: Place): Json {
  const problem = rules.check?.(operand);
  if (problem !== undefined) throw refuseFilter(path, `An operand ${problem.message}`);
  return rules.coerce(operand);
}

function readValues(operand: Json, place: Place, operator: string): readonly Json[] {
  if (!Array.isArray(operand)) throw refuseFilter(place.path, `\`${operator}\` needs a list`);
  return operand.map((entry: Json) => readValue(entry, place));
}

function typeNames(operand: Json, { path }: Place): readonly TypeName[] {
  const names: readonly Json[] = Array.isArray(operand) ? operand : [operand as Json];
  if (names.length === 0 || !names.every(isTypeName)) {
    throw refuseFilter(path, `\`$type\` takes ${[...TYPE_NAMES].join(', ')}`);
  }
  return names;
}

function readRegex(operand: Json, place: Place, siblings: JsonObject): readonly DraftTest[] {
  const options = Object.hasOwn(siblings, '$options') ? siblings['$options'] : 'i';
  if (typeof operand !== 'string' || typeof options !== 'string') {
    throw refuseFilter(place.path, '`$regex` and `$options` need text');
  }
  return [patternTest(place, operand, options)];
}

function readNot(operand: Json, place: Place): readonly DraftTest[] {
  if (typeof operand === 'string') return [{ kind: 'not', tests: [slashedTest(place, operand)] }];
  if (!isOperatorObject(operand)) {
    throw refuseFilter(
      place.path,
      '`$not` needs an object of operators, or a pattern written as `/text/flags`',
    );
  }
  const depth = place.depth + 1;
  place.budget.descend(place.path, depth);
  return [{ kind: 'not', tests: readOperators(operand, { ...place, depth }) }];
}

function readElemMatch(operand: Json, place: Place): readonly DraftTest[] {
  if (!isJsonObject(operand)) throw refuseFilter(place.path, '`$elemMatch` needs an object');
  const depth = place.depth + 1;
  place.budget.descend(place.path, depth);
  const [first = ''] = Object.keys(operand);
  if (!READERS.has(first)) return [place.element(operand, depth)];
  const tests = readOperators(operand, { ...place, depth });
  if (!areSettled(tests)) throw refuseFilter(place.path, 'References are no lists within a list');
  return [{ kind: 'elemMatchValue', tests }];
}

const compare =
  (kind: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'): Reader =>
  (operand, place) => {
    const value = readValue(operand, place);
    return [kind === 'eq' ? { kind, value } : { kind, value }];
  };

const among =
  (kind: 'in' | 'nin' | 'all'): Reader =>
  (operand, place) => [{ kind, values: readValues(operand, place, `$${kind}`) }];

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['$eq', compare('eq')],
  ['$ne', compare('ne')],
  ['$gt', compare('gt')],
  ['$gte', compare('gte')],
  ['$lt', compare('lt')],
  ['$lte', compare('lte')],
  ['$in', among('in')],
  ['$nin', among('nin')],
  ['$all', among('all')],
  ['$not', readNot],
  ['$elemMatch', readElemMatch],
  ['$regex', readRegex],
  [
    '$options',
    (_operand, { path }, siblings) => {
      if (!Object.hasOwn(siblings, '$regex')) throw refuseFilter(path, '`$options` needs `$regex` beside it');
      return [];
    },
  ],
  [
    '$exists',
    (operand, { path }) => {
      if (typeof operand !== 'boolean') throw refuseFilter(path, '`$exists` needs true or false');
      return [{ kind: 'exists', value: operand }];
    },
  ],
  [
    '$size',
    (operand, { path }) => {
      if (typeof operand !== 'number' || !Number.isSafeInteger(operand) || operand < 0) {
        throw refuseFilter(path, '`$size` needs a whole number, zero or more');
      }
      return [{ kind: 'size', value: operand }];
    },
  ],
  ['$type', (operand, place) => [{ kind: 'type', names: typeNames(operand, place) }]],
]);

/** The tests of `{$operator: operand, …}`. Throws a 400 for whatever is not on the list of operators. */
function readOperators(operators: JsonObject, place: Place): readonly DraftTest[] {
  return Object.entries(operators).flatMap(([name, operand]) => {
    place.budget.spend(place.path);
    const reader = READERS.get(name);
    if (reader === undefined) {
      throw refuseFilter(name, `\`${place.path}\` is filtered by an operator that is not offered`);
    }
    return reader(operand, place, operators);
  });
}

/** The tests of a condition: operators, or a plain value to equal, which ignores case where the field says so. */
export function readCondition(condition: Json, place: Place): readonly DraftTest[] {
  if (isOperatorObject(condition)) return readOperators(condition, place);
  const value = coerce(condition, place);
  if (typeof value === 'string' && place.rules.fold) return [{ kind: 'eq', value, fold: true }];
  return [{ kind: 'eq', value }];
}
