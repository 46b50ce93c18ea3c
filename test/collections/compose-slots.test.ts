import { expect, test } from 'vitest';
import { fillSlot, rootFrame, slotOf } from '../../src/collections/compose-slots.ts';
import { collectionOf } from './library.ts';

const BOOKS = collectionOf('books', { fields: { author: { type: 'Reference' } } });
const FIELD = BOOKS.fields.get('author')!;
const A = 'a'.repeat(24);
const B = 'b'.repeat(24);

const allowance = (references = 10, characters = 100) => ({ references, characters });
const frameOf = (author: unknown) => rootFrame(BOOKS, { author: author as never, _id: 'f'.repeat(24) });

test.each([
  ['an id', A.toUpperCase(), [{ raw: A.toUpperCase(), id: A }]],
  ['a list', [A, null, 5], [{ raw: A, id: A }, { raw: 5 }]],
  ['the id of the document itself', ['f'.repeat(24)], [{ raw: 'f'.repeat(24) }]],
])('finds %s', (_name, value, entries) => {
  expect(slotOf(frameOf(value), FIELD, allowance())?.entries).toEqual(entries);
});

test.each([[null], [5], [{ _id: A }], ['text']])('finds nothing in %j', (value) => {
  expect(slotOf(frameOf(value), FIELD, allowance())).toBeUndefined();
});

test('stops at the allowance of references', () => {
  const left = allowance(1);
  const ids = slotOf(frameOf([A, B]), FIELD, left)?.entries.map(({ id }) => id);
  expect(ids).toEqual([A, undefined]);
  expect(left.references).toBe(0);
  expect(slotOf(frameOf(A), FIELD, undefined)?.entries).toEqual([{ raw: A }]);
});

test('stops at the allowance of characters, and gives each place a copy of its own', () => {
  const frame = frameOf([A, A, A]);
  const found = new Map([[A, { document: { _id: A }, characters: 40 }]]);
  const placed = fillSlot(slotOf(frame, FIELD, allowance())!, found, allowance(10, 100));
  expect(frame.document).toMatchObject({
    author: [{ _id: A }, { _id: A }, A],
    composed: { author: [A, A, A] },
  });
  expect(placed).toHaveLength(2);
  expect(placed[0]).not.toBe(placed[1]);
});
