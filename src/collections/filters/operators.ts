// The operators of filters. Each is parsed into tests of the stores' filter language; patterns run in the linear-time
// engine only, so that none stalls the server.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { compileLinearRegex, LinearRegexError } from '../../lib/regex/linear-regex.ts';
import type { FilterTest, FilterTypeName } from '../../stores/filter.ts';
import { createFilterError } from '../model/read-parameters.ts';
import { areReferencesResolved, type ParsedTest } from './parsed-filter.ts';
import type { OperandRules } from './scope.ts';

/** Counts what a filter contains. Each method throws FILTER_INVALID beyond the limit. */
export interface FilterQuota {
  /** Counts one condition or operator. */
  countNode(name: string): void;
  /** Counts characters or instructions of a pattern: compiling takes some 40 µs for each. */
  countPattern(name: string, size: number): void;
  checkDepth(name: string, depth: number): void;
}

/** Where an operand stands, and what it needs to be parsed. */
export interface OperandContext {
  readonly path: string;
  readonly rules: OperandRules;
  readonly depth: number;
  readonly quota: FilterQuota;
  /** Parses the filter inside `$elemMatch`. */
  parseElement(filter: JsonObject, depth: number): ParsedTest;
}

type OperatorParser = (operand: Json, context: OperandContext, siblings: JsonObject) => readonly ParsedTest[];

const TYPES: Readonly<Record<FilterTypeName, true>> = {
  string: true,
  number: true,
  object: true,
  array: true,
  bool: true,
  null: true,
};
const TYPE_NAMES: ReadonlySet<string> = new Set(Object.keys(TYPES));

const MAX_SHOWN_CHARACTERS = 200;
const shownPath = (path: string) => path.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed();

const REGEX_FLAGS = /^[ims]*$/;
const SLASHED_REGEX = /^\/(?<pattern>.+)\/(?<flags>[a-z]*)$/s;

const isTypeName = (value: Json): value is FilterTypeName =>
  typeof value === 'string' && TYPE_NAMES.has(value);

/** True for `{$operator: …}`: an object whose first key starts with `$`. */
export function isOperatorObject(value: Json): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).some((key) => key.startsWith('$'));
}

function parseOperand(operand: Json, context: OperandContext): Json {
  if (isOperatorObject(operand)) {
    throw createFilterError(context.path, 'An operator cannot stand inside the operand of another one');
  }
  return coerceOperand(operand, context);
}

function coerceOperand(operand: Json, { path, rules }: OperandContext): Json {
  // Every field may be null, or missing.
  const value = operand === null ? null : rules.readOperand(operand);
  if (value === undefined) {
    throw createFilterError(path, `An operand of \`${shownPath(path)}\` must be ${rules.operandForm}`);
  }
  return value;
}

function parseOperands(operand: Json, context: OperandContext, operator: string): readonly Json[] {
  if (!Array.isArray(operand)) throw createFilterError(context.path, `\`${operator}\` needs a list`);
  return operand.map((entry: Json) => parseOperand(entry, context));
}

function parseTypeNames(operand: Json, { path }: OperandContext): readonly FilterTypeName[] {
  const names: readonly Json[] = Array.isArray(operand) ? operand : [operand as Json];
  if (names.length === 0 || !names.every(isTypeName)) {
    throw createFilterError(path, `\`$type\` takes ${[...TYPE_NAMES].join(', ')}`);
  }
  return names;
}

