// Parses a filter as a client sent it: an allow-list of operators over known paths. Pure: references are resolved later.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { type Collection, type Field, isReference } from '../model/collection.ts';
import { createFilterError } from '../model/read-parameters.ts';
import { type FilterQuota, parseCondition } from './operators.ts';
import {
  areReferencesResolved,
  distributeTests,
  isResolved,
  joinParsedFilters,
  type LogicalOperator,
  matchesMissing,
  type ParsedFilter,
  type ParsedTest,
  type ReferenceCondition,
} from './parsed-filter.ts';
import { collectionScope, elementScope, type OperandRules, type PathScope, pathHint } from './scope.ts';

export interface FilterLimits {
  /** How deep logical operators, `$elemMatch`, `$not` and steps through references may nest. */
  readonly filterDepth: number;
  /** How many conditions and operators there may be; the values of `$in`, `$nin` and `$all` do not count. */
  readonly filterNodes: number;
}

/** Characters and instructions of all patterns: a single pattern may have a thousand of each. */
const MAX_PATTERNS_SIZE = 2000;

export interface FilterParseOptions {
  readonly limits: FilterLimits;
  /** The collection that a Reference field points at, undefined where the caller may not read it. */
  resolveTarget(collection: Collection, field: Field): Collection | undefined;
}

/** The part of a filter that is being parsed. `collection` is undefined inside `$elemMatch`. */
interface FilterParseContext {
  readonly options: FilterParseOptions;
  readonly quota: FilterQuota;
  readonly scope: PathScope;
  readonly collection: Collection | undefined;
  /** The references that lead here, for messages: `''`, or `author.`. */
  readonly prefix: string;
}

const LOGICAL_OPERATORS: ReadonlyMap<string, LogicalOperator> = new Map<string, LogicalOperator>([
  ['$and', 'and'],
  ['$or', 'or'],
  ['$nor', 'nor'],
]);

/** Counts what one filter contains. */
export function createFilterQuota({ filterDepth, filterNodes }: FilterLimits): FilterQuota {
  let nodes = 0;
  let patternsSize = 0;
  return {
    countNode(name) {
      nodes += 1;
      if (nodes > filterNodes) {
        throw createFilterError(name, `The filter has more than ${filterNodes} conditions and operators`);
      }
    },
    countPattern(name, size) {
      patternsSize += size;
      if (patternsSize > MAX_PATTERNS_SIZE) {
        throw createFilterError(name, 'The patterns of the filter are too large together');
      }
    },
    checkDepth(name, depth) {
      if (depth > filterDepth) {
        throw createFilterError(name, `The filter is nested deeper than ${filterDepth} levels`);
      }
    },
  };
}

/**
 * Checks and coerces a filter on `collection`. Throws FILTER_INVALID, naming the operator or path, for anything
 * unknown, forbidden, malformed or beyond the limits.
 */
export function parseFilter(filter: Json, collection: Collection, options: FilterParseOptions): ParsedFilter {
  if (!isJsonObject(filter)) throw createFilterError('filter', 'A filter is a JSON object');
  const scope = collectionScope(collection);
  return parseNode(
    filter,
    { options, quota: createFilterQuota(options.limits), scope, collection, prefix: '' },
    0,
  );
}

function parseNode(filter: JsonObject, context: FilterParseContext, depth: number): ParsedFilter {
  const filters = Object.entries(filter).map(([key, operand]) => {
    context.quota.countNode(key);
    return key.startsWith('$')
      ? parseLogical(key, operand, context, depth)
      : parsePath({ path: key, condition: operand }, context, depth);
  });
  return joinParsedFilters('and', filters);
}

function parseLogical(name: string, operand: Json, context: FilterParseContext, depth: number): ParsedFilter {
  const operator = LOGICAL_OPERATORS.get(name);
  if (operator === undefined) throw createFilterError(name, 'This operator is not offered here');
  if (!Array.isArray(operand) || operand.length === 0 || !operand.every(isJsonObject)) {
    throw createFilterError(name, `\`${name}\` needs a list of at least one filter`);
  }
  context.quota.checkDepth(name, depth + 1);
  return joinParsedFilters(
    operator,
    operand.map((filter) => parseNode(filter, context, depth + 1)),
  );
}

