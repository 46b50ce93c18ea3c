import { expect, test } from 'vitest';
import { orderWrites, type PlannedWrite } from '../../../src/collections/writes/write-order.ts';

const planned = (
  step: PlannedWrite['step'],
  collection: string,
  id: string,
  depth?: number,
): PlannedWrite => ({
  write: { kind: 'remove', ns: { database: null, collection }, id, v: 0 },
  origin: { prefix: `${id}.` },
  step,
  ...(depth === undefined ? {} : { depth }),
});

const ordered = (all: readonly PlannedWrite[]) =>
  orderWrites(all).writes.map((write) => (write.kind === 'remove' ? write.id : ''));

test('what stands beside the documents comes first, then revisions, and removals last', () => {
  const all = [
    planned('remove', 'books', 'gone'),
    planned('update', 'books', 'changed'),
    planned('insert', 'books', 'new'),
    planned('revision', 'booksHistory', 'kept'),
    planned('beside', 'cloister.media-removals', 'noted'),
  ];
  expect(ordered(all)).toEqual(['noted', 'kept', 'new', 'changed', 'gone']);
});

test('what a new document refers to stands before it', () => {
  const all = [
    planned('insert', 'books', 'book'),
    planned('insert', 'towns', 'town', 2),
    planned('insert', 'people', 'author', 1),
    planned('insert', 'books', 'sequel', 1),
    planned('insert', 'people', 'mayor', 3),
  ];
  expect(ordered(all)).toEqual(['mayor', 'town', 'sequel', 'author', 'book']);
});

test('the writes of one collection stand together, in their order', () => {
  const all = ['a', 'b', 'a', 'b', 'a'].map((collection, at) =>
    planned('insert', collection, `${collection}${at}`),
  );
  expect(ordered(all)).toEqual(['a0', 'a2', 'a4', 'b1', 'b3']);
});

test('name spaces of several databases are not taken for one', () => {
  const elsewhere = planned('insert', 'a', 'x');
  const moved = { ...elsewhere, write: { ...elsewhere.write, ns: { database: 'b', collection: 'a' } } };
  expect(ordered([planned('insert', 'a', '1'), moved, planned('insert', 'a', '2')])).toEqual(['1', '2', 'x']);
});

test('origins run beside the writes', () => {
  const { writes, origins } = orderWrites([planned('remove', 'a', '1'), planned('insert', 'a', '2')]);
  expect(writes.map((write) => write.kind === 'remove' && `${write.id}.`)).toEqual(
    origins.map(({ prefix }) => prefix),
  );
});
