import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCollectionRegistry } from '../../../src/collections/model/collection.ts';
import { createComposer } from '../../../src/collections/reads/compose.ts';
import { findPageReferences } from '../../../src/collections/reads/compose-page.ts';
import { createReferenceNames } from '../../../src/collections/reads/reference-source.ts';
import { joinTexts, MAX_JOINED_LENGTH, RECORD_SEPARATOR } from '../../../src/lib/chunked-text.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { namespaceKey } from '../../../src/stores/ports.ts';
import { threadCpuMs } from '../../../src/workers/match-patterns.ts';
import { callerNamed, collectionOf, contextOf, LIMITS } from '../library-service.ts';

const ANN = 'a1'.repeat(12);
const BOB = 'b2'.repeat(12);
const OWN = 'c3'.repeat(12);
const UNKNOWN = 'd4'.repeat(12);
const PEOPLE = new Map([ANN, BOB].map((id) => [id, JSON.stringify({ name: `{${id}`, v: 1, _id: id })]));

const reference = (collection: string) => ({ type: 'Reference', settings: { collection } });
/** One field refers to a collection that the caller may not read, one to none, one to the collection itself. */
const BOOKS = collectionOf('books', {
  fields: {
    title: {},
    author: reference('people'),
    'a "b"': reference('secrets'),
    editor: reference('people'),
    sequel: reference('nowhere'),
    series: reference('books'),
  },
});
const registry = createCollectionRegistry();
for (const collection of [
  BOOKS,
  collectionOf('people', { fields: { name: {} } }),
  collectionOf('secrets', { fields: { name: {} } }),
]) {
  registry.put(collection);
}

const namesOf = createReferenceNames();

/** What collects the references of books: all of them may be to the book itself. */
const collectorOf = (references: number) => ({
  names: namesOf(BOOKS),
  namespace: namespaceKey(BOOKS.namespace),
  quota: { references, characters: 0 },
  batchFor: () => ({ order: 0, ids: [], namespace: namespaceKey(BOOKS.namespace) }),
});

/** Composes documents as a page and one by one, and tells whether the page was taken apart. */
async function composeBothWays(documents: readonly JsonObject[], references = LIMITS.composeReferences) {
  const { compose, composePage } = createComposer({
    registry,
    limits: { ...LIMITS, composeReferences: references },
    histories: { completeHistories: (_collection, texts) => texts },
    store: { findText: () => [], findByIds: () => PEOPLE },
  });
  const context = contextOf(callerNamed('ann', ['secrets', 'GET']));
  const texts = documents.map((document) => JSON.stringify(document));
  return {
    page: await composePage(BOOKS, joinTexts(texts, RECORD_SEPARATOR), context, true),
    oneByOne: joinTexts(await compose(BOOKS, texts, context, { levels: true })),
    isInPlace: findPageReferences(texts.join(RECORD_SEPARATOR), collectorOf(references)) !== undefined,
  };
}

const textOf = ({ text }: { readonly text: string | readonly string[] }) => [text].flat().join('');

