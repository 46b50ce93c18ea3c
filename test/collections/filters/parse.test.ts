import { describe, expect, test } from 'vitest';
import type { FilterTest } from '../../../src/stores/filter.ts';
import { BOOKS, ID, issueOf, PEOPLE, parseSample } from './sample.ts';

const field = (path: string, ...tests: readonly FilterTest[]) => ({ kind: 'field', path, tests });
const id = ID.toLowerCase();

describe('plain equality of a field is parsed by its type', () => {
  test.each([
    [{ title: 'Ford' }, 'title', { kind: 'eq', value: 'Ford', caseInsensitive: true }],
    [{ isbn: '1X' }, 'isbn', { kind: 'eq', value: '1X' }],
    [{ notes: 'N' }, 'notes', { kind: 'eq', value: 'N', caseInsensitive: true }],
    [{ 'notes.a': 'N' }, 'notes.a', { kind: 'eq', value: 'N' }],
    [{ 'dimensions.0.w': 'N' }, 'dimensions.0.w', { kind: 'eq', value: 'N' }],
    [{ title: null }, 'title', { kind: 'eq', value: null }],
    [{ title: ['A', 'b'] }, 'title', { kind: 'eq', value: ['A', 'b'] }],
    [{ pages: '12.5' }, 'pages', { kind: 'eq', value: 12.5 }],
    [{ inPrint: 'true' }, 'inPrint', { kind: 'eq', value: true }],
    [{ published: '2020-01-01' }, 'published', { kind: 'eq', value: '2020-01-01T00:00:00.000Z' }],
    [{ shelf: ID }, 'shelf', { kind: 'eq', value: id }],
    [{ author: ID }, 'author', { kind: 'eq', value: id }],
    [{ _id: ID }, '_id', { kind: 'eq', value: id }],
    [{ v: '3' }, 'v', { kind: 'eq', value: 3 }],
    [{ createdBy: 'Ann' }, 'createdBy', { kind: 'eq', value: 'Ann' }],
    [{ dimensions: { w: 1 } }, 'dimensions', { kind: 'eq', value: { w: 1 } }],
    [{ dimensions: {} }, 'dimensions', { kind: 'eq', value: {} }],
    [{ constructor: 'C' }, 'constructor', { kind: 'eq', value: 'C', caseInsensitive: true }],
  ] as const)('%j', (filter, path, expected) => {
    expect(parseSample(filter)).toEqual(field(path, expected));
  });
});

test('an empty filter matches everything', () => {
  expect(parseSample({})).toEqual({ kind: 'and', filters: [] });
});

test('several conditions are joined by and, groups by their operator', () => {
  const a = field('pages', { kind: 'eq', value: 1 });
  const b = field('isbn', { kind: 'eq', value: 'x' });
  expect(parseSample({ pages: 1, isbn: 'x' })).toEqual({ kind: 'and', filters: [a, b] });
  expect(parseSample({ $or: [{ pages: '1' }, { isbn: 'x' }] })).toEqual({ kind: 'or', filters: [a, b] });
  expect(parseSample({ $nor: [{ pages: 1 }], isbn: 'x' })).toEqual({
    kind: 'and',
    filters: [{ kind: 'nor', filters: [a] }, b],
  });
  expect(parseSample({ $and: [{ $or: [{ pages: 1 }] }] })).toEqual({ kind: 'or', filters: [a] });
});

test('a path through a reference is a reference condition, parsed by the rules of the referenced collection', () => {
  const inner = field('name', { kind: 'eq', value: 'Ann', caseInsensitive: true });
  expect(parseSample({ 'author.name': 'Ann' })).toEqual({
    kind: 'reference',
    source: BOOKS,
    path: 'author',
    target: PEOPLE,
    filter: inner,
    matchesMissing: false,
    elementsOnly: false,
  });
  expect(parseSample({ $or: [{ pages: 1 }, { 'author.friend.born': { $gt: '1900' } }] })).toMatchObject({
    kind: 'group',
    operator: 'or',
    filters: [
      { kind: 'field' },
      {
        kind: 'reference',
        filter: { kind: 'reference', filter: field('born', { kind: 'gt', value: 1900 }) },
      },
    ],
  });
});

test('negations stay outside reference conditions, and null also matches what is missing', () => {
  const condition = { kind: 'reference', path: 'author' };
  const group = (operator: string, ...filters: object[]) => ({ kind: 'group', operator, filters });
  expect(parseSample({ 'author.born': { $ne: 1 } })).toMatchObject(
    group('nor', { ...condition, filter: field('born', { kind: 'eq', value: 1 }), matchesMissing: false }),
  );
  expect(parseSample({ 'author.friend.born': null })).toMatchObject({
    ...condition,
    matchesMissing: true,
    filter: { kind: 'reference', path: 'friend', matchesMissing: true },
  });
  expect(parseSample({ 'author.born': { $exists: false, $not: { $gt: 5, $lt: 1 } } })).toMatchObject(
    group('and', group('nor', condition), group('nor', group('and', condition, condition))),
  );
});

