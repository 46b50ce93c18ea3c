import { afterEach, beforeEach, expect, test } from 'vitest';
import { joinFilters } from '../../../src/collections/filters/compile.ts';
import { type Filter, MATCH_ALL } from '../../../src/stores/filter.ts';
import { callerNamed, contextOf, type Library, openLibrary, parse, refusalOf } from '../library-service.ts';

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
  return page.results.map((text) => parse(text)['title']);
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

test('a path through a reference finds by all ids, and obeys the permissions of its collection', async () => {
  const people = await library.create('people', [{ name: 'Ann' }, { name: 'ANN' }, { name: 'Bob' }]);
  const [ann, other, bob] = people.map(({ _id }) => String(_id));
  await library.create('books', [
    { title: 'A', author: ann! },
    { title: 'B', author: [bob!, other!] },
    { title: 'C', author: bob! },
  ]);
  expect(await titles({ 'author.name': 'ann' })).toEqual(['A', 'B']);
  expect(await titles({ 'author.name': { $eq: 'ANN' } })).toEqual(['B']);
  const limited = contextOf(callerNamed('eve', ['people', 'GET']));
  const refusal = await refusalOf(titles({ 'author.name': 'ann' }, limited));
  expect(refusal).toMatchObject({ status: 400, items: [{ field: 'author.name' }] });
});

test('what refers to nothing counts as missing, and a list has none where no element has it', async () => {
  const people = await library.create('people', [{ name: 'Ann' }, { name: null }, {}, { name: 'Bob' }]);
  const [ann, empty, nameless, bob] = people.map(({ _id }) => _id!);
  const nobody = 'f'.repeat(24);
  await library.create('books', [
    { title: 'none' },
    { title: 'null', author: null },
    { title: 'nobody', author: nobody },
    { title: 'empty', author: empty! },
    { title: 'nameless', author: nameless! },
    { title: 'ann', author: ann! },
    { title: 'both', author: [bob!, ann!, nobody] },
    { title: 'lost', author: [nobody] },
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

test('a range of which each side matches too many is looked up as one, where no document holds a list', async () => {
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
  const refused = {
    status: 400,
    items: [{ field: 'author', message: expect.stringContaining('more than 4') }],
  };
  expect(await refusalOf(titles({ 'author.name': { $gt: 'p1' } }))).toMatchObject(refused);
  expect(await refusalOf(titles({ 'author.name': { $gt: 'p1', $ne: 'p3' } }))).toMatchObject(refused);
  await library.create('books', { title: 'D', author: [p0!, p3!] });
  expect(await refusalOf(titles(range))).toMatchObject(refused);
});

test('default filters may lead where the caller may not read', async () => {
  const [ann, bob] = await library.create('people', [{ name: 'Ann' }, { name: 'Bob' }]);
  await library.create('family', [{ author: ann!['_id']! }, { author: bob!['_id']! }]);
  const context = contextOf(callerNamed('eve', ['people', 'GET']));
  const page = await library.documents.list(library.at('family'), {}, context);
  expect(page.results.map((text) => parse(text)['author'])).toEqual([ann!['_id']]);
});

test('joining drops what matches everything', () => {
  const filter: Filter = { kind: 'nor', filters: [] };
  expect(joinFilters([undefined, MATCH_ALL, null])).toBe(MATCH_ALL);
  expect(joinFilters([MATCH_ALL, filter])).toBe(filter);
  expect(joinFilters([filter, filter])).toEqual({ kind: 'and', filters: [filter, filter] });
});
