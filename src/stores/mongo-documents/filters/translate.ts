// Puts filters in the words of the server. The language is its own; what it would understand otherwise, or run in a way
// that can go wrong unseen, is left to the exact evaluation of what comes back.
import type { Filter, Test } from '../../filter.ts';
import { isObjectIdText, MARK, toBsonId } from '../bson/values.ts';
import { anyElement, elementOperators, isSize } from './elements.ts';
import { isSayableList } from './lists.ts';
import {
  ALL,
  allOf,
  anyOf,
  type Dialect,
  foreignAt,
  member,
  NONE,
  namesPosition,
  noneOf,
  type Said,
  UNSAID,
  withoutIndex,
} from './said.ts';
import { soughtByPattern, soughtFolded } from './text.ts';
import { compares, holdsOne, holdsSought, isIdPath, orForeign, type Place, serverTypes } from './values.ts';

/** The query for `filter`; `collated` where text is compared by the collation of folding. */
export function translateFilter(filter: Filter, options: Pick<Dialect, 'collated' | 'foreign'>): Said {
  return translateNode(filter, { ...options, root: true });
}

function translateNode(filter: Filter, dialect: Dialect): Said {
  if (filter.kind === 'field') return translateField(filter, dialect);
  const parts = filter.filters.map((part) => translateNode(part, dialect));
  if (filter.kind === 'and') return allOf(parts);
  return filter.kind === 'or' ? anyOf(parts) : noneOf(parts);
}

function translateField({ path, tests }: Extract<Filter, { kind: 'field' }>, dialect: Dialect): Said {
  const id = tests.length === 1 && isIdPath({ path, dialect }) ? soleId(tests[0]) : undefined;
  if (id !== undefined) return { query: { _id: toBsonId(id) }, exact: true };
  if (!isSayable(path)) return tests.length === 0 ? ALL : UNSAID;
  const said = allOf(tests.map((test) => translateTest(test, { path, dialect })));
  return namesPosition(path) ? withoutIndex(said) : said;
}

/** The id, where the test is for one of our own: what is asked most, and needs none of the care below. */
function soleId(test: Test | undefined): string | undefined {
  if (test?.kind !== 'eq' || test.fold === true || typeof test.value !== 'string') return undefined;
  return isObjectIdText(test.value) ? test.value : undefined;
}

/** False for names that the server takes for operators, walks through in its own way, or does not take at all, nor the driver. */
function isSayable(path: string): boolean {
  return (
    path !== MARK &&
    !path.startsWith('$') &&
    !path.includes('\0') &&
    path.split('.').every((part) => part !== '')
  );
}

function translateTest(test: Test, place: Place): Said {
  const { path } = place;
  switch (test.kind) {
    case 'eq':
      if (test.fold !== true || typeof test.value !== 'string') return holdsOne(place, [test.value]);
      return translateFolded(test.value, place);
    case 'in':
      return holdsOne(place, test.values);
    case 'ne':
      return noneOf([holdsOne(place, [test.value])]);
    case 'nin':
      return noneOf([holdsOne(place, test.values)]);
    case 'all':
      if (!isSayableList(test.values)) return UNSAID;
      return test.values.length === 0 ? NONE : allOf(test.values.map((value) => holdsOne(place, [value])));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compares(place, { kind: test.kind, value: test.value });
    case 'not':
      return noneOf([allOf(test.tests.map((inner) => translateTest(inner, place)))]);
    case 'exists':
      return { query: member(path, { $exists: test.value }), exact: true };
    case 'size':
      return isSize(test.value) ? { query: member(path, { $size: test.value }), exact: true } : NONE;
    case 'type':
      if (test.names.length === 0) return NONE;
      return { query: member(path, { $type: serverTypes(test.names) }), exact: true };
    case 'regex':
      return isIdPath(place) ? UNSAID : matchesPattern(place, test);
    case 'elemMatch': {
      const { query, exact } = translateNode(test.filter, inElement(place));
      return { query: member(path, { $elemMatch: { $and: [query] } }), exact };
    }
    case 'elemMatchValue': {
      const inner = inElement(place);
      const translate = (filter: Filter) => translateNode(filter, inner);
      const { operators, exact } = elementOperators(test.tests, { dialect: inner, translate });
      if (operators === undefined) return NONE;
      return { query: member(path, { $elemMatch: anyElement(operators) }), exact };
    }
  }
}

function inElement({ path, dialect }: Place): Dialect {
  const within = dialect.within === undefined ? path : `${dialect.within}.${path}`;
  return { ...dialect, root: false, within };
}

function matchesPattern(place: Place, { pattern, flags }: Extract<Test, { kind: 'regex' }>): Said {
  const said = holdsSought(place, soughtByPattern(pattern, flags));
  const foreign = foreignAt(place.dialect, place.path);
  return foreign?.dates === true || foreign?.others === true ? orForeign(place.path, said) : said;
}

function translateFolded(text: string, place: Place): Said {
  const sought = soughtFolded(text, isIdPath(place));
  // Without case it is plain text, which a collation would not tell from other text.
  const isPlain = sought.values.some((value) => typeof value === 'string');
  return isPlain && place.dialect.collated ? holdsOne(place, [text]) : holdsSought(place, sought);
}
