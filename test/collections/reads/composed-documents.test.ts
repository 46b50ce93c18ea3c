import { expect, test } from 'vitest';
import {
  type ComposedDocument,
  type CompositionQuota,
  createReferenceFinder,
  embedDocument,
  type ReferenceBatch,
  renderDocument,
  renderEmbedded,
} from '../../../src/collections/reads/composed-documents.ts';
import { RECORD_SEPARATOR } from '../../../src/lib/chunked-text.ts';
import { memberName } from '../../../src/lib/json/stored-json.ts';
import { namespaceKey } from '../../../src/stores/ports.ts';
import { threadCpuMs } from '../../../src/workers/match-patterns.ts';
import { collectionOf } from '../library-service.ts';

const BOOKS = collectionOf('books', {
  fields: { author: { type: 'Reference' }, series: { type: 'Reference' } },
});
const NAMES = [...BOOKS.fields.values()].map((field) => ({ ...memberName(field.name), field }));
const A = 'a'.repeat(24);
const B = 'b'.repeat(24);
const OWN = 'f'.repeat(24);

const createQuota = (references = 10, characters = 100) => ({ references, characters });
const NAMESPACE = namespaceKey(BOOKS.namespace);
const createBatch = (namespace = NAMESPACE): ReferenceBatch => ({ order: 0, references: [], namespace });

interface Options {
  readonly quota?: CompositionQuota;
  readonly batch?: ReferenceBatch;
}

const finderFor = (quota: CompositionQuota, batch: ReferenceBatch) =>
  createReferenceFinder({ names: NAMES, namespace: NAMESPACE, quota, batchFor: () => batch });

function findIn(document: object, { quota = createQuota(), batch = createBatch() }: Options = {}) {
  const [found] = finderFor(quota, batch)(JSON.stringify(document));
  return { document: found!, batch };
}
const findBy = (author: unknown, options: Options = {}) => findIn({ author, _id: OWN }, options);
/** The ids that are to be resolved. */
const idsBy = (author: unknown, options: Options = {}) =>
  findBy(author, options).batch.references?.map(({ id }) => id);
const rendered = (document: ComposedDocument) => JSON.parse(renderDocument(document));

test.each([
  ['an id', A.toUpperCase(), [A], A.toUpperCase()],
  ['a list', [A, null, 5], [A], [A, 5]],
  ['no id in a list of the length of one', ['x'.repeat(22)], [], ['x'.repeat(22)]],
  ['the id of the document itself', [OWN], [], [OWN]],
])('the finder of references finds %s', (_name, value, ids, shown) => {
  expect(idsBy(value)).toEqual(ids);
  expect(rendered(findBy(value).document).author).toEqual(shown);
});

test('a document of another collection with the same id is no cycle', () => {
  expect(idsBy([OWN], { batch: createBatch('library/people') })).toEqual([OWN]);
});

test.each([[null], [5], [{ _id: A }], ['text'], [`${A}x`]])(
  'the finder of references finds nothing in %j',
  (value) => {
    const { document, batch } = findBy(value);
    expect(document.values).toEqual([]);
    expect(batch.references).toEqual([]);
  },
);

test('ids beyond the quota of references, and of documents that cannot be read, stay', () => {
  const quota = createQuota(1);
  expect(idsBy([A, B], { quota })).toEqual([A]);
  expect(quota.references).toBe(0);
  const { document } = findBy(A, { batch: { order: 0, references: undefined, namespace: undefined } });
  expect(rendered(document)).toEqual({ author: A, _id: OWN, composed: { author: A } });
});

test('documents stop at the quota of characters', () => {
  const { document, batch } = findBy([A, A, A]);
  const text = JSON.stringify({ name: 'Ann', _id: A });
  const quota = createQuota(10, 2 * text.length);
  for (const reference of batch.references ?? []) embedDocument(reference, text, quota);
  expect(rendered(document)).toEqual({
    author: [{ name: 'Ann', _id: A }, { name: 'Ann', _id: A }, A],
    _id: OWN,
    composed: { author: [A, A, A] },
  });
});

test('composed keeps the ids that a document has already, without nulls', () => {
  const { document } = findIn({ composed: { editor: B }, author: [null, A, 5] });
  expect(renderDocument(document)).toBe(
    `{"composed":{"editor":"${B}","author":["${A}"]},"author":["${A}",5]}`,
  );
});

test('a document without a replaced id gets no composed member', () => {
  expect(rendered(findBy([null]).document)).toEqual({ author: [], _id: OWN });
});

test('a document that is put into another keeps the ids of those around it, and is shown once it is rendered', () => {
  const quota = createQuota(10, 1000);
  const batch = createBatch();
  const { document } = findBy(A, { quota, batch });
  const inner = { author: [OWN, A, B], _id: A };
  const next = createBatch();
  const find = finderFor(quota, next);
  const [author] = batch.references!;
  const text = JSON.stringify(inner);
  expect(embedDocument(author!, text, quota)).toBe(true);
  const [embedded] = find(text, author);
  expect(next.references?.map(({ id }) => id)).toEqual([B]);
  expect(rendered(document).author).toEqual(inner);
  renderEmbedded(embedded!);
  expect(rendered(document).author).toEqual({ ...inner, composed: { author: inner.author } });
});

test('a document without references needs no rendering in the place of its id', () => {
  const quota = createQuota();
  const { document, batch } = findBy(A, { quota });
  expect(embedDocument(batch.references![0]!, `{"_id":"${A}"}`, quota)).toBe(true);
  expect(rendered(document).author).toEqual({ _id: A });
});

test('an id stays where there is no document, and where the quota of characters is used up', () => {
  const { document, batch } = findBy(A);
  expect(embedDocument(batch.references![0]!, undefined, createQuota())).toBe(false);
  expect(embedDocument(batch.references![0]!, `{"_id":"${A}"}`, createQuota(10, 5))).toBe(false);
  expect(rendered(document).author).toBe(A);
});

test('thousands of nested objects and of ids take time in proportion to their number', () => {
  const member = (n: number) => `"m${n}":{"author":1,"series":"{"}`;
  const objects = Array.from({ length: 6000 }, (_, n) => member(n));
  const list = JSON.stringify(Array(3000).fill(A));
  const text = `{"_id":"${OWN}",${objects},"series":${list}}`;
  const batch = createBatch();
  const begun = threadCpuMs();
  finderFor(createQuota(10_000), batch)([text, '{}', text].join(RECORD_SEPARATOR));
  expect(threadCpuMs() - begun).toBeLessThan(500);
  expect(batch.references).toHaveLength(6000);
});
