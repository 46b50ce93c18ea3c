// What the server's list of indexes is worth for a definition; and declared indexes against those that are there.

import { describe, expect, test } from 'vitest';
import {
  createIndexCache,
  isComplete,
  isSameIndex,
  matchesSpec,
  parseFoundIndex,
  planIndexMigration,
  specOf,
  toIndexCommand,
} from '../../../../src/stores/mongo-documents/indexes/migration-plan.ts';
import { type IndexDefinition, namespaceKey } from '../../../../src/stores/ports.ts';
import { ELSEWHERE, index } from '../../../contracts/store-cases.ts';
import { SPACE } from './workbench.ts';

// As MongoDB 6.0 lists it.
const COLLATION = {
  locale: 'en',
  caseLevel: false,
  caseFirst: 'off',
  strength: 1,
  numericOrdering: false,
  alternate: 'non-ignorable',
  maxVariable: 'punct',
  normalization: false,
  backwards: false,
  version: '57.1',
};

const listed = (key: object, more: object = {}) => parseFoundIndex({ v: 2, key, name: 'listed', ...more });

test('the index of a non-unique definition ends in _id, in the direction of its last key', () => {
  const shared = { unique: false, sparse: false };
  expect(specOf(index('x', { a: 1, b: -1 }, { sparse: true }))).toEqual({
    name: 'x',
    ...shared,
    keys: [
      ['a', 1],
      ['b', -1],
      ['_id', -1],
    ],
  });
  const unique = { unique: true, sparse: true };
  expect(specOf(index('x', { a: 1 }, unique))).toMatchObject({ ...unique, keys: [['a', 1]] });
  expect(specOf(index('x', { _id: -1, a: 1 }, unique))).toMatchObject({
    ...shared,
    keys: [
      ['_id', -1],
      ['a', 1],
    ],
  });
});

describe('an entry of listIndexes', () => {
  test('is parsed', () => {
    expect(listed({ a: 1 }, { unique: true, background: true })).toMatchObject({
      isPlain: true,
      isBare: true,
    });
    const collated = listed({ a: 1 }, { collation: COLLATION });
    expect(collated).toMatchObject({ isPlain: false, isBare: false });
    expect(listed({ a: 1 }, { expireAfterSeconds: 1 })).toMatchObject({ isPlain: true, isBare: false });
    expect(parseFoundIndex({})).toMatchObject({ name: 'undefined', keys: [] });
  });

  test.each([
    [{ a: 'text' }, {}],
    [{ a: 2 }, {}],
    [{ $hint: 1, a: 'hashed' }, {}],
    [{ a: 1 }, { hidden: true }],
    [{ a: 1 }, { partialFilterExpression: {} }],
  ])('is not plain with %j %j', (key, more) => {
    expect(listed(key, more)).toMatchObject({ isPlain: false, isBare: false });
  });
});

test('matchesSpec accepts foreign indexes that serve as well', () => {
  const plain = specOf(index('x', { a: 1, b: -1 }));
  const unique = specOf(index('x', { a: 1 }, { unique: true }));
  const sparse = specOf(index('x', { a: 1 }, { unique: true, sparse: true }));
  expect(matchesSpec(listed({ a: 1, b: -1 }), plain)).toBe(true);
  expect(matchesSpec(listed({ a: 1, b: -1, _id: -1 }), plain)).toBe(true);
  expect(matchesSpec(listed({ a: 1, b: -1, _id: 1 }), plain)).toBe(false);
  expect(matchesSpec(listed({ b: -1, a: 1 }), plain)).toBe(false);
  expect(matchesSpec(listed({ a: 1, b: -1 }, { sparse: true }), plain)).toBe(false);
  expect(matchesSpec(listed({ a: 1 }), unique)).toBe(false);
  expect(matchesSpec(listed({ a: 1 }, { unique: true }), unique)).toBe(true);
  expect(matchesSpec(listed({ a: 1, _id: 1 }, { unique: true }), unique)).toBe(false);
  expect(matchesSpec(listed({ a: 1 }, { unique: true, sparse: true }), unique)).toBe(false);
  expect(matchesSpec(listed({ a: 1 }, { unique: true }), sparse)).toBe(true);
  expect(matchesSpec(listed({ a: 1, b: -1 }, { collation: COLLATION }), plain)).toBe(false);
});

test('the create command is independent of the default collation', () => {
  const spec = specOf(index('x', { a: 1 }, { unique: true, sparse: true }));
  const simple = { locale: 'simple' };
  expect(toIndexCommand(spec)).toEqual({
    name: 'x',
    unique: true,
    sparse: true,
    collation: simple,
    key: new Map([['a', 1]]),
  });
  expect(toIndexCommand(specOf(index('x', { a: 1 })))).toEqual({
    name: 'x',
    collation: simple,
    key: new Map([
      ['a', 1],
      ['_id', 1],
    ]),
  });
  expect(isSameIndex(spec, { ...spec, name: 'other' })).toBe(true);
});

