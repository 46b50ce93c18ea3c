import { expect, test } from 'vitest';
import {
  type CompositionNode,
  type CompositionQuota,
  createNode,
  embedDocument,
  type ReferenceBatch,
  referenceName,
  renderNode,
} from '../../../src/collections/reads/composition-nodes.ts';
import { memberNames, readDocumentId } from '../../../src/lib/json/stored-json.ts';
import { namespaceKey } from '../../../src/stores/ports.ts';
import { collectionOf } from '../library-service.ts';

const BOOKS = collectionOf('books', { fields: { author: { type: 'Reference' } } });
const FIELD = BOOKS.fields.get('author')!;
const AUTHOR = referenceName(FIELD);
const A = 'a'.repeat(24);
const B = 'b'.repeat(24);
const OWN = 'f'.repeat(24);

const createQuota = (references = 10, characters = 100) => ({ references, characters });
const NAMESPACE = namespaceKey(BOOKS.namespace);
const createBatch = (namespace = NAMESPACE): ReferenceBatch => ({ order: 0, ids: [], namespace });

interface Options {
  readonly quota?: CompositionQuota;
  readonly batch?: ReferenceBatch;
  readonly parent?: CompositionNode;
}

function nodeOf(document: object, { quota = createQuota(), batch = createBatch(), parent }: Options = {}) {
  const text = JSON.stringify(document);
  const collector = { names: memberNames([AUTHOR]), namespace: NAMESPACE, quota, batchFor: () => batch };
  return { node: createNode({ text, id: readDocumentId(text), parent }, collector), batch };
}
const nodeBy = (author: unknown, options: Options = {}) => nodeOf({ author, _id: OWN }, options);
/** The ids that are to be resolved. */
const idsBy = (author: unknown, options: Options = {}) =>
  nodeBy(author, options).batch.ids?.map(({ id }) => id);
const rendered = (node: CompositionNode) => JSON.parse(renderNode(node));

test.each([
  ['an id', A.toUpperCase(), [A], A.toUpperCase()],
  ['a list', [A, null, 5], [A], [A, 5]],
  ['no id in a list of the length of one', ['x'.repeat(22)], [], ['x'.repeat(22)]],
  ['the id of the document itself', [OWN], [], [OWN]],
])('finds %s', (_name, value, ids, shown) => {
  expect(idsBy(value)).toEqual(ids);
  expect(rendered(nodeBy(value).node).author).toEqual(shown);
});

test('a document of another collection with the same id is no cycle', () => {
  expect(idsBy([OWN], { batch: createBatch('library/people') })).toEqual([OWN]);
});

test.each([[null], [5], [{ _id: A }], ['text'], [`${A}x`]])('finds nothing in %j', (value) => {
  const { node, batch } = nodeBy(value);
  expect(node.references).toEqual([]);
  expect(batch.ids).toEqual([]);
});

test('placeholders stop at the quota of references', () => {
  const quota = createQuota(1);
  expect(idsBy([A, B], { quota })).toEqual([A]);
  expect(quota.references).toBe(0);
  const { node } = nodeBy(A, { batch: { order: 0, ids: undefined, namespace: undefined } });
  expect(rendered(node)).toEqual({ author: A, _id: OWN, composed: { author: A } });
});

test('documents stop at the quota of characters', () => {
  const { node, batch } = nodeBy([A, A, A]);
  const text = JSON.stringify({ name: 'Ann', _id: A });
  const quota = createQuota(10, 2 * text.length);
  for (const reference of batch.ids ?? []) embedDocument(reference, text, { quota });
  expect(rendered(node)).toEqual({
    author: [{ name: 'Ann', _id: A }, { name: 'Ann', _id: A }, A],
    _id: OWN,
    composed: { author: [A, A, A] },
  });
});

test('composed keeps the ids that a document has already, without nulls', () => {
  const { node } = nodeOf({ composed: { editor: B }, author: [null, A, 5] });
  expect(renderNode(node)).toBe(`{"composed":{"editor":"${B}","author":["${A}"]},"author":["${A}",5]}`);
});

test('a document without a replaced id gets no composed member', () => {
  expect(rendered(nodeBy([null]).node)).toEqual({ author: [], _id: OWN });
});

test('an id of an ancestor is no placeholder', () => {
  const { node: root } = nodeBy(A);
  expect(idsBy([OWN, A, B], { parent: { ...root, id: A, parent: root } })).toEqual([B]);
});
