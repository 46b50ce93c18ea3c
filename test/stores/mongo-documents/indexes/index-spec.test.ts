// What the server's list of indexes is worth for a definition.
import { describe, expect, test } from 'vitest';
import {
  isSameIndex,
  matchesSpec,
  parseFoundIndex,
  shadowOf,
  specOf,
  toIndexCommand,
} from '../../../../src/stores/mongo-documents/indexes/index-spec.ts';
import { index } from '../../../contracts/store-cases.ts';
import { foldingIndex } from './workbench.ts';

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
  const shared = { unique: false, sparse: false, folding: false };
  expect(specOf(index('x', { a: 1, b: -1 }, { sparse: true }))).toEqual({
    ...{ name: 'x', ...shared },
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

test('only case-insensitive fields need a shadow index', () => {
  expect(shadowOf(index('x', { a: 1 }), 'twin')).toBeUndefined();
  const shadow = shadowOf(foldingIndex('x', { a: -1 }, { unique: true }), 'twin');
  expect(shadow).toMatchObject({ name: 'twin', unique: false, folding: true });
  expect(shadow?.keys.at(-1)).toEqual(['_id', -1]);
});

describe('an entry of listIndexes', () => {
  test('is parsed', () => {
    expect(listed({ a: 1 }, { unique: true, background: true })).toMatchObject({
      isPlain: true,
      isBare: true,
    });
    expect(listed({ a: 1 }, { collation: COLLATION })).toMatchObject({
      isPlain: true,
      folding: true,
      isBare: true,
    });
    expect(listed({ a: 1 }, { expireAfterSeconds: 1 })).toMatchObject({ isPlain: true, isBare: false });
    expect(parseFoundIndex({})).toMatchObject({ name: 'undefined', keys: [] });
  });

  test.each([
    [{ a: 'text' }, {}],
    [{ a: 2 }, {}],
    [{ $hint: 1, a: 'hashed' }, {}],
    [{ a: 1 }, { hidden: true }],
    [{ a: 1 }, { partialFilterExpression: {} }],
    [{ a: 1 }, { collation: { ...COLLATION, strength: 2 } }],
    [{ a: 1 }, { collation: { ...COLLATION, locale: 'fr' } }],
    [{ a: 1 }, { collation: { ...COLLATION, caseLevel: true } }],
    [{ a: 1 }, { collation: { ...COLLATION, alternate: 'shifted' } }],
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
    ...{ name: 'x', unique: true, sparse: true, collation: simple },
    key: new Map([['a', 1]]),
  });
  expect(toIndexCommand(specOf(index('x', { a: 1 })))).toEqual({
    ...{ name: 'x', collation: simple },
    key: new Map([
      ['a', 1],
      ['_id', 1],
    ]),
  });
  const shadow = shadowOf(foldingIndex('x', { a: 1 }), 'twin');
  expect(shadow && toIndexCommand(shadow)).toMatchObject({ collation: { locale: 'en', strength: 1 } });
  expect(shadow && isSameIndex(shadow, { ...shadow, name: 'other' })).toBe(true);
  expect(shadow && isSameIndex(shadow, { ...shadow, folding: false })).toBe(false);
});