/** The last part of a path, its meaning there, and the references that the path goes through, outermost first. */
interface ResolvedPath {
  readonly path: string;
  readonly rules: OperandRules;
  readonly context: FilterParseContext;
  readonly depth: number;
  readonly steps: readonly ReferenceStep[];
}

type ReferenceStep = Pick<ReferenceCondition, 'source' | 'path' | 'target'>;

function parsePath(
  { path, condition }: { readonly path: string; readonly condition: Json },
  start: FilterParseContext,
  startDepth: number,
): ParsedFilter {
  const { steps, context, depth, rules, path: last } = resolvePath(path, start, startDepth);
  const { quota, collection, prefix } = context;
  const fullPath = `${prefix}${last}`;
  const tests = parseCondition(condition, {
    path: fullPath,
    rules,
    depth,
    quota,
    parseElement: (filter, elementDepth) =>
      parseElement(filter, { field: collection?.fields.get(last), path: fullPath }, context, elementDepth),
  });
  if (steps.length === 0 && areReferencesResolved(tests)) return { kind: 'field', path: last, tests };
  let atoms = 0;
  return distributeTests(tests, (test) => {
    atoms += 1;
    // One test may need several look-ups; the first of them was counted when the test was parsed.
    if (atoms > tests.length) quota.countNode(fullPath);
    const innermost: ParsedFilter =
      test.kind === 'refersTo' ? test.condition : { kind: 'field', path: last, tests: [test] };
    const missing = matchesMissing(test);
    return steps.reduceRight<ParsedFilter>(
      (filter, step) => ({
        kind: 'reference',
        ...step,
        filter,
        matchesMissing: missing,
        elementsOnly: false,
      }),
      innermost,
    );
  });
}

function resolvePath(
  path: string,
  context: FilterParseContext,
  depth: number,
  steps: readonly ReferenceStep[] = [],
): ResolvedPath {
  const fullPath = `${context.prefix}${path}`;
  const meaning = context.scope(path);
  if (meaning === undefined) {
    const hint = context.collection === undefined ? '' : pathHint(path, context.collection);
    throw createFilterError(fullPath, `doesn't exist in the collection schema${hint}`);
  }
  if (meaning.kind === 'field') return { path, rules: meaning.rules, context, depth, steps };
  const { field, rest } = meaning;
  const step = followReference(field, context, fullPath);
  context.quota.checkDepth(fullPath, depth + 1);
  return resolvePath(rest, contextAfter(step, context), depth + 1, [...steps, step]);
}

/** The step through a Reference field. Throws FILTER_INVALID where the caller may not follow it. */
function followReference(
  field: Field,
  { collection, options }: FilterParseContext,
  path: string,
): ReferenceStep {
  const target = collection && options.resolveTarget(collection, field);
  if (collection === undefined || target === undefined) {
    throw createFilterError(path, `The collection behind \`${field.name}\` cannot be read`);
  }
  return { source: collection, path: field.name, target };
}

function contextAfter({ path, target }: ReferenceStep, context: FilterParseContext): FilterParseContext {
  return {
    ...context,
    scope: collectionScope(target),
    collection: target,
    prefix: `${context.prefix}${path}.`,
  };
}

/** The test of `$elemMatch` with a filter. On a Reference field, the filter is about the document behind an element. */
function parseElement(
  filter: JsonObject,
  { field, path }: { readonly field: Field | undefined; readonly path: string },
  context: FilterParseContext,
  depth: number,
): ParsedTest {
  if (isReference(field)) {
    const step = followReference(field, context, path);
    const inner = parseNode(filter, contextAfter(step, context), depth);
    return {
      kind: 'refersTo',
      condition: { kind: 'reference', ...step, filter: inner, matchesMissing: false, elementsOnly: true },
    };
  }
  const inner = parseNode(filter, { ...context, scope: elementScope, collection: undefined }, depth);
  if (!isResolved(inner)) throw createFilterError('$elemMatch', 'A list element has no references to follow');
  return { kind: 'elemMatch', filter: inner };
}
