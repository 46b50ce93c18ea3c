import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { createRowMaker, createSortKey } from '../../../src/stores/sqlite-documents/index-rows.ts';
import { encodeValue } from '../../../src/stores/sqlite-documents/keys.ts';
import { FREE, idOf, indexOf } from './workbench.ts';

const doc = (fields: JsonObject) => ({ _id: idOf(1), ...fields });

describe('rows of an index', () => {
  it('hold the values and the id', () => {
    const rows = createRowMaker(indexOf({ path: 'a' }, { path: 'b.c' }))(doc({ a: 1, b: { c: 'x' } }), FREE);
    expect(rows.exact).toEqual([Buffer.concat([encodeValue(1), encodeValue('x'), Buffer.from(idOf(1))])]);
    expect(rows).toMatchObject({ folded: [], arrays: 0, idBytes: 24 });
  });

  it('are one for each distinct element of an array', () => {
    const rows = createRowMaker(indexOf({ path: 'b' }, { path: 'a', fold: true }))(
      doc({ a: ['x', 'X', 'x'], b: 1 }),
      FREE,
    );
    expect(rows.exact).toHaveLength(2);
    expect(rows.folded).toHaveLength(1);
    expect(rows.arrays).toBe(0b10);
  });

  it('are none for a sparse index without any of its fields', () => {
    const sparse = { ...indexOf({ path: 'a' }, { path: 'b' }), sparse: true };
    expect(createRowMaker(sparse)(doc({ c: 1 }), FREE).exact).toEqual([]);
    expect(createRowMaker(sparse)(doc({ b: null }), FREE).exact).toHaveLength(1);
    expect(createRowMaker({ ...sparse, sparse: false })(doc({ c: 1 }), FREE).exact).toHaveLength(1);
  });

  it('cannot be made of two arrays', () => {
    const rows = createRowMaker(indexOf({ path: 'a' }, { path: 'b' }));
    expect(() => rows(doc({ a: [1], b: [2] }), FREE)).toThrow('parallel-arrays');
  });
});

describe('a sort key', () => {
  it('is the least ascending and the greatest descending', () => {
    const key = (direction: 1 | -1, a: number | number[]) =>
      createSortKey([['a', direction]])(doc({ a }), FREE);
    expect(key(1, [5, 2, 9])).toEqual(key(1, 2));
    expect(key(-1, [5, 2, 9])).toEqual(key(-1, 9));
    expect(Buffer.compare(key(1, 1), key(1, 2))).toBe(-1);
    expect(Buffer.compare(key(-1, 1), key(-1, 2))).toBe(1);
  });
});
