// The operators that a filter may apply to a path, each turned into a test of the stores' filter language.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { FilterTypeName } from '../../stores/filter.ts';
import { createFilterError } from './filter-error.ts';
import type { FilterQuota } from './filter-quota.ts';
import { areResolved, type ParsedTest } from './parsed-filter.ts';
import { parseRegex, parseSlashedRegex } from './regex-operand.ts';
import type { OperandRules } from './scope.ts';

/** Where an operand stands, and what it needs to be read. */
export interface OperandContext {
  readonly path: string;
  readonly rules: OperandRules;
  readonly depth: number;
  readonly budget: FilterQuota;
  /** Reads the filter inside `$elemMatch`. */
  parseElement(filter: JsonObject, depth: number): ParsedTest;
}

type OperatorParser = (operand: Json, place: OperandContext, siblings: JsonObject) => readonly ParsedTest[];

const TYPE_NAMES: ReadonlySet<string> = new Set<FilterTypeName>([
  'string',
  'number',
  'object',
  'array',
  'bool',
  'null',
]);

const isTypeName = (value: Json): value is FilterTypeName =>
  typeof value === 'string' && TYPE_NAMES.has(value);

/** True for `{$operator: …}`: an object whose first key starts with `$`. */
export function isOperatorObject(value: Json): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).some((key) => key.startsWith('$'));
}

function parseOperand(operand: Json, place: OperandContext): Json {
  if (isOperatorObject(operand)) {
    throw createFilterError(place.path, 'An operator cannot stand inside the operand of another one');
  }
  return coerceOperand(operand, place);
}

function coerceOperand(operand: Json, { path, rules }: OperandContext): Json {
  const problem = rules.check?.(operand);
  if (problem !== undefined) throw createFilterError(path, `An operand ${problem.message}`);
  return rules.coerce(operand);
}

function parseOperands(operand: Json, place: OperandContext, operator: string): readonly Json[] {
  if (!Array.isArray(operand)) throw createFilterError(place.path, `\`${operator}\` needs a list`);
  return operand.map((entry: Json) => parseOperand(entry, place));
}

function parseTypeNames(operand: Json, { path }: OperandContext): readonly FilterTypeName[] {
  const names: readonly Json[] = Array.isArray(operand) ? operand : [operand as Json];
  if (names.length === 0 || !names.every(isTypeName)) {
    throw createFilterError(path, `\`$type\` takes ${[...TYPE_NAMES].join(', ')}`);
  }
  return names;
}

function parseRegexOperator(
  operand: Json,
  place: OperandContext,
  siblings: JsonObject,
): readonly ParsedTest[] {
  const options = Object.hasOwn(siblings, '$options') ? siblings['$options'] : 'i';
  if (typeof operand !== 'string' || typeof options !== 'string') {
    throw createFilterError(place.path, '`$regex` and `$options` need text');
  }
  return [parseRegex(place, operand, options)];
}

function parseNot(operand: Json, place: OperandContext): readonly ParsedTest[] {
  if (typeof operand === 'string') return [{ kind: 'not', tests: [parseSlashedRegex(place, operand)] }];
  if (!isOperatorObject(operand)) {
    throw createFilterError(
      place.path,
      '`$not` needs an object of operators, or a pattern written as `/text/flags`',
    );
  }
  const depth = place.depth + 1;
  place.budget.checkDepth(place.path, depth);
  return [{ kind: 'not', tests: parseOperators(operand, { ...place, depth }) }];
}

function parseElemMatch(operand: Json, place: OperandContext): readonly ParsedTest[] {
  if (!isJsonObject(operand)) throw createFilterError(place.path, '`$elemMatch` needs an object');
  const depth = place.depth + 1;
  place.budget.checkDepth(place.path, depth);
  const [first = ''] = Object.keys(operand);
  if (!OPERATORS.has(first)) return [place.parseElement(operand, depth)];
  const tests = parseOperators(operand, { ...place, depth });
  if (!areResolved(tests)) throw createFilterError(place.path, 'References are no lists within a list');
  return [{ kind: 'elemMatchValue', tests }];
}

const comparison =
  (kind: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'): OperatorParser =>
  (operand, place) => {
    const value = parseOperand(operand, place);
    return [kind === 'eq' ? { kind, value } : { kind, value }];
  };

const membership =
  (kind: 'in' | 'nin' | 'all'): OperatorParser =>
  (operand, place) => [{ kind, values: parseOperands(operand, place, `$${kind}`) }];

const OPERATORS: ReadonlyMap<string, OperatorParser> = new Map<string, OperatorParser>([
  ['$eq', comparison('eq')],
  ['$ne', comparison('ne')],
  ['$gt', comparison('gt')],
  ['$gte', comparison('gte')],
  ['$lt', comparison('lt')],
  ['$lte', comparison('lte')],
  ['$in', membership('in')],
  ['$nin', membership('nin')],
  ['$all', membership('all')],
  ['$not', parseNot],
  ['$elemMatch', parseElemMatch],
  ['$regex', parseRegexOperator],
  [
    '$options',
    (_operand, { path }, siblings) => {
      if (!Object.hasOwn(siblings, '$regex'))
        throw createFilterError(path, '`$options` needs `$regex` beside it');
      return [];
    },
  ],
  [
    '$exists',
    (operand, { path }) => {
      if (typeof operand !== 'boolean') throw createFilterError(path, '`$exists` needs true or false');
      return [{ kind: 'exists', value: operand }];
    },
  ],
  [
    '$size',
    (operand, { path }) => {
      if (typeof operand !== 'number' || !Number.isSafeInteger(operand) || operand < 0) {
        throw createFilterError(path, '`$size` needs a whole number, zero or more');
      }
      return [{ kind: 'size', value: operand }];
    },
  ],
  ['$type', (operand, place) => [{ kind: 'type', names: parseTypeNames(operand, place) }]],
]);

/** The tests of `{$operator: operand, …}`. Throws a 400 for whatever is not on the list of operators. */
function parseOperators(operators: JsonObject, place: OperandContext): readonly ParsedTest[] {
  return Object.entries(operators).flatMap(([name, operand]) => {
    place.budget.countNode(place.path);
    const reader = OPERATORS.get(name);
    if (reader === undefined) {
      throw createFilterError(name, `\`${place.path}\` is filtered by an operator that is not offered`);
    }
    return reader(operand, place, operators);
  });
}

/** The tests of a condition: operators, or a plain value to equal, which ignores case where the field says so. */
export function parseCondition(condition: Json, place: OperandContext): readonly ParsedTest[] {
  if (isOperatorObject(condition)) return parseOperators(condition, place);
  const value = coerceOperand(condition, place);
  if (typeof value === 'string' && place.rules.caseInsensitive) return [{ kind: 'eq', value, fold: true }];
  return [{ kind: 'eq', value }];
}
