import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveReferenceConditions } from '../../../src/collections/filters/resolve-references.ts';
import { type Filter, joinFilters, MATCH_ALL } from '../../../src/stores/filter.ts';
import type { FindQuery, Namespace, StoredDocument } from '../../../src/stores/ports.ts';
import {
  callerNamed,
  contextOf,
  documentsOf,
  type Library,
  openLibrary,
  refusalOf,
} from '../library-service.ts';
import { PEOPLE, parseSample } from './sample.ts';

const SOURCES = {
  books: {
    fields: {
      title: { type: 'String' },
      hidden: { type: 'Boolean' },
      author: { type: 'Reference', settings: { collection: 'people' } },
    },
    settings: { defaultFilters: { hidden: { $ne: true } } },
  },
  family: {
    fields: { author: { type: 'Reference', settings: { collection: 'people' } } },
    settings: { defaultFilters: { 'author.name': 'ann' } },
  },
  people: { fields: { name: { type: 'String' } } },
};

let library: Library;

beforeEach(async () => {
  library = await openLibrary(SOURCES);
});

afterEach(() => library.close());

const titles = async (filter: object, context = contextOf()) => {
  const page = await library.documents.list(library.at('books'), { filter: filter as never }, context);
  return documentsOf(page).map(({ title }) => title);
};

test('default filters and the filter of the request hold together, on the same field too', async () => {
  await library.create('books', [
    { title: 'A' },
    { title: 'B', hidden: true },
    { title: 'C', hidden: false },
  ]);
  expect(await titles({})).toEqual(['A', 'C']);
  expect(await titles({ hidden: true })).toEqual([]);
  expect(await titles({ hidden: 'false' })).toEqual(['C']);
});

test('a path through a reference matches all its ids, and needs permission to read that collection', async () => {
  const people = await library.create('people', [{ name: 'Ann' }, { name: 'ANN' }, { name: 'Bob' }]);
  const [ann, other, bob] = people.map(({ _id }) => String(_id));
  await library.create('books', [
    { title: 'A', author: ann! },
    { title: 'B', author: [bob!, other!] },
    { title: 'C', author: bob! },
  ]);
  expect(await titles({ 'author.name': 'ann' })).toEqual(['A', 'B']);
  expect(await titles({ 'author.name': { $eq: 'ANN' } })).toEqual(['B']);
  const limited = contextOf(callerNamed('eve', ['people', 'read', 'history']));
  const refusal = await refusalOf(titles({ 'author.name': 'ann' }, limited));
  expect(refusal).toMatchObject({ status: 400, items: [{ field: 'author.name' }] });
});

test('a reference to no document counts as missing, and a list as missing when no element has the field', async () => {
  const people = await library.create('people', [{ name: 'Ann' }, { name: null }, {}, { name: 'Bob' }]);
  const [ann, empty, nameless, bob] = people.map(({ _id }) => _id!);
  const unknownId = 'f'.repeat(24);
  await library.create('books', [
    { title: 'none' },
    { title: 'null', author: null },
    { title: 'nobody', author: unknownId },
    { title: 'empty', author: empty! },
    { title: 'nameless', author: nameless! },
    { title: 'ann', author: ann! },
    { title: 'both', author: [bob!, ann!, unknownId] },
    { title: 'lost', author: [unknownId] },
    { title: 'some', author: [bob!, nameless!] },
  ]);
  const missing = ['none', 'null', 'nobody', 'nameless'];
  expect(await titles({ 'author.name': null })).toEqual([
    'none',
    'null',
    'nobody',
    'empty',
    'nameless',
    'some',
  ]);
  expect(await titles({ 'author.name': { $exists: false } })).toEqual([...missing, 'lost']);
  expect(await titles({ 'author.name': { $exists: true } })).toEqual(['empty', 'ann', 'both', 'some']);
  const others = ['none', 'null', 'nobody', 'empty', 'nameless', 'lost', 'some'];
  expect(await titles({ 'author.name': { $ne: 'Ann' } })).toEqual(others);
  expect(await titles({ 'author.name': { $nin: ['Ann', 1] } })).toEqual(others);
  expect(await titles({ 'author.name': { $not: { $regex: '^ann' } } })).toEqual(others);
  expect(await titles({ $nor: [{ 'author.name': 'ann' }] })).toEqual(others);
  expect(await titles({ 'author.name': { $all: ['Ann', 'Bob'] } })).toEqual(['both']);
  expect(await titles({ 'author.name': { $gt: 'Ab', $lt: 'Bo' } })).toEqual(['ann', 'both']);
  expect(await titles({ author: { $elemMatch: { name: { $exists: false } } } })).toEqual(['some']);
  expect(await titles({ author: { $size: 2, $not: { $elemMatch: { name: 'ann' } } } })).toEqual(['some']);
});

