import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/lib/json/json.ts';
import { compareValues } from '../../../../src/stores/matching/compare.ts';
import {
  createRowEncoder,
  createSortKey,
  decodeText,
  emptyArrayKey,
  encodeId,
  encodeValue,
  inDirection,
  prefixSuccessor,
} from '../../../../src/stores/sqlite-documents/indexes/index-keys.ts';
import { idOf, indexOf, NO_LIMIT } from '../test-database.ts';

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Json>(null, true, false, 0, -0, 1, -1, 0.1, -1e308, 1e308, 5e-324, 255, 256),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom('', '\0', '\0\0', '\u0001', 'a', 'a\0', 'a\0b', 'ab', '\uffff', '😀', 'é'),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'a\u0001', 'ab'), tie('value'), { maxKeys: 3 }),
  ),
}));

describe('index keys', () => {
  it('sort as their values in both directions, also with more bytes after them', () => {
    fc.assert(
      fc.property(
        value,
        value,
        fc.uint8Array({ maxLength: 3 }),
        fc.uint8Array({ maxLength: 3 }),
        (a, b, x, y) => {
          const order = Math.sign(compareValues(a, b));
          const keys = (direction: 1 | -1) =>
            Buffer.compare(
              Buffer.concat([inDirection(encodeValue(a), direction), x]),
              Buffer.concat([inDirection(encodeValue(b), direction), y]),
            );
          if (order === 0) {
            expect(encodeValue(a).equals(encodeValue(b))).toBe(true);
            return;
          }
          expect(keys(1)).toBe(order);
          expect(keys(-1)).toBe(-order);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('sort an empty array below everything and a missing value as null', () => {
    expect(Buffer.compare(emptyArrayKey(), encodeValue(null))).toBe(-1);
    expect(encodeValue(undefined)).toEqual(encodeValue(null));
  });

  it('sort ids as text', () => {
    expect(Buffer.compare(encodeId('00a', 1), encodeId('00b', 1))).toBe(-1);
    expect(Buffer.compare(encodeId('00a', -1), encodeId('00b', -1))).toBe(1);
  });

  it('have a successor above all keys that begin with them, and nothing in between', () => {
    expect(prefixSuccessor(Buffer.from([1, 2]))).toEqual(Buffer.from([1, 3]));
    expect(prefixSuccessor(Buffer.from([1, 255, 255]))).toEqual(Buffer.from([2]));
    expect(prefixSuccessor(Buffer.alloc(0))).toEqual(Buffer.from([255]));
  });
});

const doc = (fields: JsonObject) => ({ _id: idOf(1), ...fields });

describe('the text of a key', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom('\0', '\u{1}', 'a', 'é', '😀', '\u{ffff}'), maxLength: 6 }),
    fc.string({ maxLength: 20 }),
  );

  it('is read back as it was, whatever is around it', () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom<1 | -1>(1, -1), (before, own, direction) => {
        const parts = [encodeValue(before), encodeValue(own)].map((part) => inDirection(part, direction));
        const key = Buffer.concat([...parts, encodeId(idOf(1), direction)]);
        expect(decodeText(key, parts[0]!.length, direction)).toBe(own);
      }),
      { numRuns: 500 },
    );
  });

  it('is not read from a key that has none there', () => {
    expect(() => decodeText(encodeValue(5), 0, 1)).toThrow('has no text');
    expect(() => decodeText(encodeValue('abc').subarray(0, -1), 0, 1)).toThrow('has no text');
  });
});

describe('rows of an index', () => {
  it('contain the values and the id', () => {
    const rows = createRowEncoder(indexOf({ path: 'a' }, { path: 'b.c' }))(
      doc({ a: 1, b: { c: 'x' } }),
      NO_LIMIT,
    );
    expect(rows.keys).toEqual([Buffer.concat([encodeValue(1), encodeValue('x'), Buffer.from(idOf(1))])]);
    expect(rows).toMatchObject({ arrays: 0, idBytes: 24 });
  });

  it('are one for each distinct element of an array', () => {
    const rows = createRowEncoder(indexOf({ path: 'b' }, { path: 'a' }))(
      doc({ a: ['x', 'X', 'x'], b: 1 }),
      NO_LIMIT,
    );
    expect(rows.keys).toHaveLength(2);
    expect(rows.arrays).toBe(0b10);
  });

  it('do not exist in a sparse index for a document without its fields', () => {
    const sparse = { ...indexOf({ path: 'a' }, { path: 'b' }), sparse: true };
    expect(createRowEncoder(sparse)(doc({ c: 1 }), NO_LIMIT).keys).toEqual([]);
    expect(createRowEncoder(sparse)(doc({ b: null }), NO_LIMIT).keys).toHaveLength(1);
    expect(createRowEncoder({ ...sparse, sparse: false })(doc({ c: 1 }), NO_LIMIT).keys).toHaveLength(1);
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
