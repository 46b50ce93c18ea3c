import { describe, expect, test } from 'vitest';
import type { FilterTest } from '../../../src/stores/filter.ts';
import { BOOKS, draftOf, ID, PEOPLE, refusalOf } from './sample.ts';

const field = (path: string, ...tests: readonly FilterTest[]) => ({ kind: 'field', path, tests });
const id = ID.toLowerCase();

describe('plain equality', () => {
  test.each([
    [{ title: 'Ford' }, 'title', { kind: 'eq', value: 'Ford', fold: true }],
    [{ isbn: '1X' }, 'isbn', { kind: 'eq', value: '1X' }],
    [{ notes: 'N' }, 'notes', { kind: 'eq', value: 'N', fold: true }],
    [{ 'notes.a': 'N' }, 'notes.a', { kind: 'eq', value: 'N' }],
    [{ 'dimensions.0.w': 'N' }, 'dimensions.0.w', { kind: 'eq', value: 'N' }],
    [{ title: null }, 'title', { kind: 'eq', value: null }],
    [{ title: ['A', 'b'] }, 'title', { kind: 'eq', value: ['A', 'b'] }],
    [{ pages: '12.5' }, 'pages', { kind: 'eq', value: 12.5 }],
    [{ pages: 'x' }, 'pages', { kind: 'eq', value: 'x' }],
    [{ inPrint: 'true' }, 'inPrint', { kind: 'eq', value: true }],
    [{ published: '2020-01-01' }, 'published', { kind: 'eq', value: '2020-01-01T00:00:00.000Z' }],
    [{ shelf: ID }, 'shelf', { kind: 'eq', value: id }],
    [{ author: ID }, 'author', { kind: 'eq', value: id }],
    [{ _id: ID }, '_id', { kind: 'eq', value: id }],
    [{ v: '3' }, 'v', { kind: 'eq', value: 3 }],
    [{ createdBy: 'Ann' }, 'createdBy', { kind: 'eq', value: 'Ann' }],
    [{ dimensions: { w: 1 } }, 'dimensions', { kind: 'eq', value: { w: 1 } }],
    [{ dimensions: {} }, 'dimensions', { kind: 'eq', value: {} }],
    [{ constructor: 'C' }, 'constructor', { kind: 'eq', value: 'C', fold: true }],
  ] as const)('%j', (filter, path, expected) => {
    expect(draftOf(filter)).toEqual(field(path, expected));
  });
});

test('nothing asked matches everything', () => {
  expect(draftOf({})).toEqual({ kind: 'and', filters: [] });
});

test('several conditions, and groups of them, all hold', () => {
  const a = field('pages', { kind: 'eq', value: 1 });
  const b = field('isbn', { kind: 'eq', value: 'x' });
  expect(draftOf({ pages: 1, isbn: 'x' })).toEqual({ kind: 'and', filters: [a, b] });
  expect(draftOf({ $or: [{ pages: '1' }, { isbn: 'x' }] })).toEqual({ kind: 'or', filters: [a, b] });
  expect(draftOf({ $nor: [{ pages: 1 }], isbn: 'x' })).toEqual({
    kind: 'and',
    filters: [{ kind: 'nor', filters: [a] }, b],
  });
  expect(draftOf({ $and: [{ $or: [{ pages: 1 }] }] })).toEqual({ kind: 'or', filters: [a] });
});

test('a path through a reference waits for a look-up, with the rules of the collection behind it', () => {
  const inner = field('name', { kind: 'eq', value: 'Ann', fold: true });
  expect(draftOf({ 'author.name': 'Ann' })).toEqual({
    kind: 'through',
    source: BOOKS,
    path: 'author',
    target: PEOPLE,
    draft: inner,
    missing: false,
    inList: false,
  });
  expect(draftOf({ $or: [{ pages: 1 }, { 'author.friend.born': { $gt: '1900' } }] })).toMatchObject({
    kind: 'group',
    group: 'or',
    drafts: [
      { kind: 'field' },
      {
        kind: 'through',
        draft: { kind: 'through', draft: field('born', { kind: 'gt', value: 1900 }) },
      },
    ],
  });
});

