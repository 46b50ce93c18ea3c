// Reads a filter as a client sent it: an allow-list of operators over known paths. Pure: look-ups come later.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { Collection, Field } from '../model/collection.ts';
import { isReference } from '../model/references.ts';
import { distributeTests, matchesMissing } from './distribute-tests.ts';
import { createFilterError } from './filter-error.ts';
import { createFilterQuota, type FilterLimits, type FilterQuota } from './filter-quota.ts';
import { parseCondition } from './operators.ts';
import {
  areResolved,
  isResolved,
  joinParsedFilters,
  type LogicalOperator,
  type ParsedFilter,
  type ParsedTest,
  type ReferenceCondition,
} from './parsed-filter.ts';
import { collectionScope, elementScope, type OperandRules, type PathScope } from './scope.ts';

export interface FilterParseOptions {
  readonly limits: FilterLimits;
  /** Where a Reference field points, or undefined where the caller may not follow it. */
  resolveTarget(collection: Collection, field: Field): Collection | undefined;
}

/** What stays the same while one part of a filter is read. `collection` is undefined inside `$elemMatch`. */
interface FilterParseContext {
  readonly options: FilterParseOptions;
  readonly quota: FilterQuota;
  readonly scope: PathScope;
  readonly collection: Collection | undefined;
  /** The references on the way here, for messages: `''`, or `author.`. */
  readonly prefix: string;
}

const LOGICAL_OPERATORS: ReadonlyMap<string, LogicalOperator> = new Map<string, LogicalOperator>([
  ['$and', 'and'],
  ['$or', 'or'],
  ['$nor', 'nor'],
]);

/**
 * Checks and coerces a filter on `collection`. Throws FILTER_INVALID, naming the operator or path, for whatever is
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

function parseNode(filter: JsonObject, reading: FilterParseContext, depth: number): ParsedFilter {
  const drafts = Object.entries(filter).map(([key, operand]) => {
    reading.quota.countNode(key);
    return key.startsWith('$')
      ? parseLogical(key, operand, reading, depth)
      : parsePath({ path: key, condition: operand }, reading, depth);
  });
  return joinParsedFilters('and', drafts);
}

function parseLogical(name: string, operand: Json, reading: FilterParseContext, depth: number): ParsedFilter {
  const group = LOGICAL_OPERATORS.get(name);
  if (group === undefined) throw createFilterError(name, 'This operator is not offered here');
  if (!Array.isArray(operand) || operand.length === 0 || !operand.every(isJsonObject)) {
    throw createFilterError(name, `\`${name}\` needs a list of at least one filter`);
  }
  reading.quota.checkDepth(name, depth + 1);
  return joinParsedFilters(
    group,
    operand.map((filter) => parseNode(filter, reading, depth + 1)),
  );
}

/** Where a path ends: what it means there, and the references that it goes through, outermost first. */
interface ResolvedPath {
  readonly path: string;
  readonly rules: OperandRules;
  readonly reading: FilterParseContext;
  readonly depth: number;
  readonly steps: readonly ReferenceStep[];
}

type ReferenceStep = Pick<ReferenceCondition, 'source' | 'path' | 'target'>;

function conditionThrough(step: ReferenceStep, draft: ParsedFilter, missing: boolean): ParsedFilter {
  return { kind: 'through', ...step, filter: draft, matchesMissing: missing, elementsOnly: false };
}

function parsePath(
  { path, condition }: { readonly path: string; readonly condition: Json },
  start: FilterParseContext,
  from: number,
): ParsedFilter {
  const { steps, reading, depth, rules, path: last } = resolvePath(path, start, from);
  const { quota: budget } = reading;
  const shown = `${reading.prefix}${last}`;
  const element = (filter: JsonObject, inner: number) =>
    parseElement(filter, { field: reading.collection?.fields.get(last), shown }, reading, inner);
  const tests = parseCondition(condition, { path: shown, rules, depth, budget, parseElement: element });
  if (steps.length === 0 && areResolved(tests)) return { kind: 'field', path: last, tests };
  let atoms = 0;
  return distributeTests(tests, (atom) => {
    atoms += 1;
    // One test may need several look-ups; the first of them was counted when it was read.
    if (atoms > tests.length) budget.countNode(shown);
    const own: ParsedFilter =
      atom.kind === 'refers' ? atom.through : { kind: 'field', path: last, tests: [atom] };
    const missing = matchesMissing(atom);
    return steps.reduceRight<ParsedFilter>((draft, step) => conditionThrough(step, draft, missing), own);
  });
}

function resolvePath(
  path: string,
  reading: FilterParseContext,
  depth: number,
  steps: readonly ReferenceStep[] = [],
): ResolvedPath {
  const shown = `${reading.prefix}${path}`;
  const meaning = reading.scope(path);
  if (meaning === undefined) throw createFilterError(shown, "doesn't exist in the collection schema");
  if (meaning.kind === 'own') return { path, rules: meaning.rules, reading, depth, steps };
  const { field, rest } = meaning;
  const { quota: budget } = reading;
  const step = followReference(field, reading, shown);
  budget.checkDepth(shown, depth + 1);
  return resolvePath(rest, contextBehind(step, reading), depth + 1, [...steps, step]);
}

/** The way through a Reference field. Throws where the caller may not go. */
function followReference(
  field: Field,
  { collection, options }: FilterParseContext,
  shown: string,
): ReferenceStep {
  const target = collection && options.resolveTarget(collection, field);
  if (collection === undefined || target === undefined) {
    throw createFilterError(shown, `The collection behind \`${field.name}\` cannot be read`);
  }
  return { source: collection, path: field.name, target };
}

function contextBehind({ path, target }: ReferenceStep, reading: FilterParseContext): FilterParseContext {
  return {
    ...reading,
    scope: collectionScope(target),
    collection: target,
    prefix: `${reading.prefix}${path}.`,
  };
}

/** What `$elemMatch` asks of an element: an element of references is the document that it refers to. */
function parseElement(
  filter: JsonObject,
  { field, shown }: { readonly field: Field | undefined; readonly shown: string },
  reading: FilterParseContext,
  depth: number,
): ParsedTest {
  if (isReference(field)) {
    const step = followReference(field, reading, shown);
    const draft = parseNode(filter, contextBehind(step, reading), depth);
    return {
      kind: 'refers',
      through: { kind: 'through', ...step, filter: draft, matchesMissing: false, elementsOnly: true },
    };
  }
  const draft = parseNode(filter, { ...reading, scope: elementScope, collection: undefined }, depth);
  if (!isResolved(draft)) throw createFilterError('$elemMatch', 'A list element has no references to follow');
  return { kind: 'elemMatch', filter: draft };
}