test('a range of which each side matches too many is resolved as one condition, where no document holds a list', async () => {
  await library.close();
  library = await openLibrary(SOURCES, { limits: { composeReferences: 4 } });
  const people = await library.create(
    'people',
    Array.from({ length: 9 }, (_, n) => ({ name: `p${n}` })),
  );
  const [p0, , p2, p3, , p5] = people.map(({ _id }) => _id!);
  await library.create('books', [{ title: 'A', author: p2! }, { title: 'B', author: p5! }, { title: 'C' }]);
  const range = { 'author.name': { $gt: 'p1', $lt: 'p4' } };
  expect(await titles(range)).toEqual(['A']);
  expect(await titles({ $nor: [range] })).toEqual(['B', 'C']);
  expect(await titles({ 'author.name': { ...range['author.name'], $ne: 'p2' } })).toEqual([]);
  expect(await titles({ $or: [range, { 'author.name': { $in: ['p5'] } }] })).toEqual(['A', 'B']);
  const tooMany = {
    status: 400,
    items: [{ field: 'author', message: expect.stringContaining('more than 4') }],
  };
  expect(await refusalOf(titles({ 'author.name': { $gt: 'p1' } }))).toMatchObject(tooMany);
  expect(await refusalOf(titles({ 'author.name': { $gt: 'p1', $ne: 'p3' } }))).toMatchObject(tooMany);
  await library.create('books', { title: 'D', author: [p0!, p3!] });
  expect(await refusalOf(titles(range))).toMatchObject(tooMany);
});

test('default filters may use collections that the caller may not read', async () => {
  const [ann, bob] = await library.create('people', [{ name: 'Ann' }, { name: 'Bob' }]);
  await library.create('family', [{ author: ann!['_id']! }, { author: bob!['_id']! }]);
  const context = contextOf(callerNamed('eve', ['people', 'read', 'history']));
  const page = await library.documents.list(library.at('family'), {}, context);
  expect(documentsOf(page).map(({ author }) => author)).toEqual([ann!['_id']]);
});

test('joinFilters leaves out filters that match everything', () => {
  const filter: Filter = { kind: 'nor', filters: [] };
  expect(joinFilters([undefined, MATCH_ALL, null])).toBe(MATCH_ALL);
  expect(joinFilters([MATCH_ALL, filter])).toBe(filter);
  expect(joinFilters([filter, filter])).toEqual({ kind: 'and', filters: [filter, filter] });
});

const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(24));

function storeOf(found: readonly string[]) {
  const queries: [Namespace, FindQuery][] = [];
  const find = async (ns: Namespace, query: FindQuery): Promise<readonly StoredDocument[]> => {
    queries.push([ns, query]);
    return found.slice(0, query.limit).map((_id) => ({ _id }));
  };
  return { queries, store: { find } };
}

const born: Filter = { kind: 'field', path: 'born', tests: [{ kind: 'eq', value: 1 }] };
const isAmong = (path: string): Filter => ({ kind: 'field', path, tests: [{ kind: 'in', values: ids }] });

test('a filter without references is resolved without a query', async () => {
  const { store, queries } = storeOf([]);
  expect(
    await resolveReferenceConditions(parseSample({ title: 'a' }), { store, maxReferences: 1 }),
  ).toMatchObject({
    path: 'title',
  });
  expect(queries).toEqual([]);
});

test('references are resolved innermost first, to all matching ids', async () => {
  const { store, queries } = storeOf(ids);
  const filter = parseSample({ $or: [{ 'author.friend.born': 1 }, { pages: 1 }] });
  expect(await resolveReferenceConditions(filter, { store, maxReferences: 6, deadline: 7 })).toMatchObject({
    kind: 'or',
    filters: [isAmong('author'), { path: 'pages' }],
  });
  expect(queries.map(([ns, query]) => [ns, query.filter])).toEqual([
    [PEOPLE.namespace, born],
    [PEOPLE.namespace, isAmong('friend')],
  ]);
});

const isList = (path: string): Filter => ({
  kind: 'field',
  path,
  tests: [{ kind: 'type', names: ['array'] }],
});

test('null through a reference takes two queries: for the documents that match and for those that do not', async () => {
  const { store, queries } = storeOf(ids);
  const nameless: Filter = { kind: 'field', path: 'born', tests: [{ kind: 'eq', value: null }] };
  expect(
    await resolveReferenceConditions(parseSample({ 'author.born': null }), { store, maxReferences: 6 }),
  ).toEqual({
    kind: 'or',
    filters: [isAmong('author'), { kind: 'nor', filters: [isList('author'), isAmong('author')] }],
  });
  expect(queries.map(([, query]) => query.filter)).toEqual([nameless, { kind: 'nor', filters: [nameless] }]);
});

test('a condition on elements matches lists only', async () => {
  const { store } = storeOf(ids);
  const filter = parseSample({ author: { $elemMatch: { born: 1 } } });
  expect(await resolveReferenceConditions(filter, { store, maxReferences: 3 })).toEqual({
    kind: 'and',
    filters: [isList('author'), isAmong('author')],
  });
});

test('all reference conditions of a filter share one limit of ids', async () => {
  const { store } = storeOf(ids);
  const filter = parseSample({ $and: [{ 'author.born': 1 }, { 'author.born': 1 }] });
  await expect(resolveReferenceConditions(filter, { store, maxReferences: 5 })).rejects.toMatchObject({
    code: 'FILTER_INVALID',
    items: [{ field: 'author', message: expect.stringContaining('more than 5') }],
  });
});