test('negations stand around look-ups, and what null matches is known', () => {
  const through = { kind: 'through', path: 'author' };
  const group = (name: string, ...drafts: object[]) => ({ kind: 'group', group: name, drafts });
  expect(draftOf({ 'author.born': { $ne: 1 } })).toMatchObject(
    group('nor', { ...through, draft: field('born', { kind: 'eq', value: 1 }), missing: false }),
  );
  expect(draftOf({ 'author.friend.born': null })).toMatchObject({
    ...through,
    missing: true,
    draft: { kind: 'through', path: 'friend', missing: true },
  });
  expect(draftOf({ 'author.born': { $exists: false, $not: { $gt: 5, $lt: 1 } } })).toMatchObject(
    group('and', group('nor', through), group('nor', group('and', through, through))),
  );
});

test('an element of references is the document that it refers to', () => {
  const through = {
    kind: 'through',
    path: 'author',
    draft: field('born', { kind: 'eq', value: 1 }),
    inList: true,
  };
  expect(draftOf({ author: { $elemMatch: { born: '1' } } })).toMatchObject(through);
  expect(draftOf({ author: { $size: 2, $not: { $elemMatch: { born: 1 } } } })).toMatchObject({
    group: 'and',
    drafts: [field('author', { kind: 'size', value: 2 }), { group: 'nor', drafts: [through] }],
  });
  expect(draftOf({ author: { $elemMatch: { $in: [ID] } } })).toMatchObject({ kind: 'field' });
});

describe('refusals name the culprit', () => {
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
  ] as const)('%j', (filter, culprit) => {
    expect(refusalOf(filter as never)).toMatchObject({ field: culprit, code: 'Invalid Parameter' });
  });

  test('a key __proto__ is a field like any other that does not exist', () => {
    expect(refusalOf(JSON.parse('{"__proto__":1}')).field).toBe('__proto__');
    expect(refusalOf(JSON.parse('{"dimensions.__proto__":1}')).field).toBe('dimensions.__proto__');
  });

  test('a reference that the caller may not follow', () => {
    expect(refusalOf({ 'author.name': 'x' }, { resolveTarget: () => undefined }).field).toBe('author.name');
    const inList = { author: { $not: { $elemMatch: { name: 'x' } } } };
    expect(refusalOf(inList, { resolveTarget: () => undefined }).field).toBe('author');
  });
});

describe('limits', () => {
  const nested = (levels: number) => {
    let filter: object = { title: 'x' };
    for (let level = 0; level < levels; level += 1) filter = { $and: [filter] };
    return filter as never;
  };

  test('depth', () => {
    expect(draftOf(nested(8)).kind).toBe('field');
    expect(refusalOf(nested(9)).message).toMatch(/deeper than 8/);
    expect(refusalOf({ [`author${'.friend'.repeat(9)}.name`]: 1 }).message).toMatch(/deeper than 8/);
  });

  test('nodes, to which the values of a list do not count', () => {
    const conditions = (count: number) => ({ $or: Array.from({ length: count }, () => ({ pages: 1 })) });
    expect(draftOf(conditions(199)).kind).toBe('or');
    expect(refusalOf(conditions(200)).message).toMatch(/more than 200/);
    const values = Array.from({ length: 5000 }, (_, n) => n);
    expect(draftOf({ pages: { $in: values } }).kind).toBe('field');
    expect(draftOf({ pages: { $all: values } }).kind).toBe('field');
    // Each of them is a look-up.
    expect(refusalOf({ 'author.born': { $all: values } }).message).toMatch(/more than 200/);
    expect(draftOf({ 'author.born': { $in: values } }).kind).toBe('through');
  });
});