const ids = fc.constantFrom<Json>(ANN, BOB, OWN, UNKNOWN, BOB.toUpperCase());
const others = fc.constantFrom<Json>(null, 5, '', 'x'.repeat(24), `${ANN}a`, '\\"_id":"');
const lists = fc.array(ids, { maxLength: 3 });
const values = fc.oneof(
  { weight: 8, arbitrary: ids },
  { weight: 2, arbitrary: lists },
  { weight: 1, arbitrary: others },
  { weight: 1, arbitrary: fc.constantFrom<Json>({ _id: ANN }, { author: BOB }) },
);
/** With the names of Reference fields inside. */
const nested = fc.constantFrom<Json>(
  { author: ANN, editor: [BOB] },
  [{ author: BOB, text: '}' }, {}],
  { in: { 'a "b"': ANN } },
  [1, { author: ANN }],
  {},
);
const regular = fc
  .record(
    {
      title: fc.constantFrom(
        '',
        '{',
        ':{',
        'a "title", with \\ all: of "it"',
        `,"author":"${ANN}"`,
        'ü😀\u2028',
      ),
      author: values,
      'a "b"': values,
      editor: values,
      sequel: values,
      series: values,
      tags: fc.constantFrom(['author'], ['x', 'author":']),
      info: nested,
      more: nested,
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .chain((fields) => fc.shuffledSubarray(Object.entries(fields), { minLength: Object.keys(fields).length }))
  .map((entries): JsonObject => ({ ...Object.fromEntries(entries), v: 1, _id: OWN }));
/** What no page may have that is composed in place. */
const odd = fc.constantFrom<JsonObject>(
  { author: [ANN, null, 5], _id: OWN },
  { author: [[ANN]], _id: OWN },
  { author: [{ _id: ANN }], _id: OWN },
  { author: ANN, info: { composed: 1 }, _id: OWN },
  { author: ANN, composed: { editor: BOB }, _id: OWN },
  { author: ANN, composed: 'x', _id: OWN },
);

test('a page of regular documents is composed in place, as its documents one by one', async () => {
  const inPlace: boolean[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(regular, { maxLength: 6 }), fc.nat(8), async (documents, references) => {
      const { page, oneByOne, isInPlace } = await composeBothWays(documents, references);
      expect(page).toEqual(oneByOne);
      inPlace.push(isInPlace);
    }),
    { numRuns: 500 },
  );
  expect(inPlace).not.toContain(false);
});

test('a page with any other document is taken apart, and composed as its documents one by one', async () => {
  const mixed = fc.tuple(fc.array(regular, { maxLength: 3 }), odd, fc.array(regular, { maxLength: 3 }));
  await fc.assert(
    fc.asyncProperty(mixed, async ([before, document, after]) => {
      const { page, oneByOne, isInPlace } = await composeBothWays([...before, document, ...after]);
      expect(page).toEqual(oneByOne);
      expect(isInPlace).toBe(false);
    }),
  );
});

test('a document without a reference is not given what is nested in the one before', async () => {
  const first = { author: ANN, info: { text: 'x'.repeat(40), author: BOB }, title: 'x'.repeat(99), _id: OWN };
  for (let length = 0; length < 150; length += 1) {
    const { page, oneByOne, isInPlace } = await composeBothWays([first, { title: 'x'.repeat(length) }]);
    expect([page, isInPlace]).toEqual([oneByOne, true]);
  }
});

test('a document whose `_id` is not its last member is not put into itself', async () => {
  const { page, oneByOne, isInPlace } = await composeBothWays([{ _id: ANN, series: ANN, editor: BOB }]);
  expect([page, isInPlace]).toEqual([oneByOne, true]);
  expect(JSON.parse(textOf(page))).toMatchObject({ series: ANN, editor: { v: 1 } });
});

test('thousands of nested objects and of ids take time in proportion to their number', () => {
  const member = (n: number) => `"m${n}":{"author":1,"series":"{"}`;
  const objects = Array.from({ length: 6000 }, (_, n) => member(n));
  const list = JSON.stringify(Array(3000).fill(ANN));
  const text = `{"_id":"${OWN}",${objects},"series":${list}}`;
  const collector = collectorOf(10_000);
  const begun = threadCpuMs();
  const found = findPageReferences([text, '{}', text].join(RECORD_SEPARATOR), collector);
  expect(threadCpuMs() - begun).toBeLessThan(500);
  expect(found?.references).toHaveLength(6000);
});

test('a page that is long, or becomes long, is composed too, in pieces', async () => {
  const title = 'x'.repeat(MAX_JOINED_LENGTH / 4);
  for (const count of [3, 4, 9]) {
    const documents = Array.from({ length: count }, (_, n) => ({
      title,
      author: n % 2 ? ANN : BOB,
      _id: OWN,
    }));
    const { page, oneByOne } = await composeBothWays(documents);
    expect(textOf(page)).toBe(textOf(oneByOne));
    expect([page.count, typeof page.text]).toEqual([count, typeof oneByOne.text]);
  }
});
