import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { createProjector } from '../../../src/stores/matching/projector.ts';
import type { Projection } from '../../../src/stores/ports.ts';

const NESTED = { _id: '1', z: 1, a: [{ b: 1, c: 2 }, 5, [{ b: 2, d: 3 }]], o: { b: { x: 1, y: 2 }, c: 3 } };

type Row = readonly [projection: Projection, document: JsonObject, result: JsonObject];

const rows: Row[] = [
  [{}, NESTED, NESTED],
  [{ include: [] }, { _id: '1', a: 1 }, { _id: '1' }],
  [{ include: ['a'] }, { _id: '1', a: 1, b: 2 }, { _id: '1', a: 1 }],
  [{ include: ['x'] }, { _id: '1', a: 1 }, { _id: '1' }],
  [{ exclude: ['a'] }, { _id: '1', a: 1, b: 2 }, { _id: '1', b: 2 }],
  [{ exclude: ['_id'] }, { _id: '1', a: 1 }, { a: 1 }],
  [{ include: ['a', 'b'], exclude: ['b', '_id'] }, { _id: '1', a: 1, b: 2, c: 3 }, { a: 1 }],
  [{ include: ['o'], exclude: ['o.b.x'] }, NESTED, { _id: '1', o: { b: { y: 2 }, c: 3 } }],
  [{ include: ['o.b.x'] }, NESTED, { _id: '1', o: { b: { x: 1 } } }],
  [{ include: ['o.b', 'o.b.x'] }, NESTED, { _id: '1', o: { b: { x: 1, y: 2 } } }],
  [{ include: ['o.b.x', 'o.b'] }, NESTED, { _id: '1', o: { b: { x: 1, y: 2 } } }],
  [{ exclude: ['o.b', 'o.b.x'] }, NESTED, { _id: '1', z: 1, a: NESTED.a, o: { c: 3 } }],
  [{ include: ['a.b'] }, NESTED, { _id: '1', a: [{ b: 1 }, [{ b: 2 }]] }],
  [{ include: ['a.0'] }, NESTED, { _id: '1', a: [{}, [{}]] }],
  [{ include: ['z.b'] }, NESTED, { _id: '1' }],
  [{ include: ['a.b'] }, { _id: '1', a: {} }, { _id: '1', a: {} }],
  [{ include: ['a.b'] }, { _id: '1', a: null }, { _id: '1' }],
  [{ include: ['a.b'] }, { _id: '1', a: [] }, { _id: '1', a: [] }],
  [{ exclude: ['a.b', 'o', 'z.b'] }, NESTED, { _id: '1', z: 1, a: [{ c: 2 }, 5, [{ d: 3 }]] }],
  [{ include: ['constructor', 'toString'] }, { _id: '1', a: 1 }, { _id: '1' }],
  [{ include: ['constructor'] }, { _id: '1', constructor: 1 }, { _id: '1', constructor: 1 }],
];

test.each(rows)('%j of %j', (projection, document, result) => {
  const before = structuredClone(document);
  const projected = createProjector(projection)(document);
  expect(JSON.stringify(projected)).toBe(JSON.stringify(result));
  expect(document).toEqual(before);
});

test('the order of keys is that of the document', () => {
  const projected = createProjector({ include: ['c', 'a', 'b'] })({ b: 1, _id: '1', a: 2, c: 3 });
  expect(Object.keys(projected)).toEqual(['b', '_id', 'a', 'c']);
});

test.each([{ include: ['__proto__.a', '__proto__'] }, { exclude: ['x'] }])(
  'a key named __proto__ is copied, and prototypes stay as they are (%j)',
  (projection) => {
    const projected = createProjector(projection)(JSON.parse('{"__proto__":{"a":1},"x":1}') as JsonObject);
    expect(JSON.stringify(projected)).toBe('{"__proto__":{"a":1}}');
    expect(Object.getPrototypeOf(projected)).toBe(Object.prototype);
  },
);