/** Characters that count beside the instructions: a class of a thousand is one instruction, and slow to compile. */
const classCharacters = (pattern: string) => (/[[\\]/.test(pattern) ? pattern.length : 0);

/** A `regex` test. Throws FILTER_INVALID, naming the path, for other flags or a pattern beyond the engine. */
export function parseRegexTest(
  { path, quota }: Pick<OperandContext, 'path' | 'quota'>,
  pattern: string,
  flags: string,
): FilterTest {
  if (!REGEX_FLAGS.test(flags) || new Set(flags).size !== flags.length) {
    throw createFilterError(path, 'The flags of a pattern are `i`, `m` and `s`, each at most once');
  }
  try {
    quota.countPattern(path, classCharacters(pattern));
    quota.countPattern(path, compileLinearRegex(pattern, flags).size);
  } catch (error) {
    throw error instanceof LinearRegexError ? createFilterError(path, error.message) : error;
  }
  return { kind: 'regex', pattern, flags };
}

/** A `regex` test for text of the form `/pattern/flags`. Throws FILTER_INVALID for other text. */
export function parseSlashedRegex(context: Pick<OperandContext, 'path' | 'quota'>, text: string): FilterTest {
  const parts = SLASHED_REGEX.exec(text)?.groups;
  if (parts === undefined) {
    throw createFilterError(
      context.path,
      '`$not` needs an object of operators, or a pattern written as `/text/flags`',
    );
  }
  return parseRegexTest(context, parts['pattern'] ?? '', parts['flags'] ?? '');
}

function parseRegexOperator(
  operand: Json,
  context: OperandContext,
  siblings: JsonObject,
): readonly ParsedTest[] {
  const options = Object.hasOwn(siblings, '$options') ? siblings['$options'] : 'i';
  if (typeof operand !== 'string' || typeof options !== 'string') {
    throw createFilterError(context.path, '`$regex` and `$options` need text');
  }
  return [parseRegexTest(context, operand, options)];
}

function parseNot(operand: Json, context: OperandContext): readonly ParsedTest[] {
  if (typeof operand === 'string') return [{ kind: 'not', tests: [parseSlashedRegex(context, operand)] }];
  if (!isOperatorObject(operand)) {
    throw createFilterError(
      context.path,
      '`$not` needs an object of operators, or a pattern written as `/text/flags`',
    );
  }
  const depth = context.depth + 1;
  context.quota.checkDepth(context.path, depth);
  return [{ kind: 'not', tests: parseOperators(operand, { ...context, depth }) }];
}

function parseElemMatch(operand: Json, context: OperandContext): readonly ParsedTest[] {
  if (!isJsonObject(operand)) throw createFilterError(context.path, '`$elemMatch` needs an object');
  const depth = context.depth + 1;
  context.quota.checkDepth(context.path, depth);
  const [first = ''] = Object.keys(operand);
  if (!OPERATORS.has(first)) return [context.parseElement(operand, depth)];
  const tests = parseOperators(operand, { ...context, depth });
  if (!areReferencesResolved(tests))
    throw createFilterError(context.path, 'References are no lists within a list');
  return [{ kind: 'elemMatchValue', tests }];
}

const comparison =
  (testOf: (value: Json) => FilterTest): OperatorParser =>
  (operand, context) => [testOf(parseOperand(operand, context))];

const membership =
  (kind: 'in' | 'nin' | 'all'): OperatorParser =>
  (operand, context) => [{ kind, values: parseOperands(operand, context, `$${kind}`) }];

const OPERATORS: ReadonlyMap<string, OperatorParser> = new Map<string, OperatorParser>([
  ['$eq', comparison((value) => ({ kind: 'eq', value }))],
  ['$ne', comparison((value) => ({ kind: 'ne', value }))],
  ['$gt', comparison((value) => ({ kind: 'gt', value }))],
  ['$gte', comparison((value) => ({ kind: 'gte', value }))],
  ['$lt', comparison((value) => ({ kind: 'lt', value }))],
  ['$lte', comparison((value) => ({ kind: 'lte', value }))],
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
  ['$type', (operand, context) => [{ kind: 'type', names: parseTypeNames(operand, context) }]],
]);

/** The tests of `{$operator: operand, …}`. Throws FILTER_INVALID for an operator that is not in the table. */
function parseOperators(operators: JsonObject, context: OperandContext): readonly ParsedTest[] {
  return Object.entries(operators).flatMap(([name, operand]) => {
    context.quota.countNode(context.path);
    const parse = OPERATORS.get(name);
    if (parse === undefined) {
      throw createFilterError(
        name,
        `\`${shownPath(context.path)}\` is filtered by an operator that is not offered: use ${[...OPERATORS.keys()].join(', ')}`,
      );
    }
    return parse(operand, context, operators);
  });
}

/** The tests of a condition: operators, or a plain value. Equality with a plain value ignores case where the field does. */
export function parseCondition(condition: Json, context: OperandContext): readonly ParsedTest[] {
  if (isOperatorObject(condition)) return parseOperators(condition, context);
  const value = coerceOperand(condition, context);
  if (typeof value === 'string' && context.rules.caseInsensitive)
    return [{ kind: 'eq', value, caseInsensitive: true }];
  return [{ kind: 'eq', value }];
}
