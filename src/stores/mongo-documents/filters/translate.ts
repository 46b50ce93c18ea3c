// Translates filters into MongoDB queries. Where the server would interpret or evaluate a condition differently the query
// matches a superset, and this process evaluates the filter on the result.
import { unreachable } from '../../../lib/unreachable.ts';
import type { Filter, FilterTest } from '../../filter.ts';
import { BSON_TYPE_MARKER, isObjectIdText, toBsonId } from '../bson/bson-conversion.ts';
import { isTranslatableList } from './long-lists.ts';
import { candidatesByPattern, candidatesIgnoringCase } from './text-conditions.ts';
import {
  allOf,
  anyOf,
  hasNumericPart,
  MATCH_ALL,
  MATCH_NONE,
  type NonJsonTypesAt,
  noneOf,
  nonJsonTypesAt,
  singleMember,
  type TranslateContext,
  type TranslatedFilter,
  UNTRANSLATABLE,
  withoutIndex,
} from './translated-filter.ts';
import {
  compares,
  hasCandidate,
  hasOneOf,
  hasType,
  isIdPath,
  orNonJson,
  type TestTarget,
} from './value-conditions.ts';

/** The query for `filter`, given the non-JSON types that are known at its paths. */
export function translateFilter(filter: Filter, nonJsonAt?: NonJsonTypesAt): TranslatedFilter {
  return translateNode(filter, { root: true, ...(nonJsonAt !== undefined && { nonJsonAt }) });
}

function translateNode(filter: Filter, context: TranslateContext): TranslatedFilter {
  if (filter.kind === 'field') return translateField(filter, context);
  const parts = filter.filters.map((part) => translateNode(part, context));
  switch (filter.kind) {
    case 'and':
      return allOf(parts);
    case 'or':
      return anyOf(parts);
    case 'nor':
      return noneOf(parts);
    default:
      return unreachable(filter);
  }
}

function translateField(
  { path, tests }: Extract<Filter, { kind: 'field' }>,
  context: TranslateContext,
): TranslatedFilter {
  const id = isIdPath({ path, context }) ? soleObjectId(tests) : undefined;
  if (id !== undefined) return { query: { _id: toBsonId(id) }, exact: true };
  if (!isTranslatablePath(path)) return tests.length === 0 ? MATCH_ALL : UNTRANSLATABLE;
  const translated = allOf(tests.map((test) => translateTest(test, { path, context })));
  return hasNumericPart(path) ? withoutIndex(translated) : translated;
}

/** The id of the one document that a filter can match, if it is an ObjectId and all that the filter asks for. */
export function idOfFilter(filter: Filter): string | undefined {
  return filter.kind === 'field' && filter.path === '_id' ? soleObjectId(filter.tests) : undefined;
}

/** The id, if the only test compares with an ObjectId: the most frequent filter, which needs none of the rules below. */
function soleObjectId([test, ...others]: readonly FilterTest[]): string | undefined {
  if (test?.kind !== 'eq' || others.length > 0) return undefined;
  if (test.caseInsensitive === true || typeof test.value !== 'string') return undefined;
  return isObjectIdText(test.value) ? test.value : undefined;
}

/** False for names that the server takes for operators, walks through in its own way, or does not take at all, nor the driver. */
function isTranslatablePath(path: string): boolean {
  return (
    path !== BSON_TYPE_MARKER &&
    !path.startsWith('$') &&
    !path.includes('\0') &&
    path.split('.').every((part) => part !== '')
  );
}

function translateTest(test: FilterTest, target: TestTarget): TranslatedFilter {
  const { path } = target;
  switch (test.kind) {
    case 'eq':
      if (test.caseInsensitive !== true || typeof test.value !== 'string')
        return hasOneOf(target, [test.value]);
      return hasCandidate(target, candidatesIgnoringCase(test.value, isIdPath(target)));
    case 'in':
      return hasOneOf(target, test.values);
    case 'ne':
      return noneOf([hasOneOf(target, [test.value])]);
    case 'nin':
      return noneOf([hasOneOf(target, test.values)]);
    case 'all':
      if (!isTranslatableList(test.values)) return UNTRANSLATABLE;
      return test.values.length === 0
        ? MATCH_NONE
        : allOf(test.values.map((value) => hasOneOf(target, [value])));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compares(target, { kind: test.kind, value: test.value });
    case 'not':
      return noneOf([allOf(test.tests.map((inner) => translateTest(inner, target)))]);
    case 'exists':
      return { query: singleMember(path, { $exists: test.value }), exact: true };
    case 'size':
      return isArraySize(test.value)
        ? { query: singleMember(path, { $size: test.value }), exact: true }
        : MATCH_NONE;
    case 'type':
      return hasType(target, test.names);
    case 'regex':
      return isIdPath(target) ? UNTRANSLATABLE : matchesPattern(target, test);
    case 'elemMatch': {
      const { query, exact } = translateNode(test.filter, inElement(target));
      return { query: singleMember(path, { $elemMatch: { $and: [query] } }), exact };
    }
    case 'elemMatchValue':
      return passesWithin(target, test.tests);
  }
}

const MAX_ARRAY_SIZE = 0x7fff_ffff;

/** False for a length that no array has. */
function isArraySize(size: number): boolean {
  return Number.isInteger(size) && size >= 0 && size <= MAX_ARRAY_SIZE;
}

/** Tests that a list passes as soon as one of its elements does. */
const PASSED_BY_ELEMENTS: ReadonlySet<FilterTest['kind']> = new Set<FilterTest['kind']>([
  ...(['eq', 'in', 'gt', 'gte', 'lt', 'lte', 'type', 'regex'] as const),
]);

/** Lists of which elements pass the tests. Whether one element passes all of them is decided here. */
function passesWithin(target: TestTarget, tests: readonly FilterTest[]): TranslatedFilter {
  // A list that is itself named by its position is compared as a whole only.
  const passed = hasNumericPart(target.path) ? [] : tests.filter(({ kind }) => PASSED_BY_ELEMENTS.has(kind));
  const hasElement = { query: singleMember(target.path, { $elemMatch: { $exists: true } }), exact: false };
  return allOf([...passed.map((test) => translateTest(test, target)), hasElement]);
}

function inElement({ path, context }: TestTarget): TranslateContext {
  const within = context.arrayPath === undefined ? path : `${context.arrayPath}.${path}`;
  return { ...context, root: false, arrayPath: within };
}

function matchesPattern(
  target: TestTarget,
  { pattern, flags }: Extract<FilterTest, { kind: 'regex' }>,
): TranslatedFilter {
  const translated = hasCandidate(target, candidatesByPattern(pattern, flags));
  const nonJson = nonJsonTypesAt(target.context, target.path);
  return nonJson?.dates === true || nonJson?.others === true
    ? orNonJson(target.path, translated)
    : translated;
}
