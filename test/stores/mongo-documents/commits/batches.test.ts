import { expect, test } from 'vitest';
import { batchesOf, splitBySize } from '../../../../src/stores/mongo-documents/commits/batches.ts';
import { namespaceKey } from '../../../../src/stores/namespace.ts';
import type { Write } from '../../../../src/stores/ports.ts';
import { BOOKS, ELSEWHERE, insert, NEIGHBOUR } from '../../../contracts/store-cases.ts';
import { remove, update } from './workbench.ts';

const shapeOf = (writes: readonly Write[]) =>
  [...batchesOf(writes)].map(({ kind, ns, first, writes: own }) => [
    kind,
    namespaceKey(ns),
    first,
    own.length,
  ]);

test('consecutive writes of one kind on one collection share a batch', () => {
  const writes = [
    insert(BOOKS, 1, {}),
    insert(BOOKS, 2, {}),
    insert(ELSEWHERE, 1, {}),
    insert(BOOKS, 3, {}),
    update(BOOKS, 1, 1, {}),
    remove(BOOKS, 2, 1),
    remove(BOOKS, 3, 1),
    insert(NEIGHBOUR, 1, {}),
  ];
  expect(shapeOf(writes)).toEqual([
    ['insert', '/books', 0, 2],
    ['insert', `${ELSEWHERE.database}/books`, 2, 1],
    ['insert', '/books', 3, 1],
    ['update', '/books', 4, 1],
    ['remove', '/books', 5, 2],
    ['insert', '/bookshelves', 7, 1],
  ]);
});

test('a batch has at most 500 writes', () => {
  const writes = Array.from({ length: 1201 }, (_, n) => insert(BOOKS, n, {}));
  expect(shapeOf(writes).map(([, , first, count]) => [first, count])).toEqual([
    [0, 500],
    [500, 500],
    [1000, 201],
  ]);
});

test('a batch has about a million characters, and a larger document has its own', () => {
  const sizes = [600_000, 500_000, 3_000_000, 10, 10];
  const writes = sizes.map((size, n) => insert(BOOKS, n, { pad: 'x'.repeat(size) }));
  const expected = [
    ['insert', '/books', 0, 1],
    ['insert', '/books', 1, 1],
    ['insert', '/books', 2, 1],
    ['insert', '/books', 3, 2],
  ];
  expect(shapeOf(writes)).toEqual(expected);
  const withTexts = writes.map((write) => ({
    ...write,
    ...('document' in write && { text: JSON.stringify(write.document) }),
  }));
  expect(shapeOf(withTexts)).toEqual(expected);
});

test('no writes make no batches', () => {
  expect([...splitBySize([], () => 1)]).toEqual([]);
  expect([...batchesOf([])]).toEqual([]);
});
