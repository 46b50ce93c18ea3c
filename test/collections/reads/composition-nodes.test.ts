import { expect, test } from 'vitest';
import {
  type CompositionNode,
  type CompositionQuota,
  createChildNode,
  createReferencePlaceholder,
  createRootNode,
  fillPlaceholder,
  renderNode,
} from '../../../src/collections/reads/composition-nodes.ts';
import { findMember, memberName } from '../../../src/lib/json/stored-json.ts';
import { collectionOf } from '../library-service.ts';

const BOOKS = collectionOf('books', { fields: { author: { type: 'Reference' } } });
const FIELD = BOOKS.fields.get('author')!;
const AUTHOR = memberName('author');
const A = 'a'.repeat(24);
const B = 'b'.repeat(24);

const createQuota = (references = 10, characters = 100) => ({ references, characters });
const frameOf = (author: unknown) => createRootNode(BOOKS, JSON.stringify({ author, _id: 'f'.repeat(24) }));
const slotIn = (frame: CompositionNode, quota: CompositionQuota | undefined) => {
  const span = findMember(frame.text, AUTHOR)!;
  return createReferencePlaceholder(frame, { name: { ...AUTHOR, field: FIELD }, span }, quota);
};

test.each([
  ['an id', A.toUpperCase(), [{ raw: A.toUpperCase(), id: A }]],
  ['a list', [A, null, 5], [{ raw: A, id: A }, { raw: 5 }]],
  ['no id in a list of the length of one', ['x'.repeat(22)], [{ raw: 'x'.repeat(22) }]],
  ['the id of the document itself', ['f'.repeat(24)], [{ raw: 'f'.repeat(24) }]],
])('finds %s', (_name, value, entries) => {
  expect(slotIn(frameOf(value), createQuota())?.entries).toEqual(entries);
});

test.each([[null], [5], [{ _id: A }], ['text'], [`${A}x`]])('finds nothing in %j', (value) => {
  expect(slotIn(frameOf(value), createQuota())).toBeUndefined();
});

test('placeholders stop at the quota of references', () => {
  const quota = createQuota(1);
  const ids = slotIn(frameOf([A, B]), quota)?.entries.map(({ id }) => id);
  expect(ids).toEqual([A, undefined]);
  expect(quota.references).toBe(0);
  expect(slotIn(frameOf(A), undefined)?.entries).toEqual([{ raw: A }]);
});

test('documents stop at the quota of characters', () => {
  const frame = frameOf([A, A, A]);
  const text = JSON.stringify({ name: 'Ann', _id: A });
  const quota = createQuota(10, 2 * text.length);
  fillPlaceholder(slotIn(frame, createQuota())!, new Map([[A, text]]), {
    quota,
    createContent: (found) => found,
  });
  expect(JSON.parse(renderNode(frame))).toEqual({
    author: [{ name: 'Ann', _id: A }, { name: 'Ann', _id: A }, A],
    _id: 'f'.repeat(24),
    composed: { author: [A, A, A] },
  });
});

test('composed keeps the ids that a document has already, without nulls', () => {
  const frame = createRootNode(BOOKS, JSON.stringify({ composed: { editor: B }, author: [null, A, 5] }));
  fillPlaceholder(slotIn(frame, createQuota())!, new Map(), {
    quota: createQuota(),
    createContent: (found) => found,
  });
  expect(renderNode(frame)).toBe(`{"composed":{"editor":"${B}","author":["${A}"]},"author":["${A}",5]}`);
});

test('a document without a replaced id gets no composed member', () => {
  const frame = frameOf([null]);
  fillPlaceholder(slotIn(frame, createQuota())!, new Map(), {
    quota: createQuota(),
    createContent: (found) => found,
  });
  expect(JSON.parse(renderNode(frame))).toEqual({ author: [], _id: 'f'.repeat(24) });
});

test('an id of an ancestor is no placeholder', () => {
  const root = frameOf(A);
  const inner = createChildNode(BOOKS, JSON.stringify({ author: ['f'.repeat(24), A, B] }), {
    id: A,
    parent: root,
  });
  expect(slotIn(inner, createQuota())?.entries.map(({ id }) => id)).toEqual([undefined, undefined, B]);
});
