import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import {
  createRowEncoder,
  createSortKey,
} from '../../../../src/stores/sqlite-documents/indexes/index-rows.ts';
import { encodeValue } from '../../../../src/stores/sqlite-documents/indexes/key-encoding.ts';
import { idOf, indexOf, NO_LIMIT } from '../test-database.ts';

const doc = (fields: JsonObject) => ({ _id: idOf(1), ...fields });

describe('rows of an index', () => {
  it('contain the values and the id', () => {
    const rows = createRowEncoder(indexOf({ path: 'a' }, { path: 'b.c' }))(
      doc({ a: 1, b: { c: 'x' } }),
      NO_LIMIT,
    );
    expect(rows.exact).toEqual([Buffer.concat([encodeValue(1), encodeValue('x'), Buffer.from(idOf(1))])]);
    expect(rows).toMatchObject({ caseFolded: [], arrays: 0, idBytes: 24 });
  });

  it('are one for each distinct element of an array', () => {
    const rows = createRowEncoder(indexOf({ path: 'b' }, { path: 'a', fold: true }))(
      doc({ a: ['x', 'X', 'x'], b: 1 }),
      NO_LIMIT,
    );
    expect(rows.exact).toHaveLength(2);
    expect(rows.caseFolded).toHaveLength(1);
    expect(rows.arrays).toBe(0b10);
  });

  it('do not exist in a sparse index for a document without its fields', () => {
    const sparse = { ...indexOf({ path: 'a' }, { path: 'b' }), sparse: true };
    expect(createRowEncoder(sparse)(doc({ c: 1 }), NO_LIMIT).exact).toEqual([]);
    expect(createRowEncoder(sparse)(doc({ b: null }), NO_LIMIT).exact).toHaveLength(1);
    expect(createRowEncoder({ ...sparse, sparse: false })(doc({ c: 1 }), NO_LIMIT).exact).toHaveLength(1);
  });

  it('cannot be encoded for two arrays', () => {
    const rows = createRowEncoder(indexOf({ path: 'a' }, { path: 'b' }));
    expect(() => rows(doc({ a: [1], b: [2] }), NO_LIMIT)).toThrow('parallel-arrays');
  });
});

describe('a sort key', () => {
  it('is the smallest row ascending and the largest descending', () => {
    const key = (direction: 1 | -1, a: number | number[]) =>
      createSortKey([['a', direction]])(doc({ a }), NO_LIMIT);
    expect(key(1, [5, 2, 9])).toEqual(key(1, 2));
    expect(key(-1, [5, 2, 9])).toEqual(key(-1, 9));
    expect(Buffer.compare(key(1, 1), key(1, 2))).toBe(-1);
    expect(Buffer.compare(key(-1, 1), key(-1, 2))).toBe(1);
  });
});