const OURS = () => true;
const THEIRS = () => false;
const UNIQUE = { unique: true };

const foundAs = (name: string, key: object, more: object = {}) =>
  parseFoundIndex({ v: 2, name, key, ...more });

function made(definition: IndexDefinition) {
  const { name, key, unique = false, sparse = false } = toIndexCommand(specOf(definition));
  return parseFoundIndex({ name, key: Object.fromEntries(key), unique, sparse });
}

test('an existing index that matches its definition completes the plan, whoever built it', () => {
  const declared = [index('a', { a: 1 }), index('b', { b: 1 }, UNIQUE)];
  for (const isOurs of [OURS, THEIRS]) {
    const plan = planIndexMigration(declared, declared.map(made), isOurs);
    expect(isComplete(plan)).toBe(true);
    expect(plan.placements.map(({ index: { exists: found, exact } }) => [found, exact])).toEqual([
      [true, true],
      [true, true],
    ]);
  }
});

test('a missing index is named as declared', () => {
  const plan = planIndexMigration([index('a', { a: 1 })], [], OURS);
  expect(isComplete(plan)).toBe(false);
  expect(plan.placements).toMatchObject([{ index: { spec: { name: 'a' }, exists: false } }]);
});

test('only own indexes are dropped', () => {
  const found = [foundAs('a', { a: 1, _id: 1 }), foundAs('b', { b: 'text' })];
  expect(planIndexMigration([], found, THEIRS)).toMatchObject({ undeclared: [], conflicts: [], total: 2 });
  expect(planIndexMigration([], found, ({ name }) => name === 'a').undeclared).toMatchObject([{ name: 'a' }]);
});

test('a changed index is built under another name first', () => {
  const found = [made(index('a', { a: 1 })), foundAs('a~2', { z: 1 })];
  const plan = planIndexMigration([index('a', { b: 1 }, UNIQUE)], found, ({ name }) => name === 'a');
  expect(plan.placements).toMatchObject([{ index: { spec: { name: 'a~3', unique: true }, exists: false } }]);
  expect(plan.undeclared).toMatchObject([{ name: 'a' }]);
});

test('an own index serves only its definition, a foreign one any that it matches', () => {
  const strict = [made(index('a', { a: 1 }, UNIQUE))];
  const loose = [index('a', { a: 1 }, { unique: true, sparse: true })];
  expect(planIndexMigration(loose, strict, OURS)).toMatchObject({ undeclared: [{ name: 'a' }] });
  const kept = planIndexMigration(loose, strict, THEIRS);
  expect(kept).toMatchObject({ undeclared: [], placements: [{ index: { exists: true, spec: strict[0] } }] });
});

test('a name that belongs to a foreign index is a conflict', () => {
  const plan = planIndexMigration(
    [index('a', { a: 1 }), index('b', { b: 1 })],
    [foundAs('a', { z: 1 })],
    THEIRS,
  );
  expect(plan.conflicts).toMatchObject([{ name: 'a' }]);
  expect(plan.placements).toMatchObject([{ definition: { name: 'b' } }]);
  expect(isComplete(plan)).toBe(false);
});

test('definitions with the same keys share an index, and invalid names are replaced', () => {
  const shared = planIndexMigration([index('a', { a: 1 }), index('b', { a: 1, _id: 1 })], [], OURS);
  expect(shared.placements.map((placement) => placement.index.spec.name)).toEqual(['a', 'a']);
  const [star] = planIndexMigration([index('*', { a: 1 })], [], OURS).placements;
  expect(star?.index.spec.name).toBe('(*)');
});

test('an index with a collation serves no definition, and stays', () => {
  const definition = index('a', { a: 1 });
  const collated = foundAs('t', { a: 1, _id: 1 }, { collation: COLLATION });
  const plan = planIndexMigration([definition], [collated], THEIRS);
  expect(plan).toMatchObject({
    placements: [{ index: { spec: { name: 'a' }, exists: false } }],
    undeclared: [],
  });
});

const KEY = namespaceKey(SPACE);
const missing = planIndexMigration(
  [index('a', { a: 1 }), index('u', { u: 1 }, { unique: true })],
  [],
  () => true,
);

test('the index cache is empty at first, and separate for each namespace', () => {
  const knowledge = createIndexCache();
  expect(knowledge.of(SPACE)).toEqual([]);
  knowledge.set(KEY, missing);
  expect(knowledge.of(ELSEWHERE)).toEqual([]);
});

test('the index cache omits indexes that failed to build', () => {
  const knowledge = createIndexCache();
  knowledge.set(KEY, missing, new Set(['a']));
  expect(knowledge.of(SPACE)).toMatchObject([{ name: 'u', endsInId: false, isUnique: true }]);
});