test('$elemMatch on a Reference field is about the referenced document', () => {
  const condition = {
    kind: 'reference',
    path: 'author',
    filter: field('born', { kind: 'eq', value: 1 }),
    elementsOnly: true,
  };
  expect(parseSample({ author: { $elemMatch: { born: '1' } } })).toMatchObject(condition);
  expect(parseSample({ author: { $size: 2, $not: { $elemMatch: { born: 1 } } } })).toMatchObject({
    operator: 'and',
    filters: [field('author', { kind: 'size', value: 2 }), { operator: 'nor', filters: [condition] }],
  });
  expect(parseSample({ author: { $elemMatch: { $in: [ID] } } })).toMatchObject({ kind: 'field' });
});

describe('a FILTER_INVALID names the path or operator that is wrong', () => {
  test.each([
    [{ nope: 1 }, 'nope'],
    [{ 'title.x': 1 }, 'title.x'],
    [{ 'dimensions.': 1 }, 'dimensions.'],
    [{ 'dimensions.$x': 1 }, 'dimensions.$x'],
    [{ 'author.nope': 1 }, 'author.nope'],
    [{ 'author.friend.name': { $in: 1 } }, 'author.friend.name'],
    [{ author: { $elemMatch: { nope: 1 } } }, 'author.nope'],
    [{ author: { $elemMatch: { $elemMatch: { name: 1 } } } }, 'author'],
    [{ published: '+012024-01-01' }, 'published'],
    [{ published: { $gt: 9e15 } }, 'published'],
    [{ published: { $not: { $in: ['2024-01-01', '-000001-01-01'] } } }, 'published'],
    [{ toString: 1 }, 'toString'],
    [{ $where: 'sleep(1)' }, '$where'],
    [{ $expr: {} }, '$expr'],
    [{ $not: { title: 1 } }, '$not'],
    [{ $or: [] }, '$or'],
    [{ $or: {} }, '$or'],
    [{ $and: [1] }, '$and'],
    [{ $or: [{ $and: [{ $where: '1' }] }] }, '$where'],
    [{ title: { $near: 1 } }, '$near'],
    [{ title: { $gt: 1, x: 2 } }, 'x'],
    [[{ $match: {} }], 'filter'],
    ['title', 'filter'],
    [null, 'filter'],
  ] as const)('%j', (filter, wrong) => {
    expect(issueOf(filter as never)).toMatchObject({ field: wrong, code: 'Invalid Parameter' });
  });

  test('a key __proto__ is a field that does not exist', () => {
    expect(issueOf(JSON.parse('{"__proto__":1}')).field).toBe('__proto__');
    expect(issueOf(JSON.parse('{"dimensions.__proto__":1}')).field).toBe('dimensions.__proto__');
  });

  test('a reference that the caller may not follow is named by its path', () => {
    expect(issueOf({ 'author.name': 'x' }, { resolveTarget: () => undefined }).field).toBe('author.name');
    const elements = { author: { $not: { $elemMatch: { name: 'x' } } } };
    expect(issueOf(elements, { resolveTarget: () => undefined }).field).toBe('author');
  });
});

describe('filter limits', () => {
  const nested = (levels: number) => {
    let filter: object = { title: 'x' };
    for (let level = 0; level < levels; level += 1) filter = { $and: [filter] };
    return filter as never;
  };

  test('depth counts logical operators and references', () => {
    expect(parseSample(nested(8)).kind).toBe('field');
    expect(issueOf(nested(9)).message).toMatch(/deeper than 8/);
    expect(issueOf({ [`author${'.friend'.repeat(9)}.name`]: 1 }).message).toMatch(/deeper than 8/);
  });

  test('nodes count conditions and operators, not the values of a list', () => {
    const conditions = (count: number) => ({ $or: Array.from({ length: count }, () => ({ pages: 1 })) });
    expect(parseSample(conditions(199)).kind).toBe('or');
    expect(issueOf(conditions(200)).message).toMatch(/more than 200/);
    const values = Array.from({ length: 5000 }, (_, n) => n);
    expect(parseSample({ pages: { $in: values } }).kind).toBe('field');
    expect(parseSample({ pages: { $all: values } }).kind).toBe('field');
    // Each of them is a look-up.
    expect(issueOf({ 'author.born': { $all: values } }).message).toMatch(/more than 200/);
    expect(parseSample({ 'author.born': { $in: values } }).kind).toBe('reference');
  });
});
