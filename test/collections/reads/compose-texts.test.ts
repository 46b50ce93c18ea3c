// Composition of texts beside a plain one of parsed documents: byte for byte, with the same reads of the store.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import { type ComposeLevels, createComposer } from '../../../src/collections/reads/compose.ts';
import { joinTexts, MAX_JOINED_LENGTH, RECORD_SEPARATOR } from '../../../src/lib/chunked-text.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import type { FindQuery } from '../../../src/stores/ports.ts';
import { callerNamed, collectionOf, contextOf, LIMITS } from '../library-service.ts';
import { composeByModel } from './composition-model.ts';

const IDS = ['a1', 'b2', 'c3', 'd4', 'e5'].map((pair) => pair.repeat(12)) as [string, ...string[]];
const [ANN, BOB] = IDS as [string, string];
const OWN = 'c3'.repeat(12);
const UNKNOWN = 'f6'.repeat(12);

const reference = (collection: string, more = {}) => ({
  type: 'Reference',
  settings: { collection, ...more },
});

/** One field refers to a collection that the caller may not read, one to none, some to collections that refer back. */
const collectionsOf = (compose: {
  readonly field: boolean;
  readonly books: boolean;
  readonly people: boolean;
}) => [
  collectionOf('books', {
    fields: {
      title: {},
      author: reference('people', { compose: compose.field }),
      'a "b"': reference('secrets'),
      editor: reference('people', { fields: ['name', 'friend'] }),
      sequel: reference('nowhere'),
      series: reference('books'),
    },
    settings: { compose: compose.books },
  }),
  collectionOf('people', {
    fields: { name: {}, friend: reference('people'), best: reference('books') },
    settings: { compose: compose.people },
  }),
  collectionOf('secrets', { fields: { name: {} } }),
];

type Data = Readonly<Record<string, ReadonlyMap<string, string>>>;

const PEOPLE = new Map([ANN, BOB].map((id) => [id, JSON.stringify({ name: `{${id}`, v: 1, _id: id })]));

interface Case {
  readonly data?: Data;
  readonly collections?: ReturnType<typeof collectionsOf>;
  readonly levels?: ComposeLevels;
  readonly limits?: { readonly composeDepth: number; readonly composeReferences: number };
}

/** Composes documents as a page, one by one, and by the model: the texts and the reads of each. */
async function composeAllWays(
  documents: readonly JsonObject[],
  {
    data = { people: PEOPLE },
    collections = collectionsOf({ field: false, books: false, people: false }),
    levels = true,
    limits = LIMITS,
  }: Case = {},
) {
  const registry = createCollectionRegistry();
  for (const collection of collections) registry.put(collection);
  const root = collections[0]!;
  const context = contextOf(callerNamed('ann', ['secrets', 'read', 'history']));
  const texts = documents.map((document) => JSON.stringify(document));
  let reads: [string, readonly string[]][] = [];
  const takeReads = () => {
    const taken = reads;
    reads = [];
    return taken;
  };
  const all = (collection: string) => data[collection] ?? new Map<string, string>();
  const projected = (collection: string) =>
    new Map(
      [...all(collection)].map(([id, text]) => {
        const { name, friend, _id } = JSON.parse(text) as JsonObject;
        return [id, JSON.stringify({ name, friend, _id })];
      }),
    );
  const idsIn = ({ filter }: FindQuery) => JSON.parse(JSON.stringify(filter)).tests[0].values as string[];
  const { compose, composePage } = createComposer({
    registry,
    limits,
    histories: { completeHistories: (_collection, stored) => stored },
    store: {
      findByIds({ collection }, ids) {
        reads.push([collection, ids]);
        return all(collection);
      },
      async findText({ collection }, query) {
        reads.push([collection, idsIn(query)]);
        return [...projected(collection).values()];
      },
    },
  });
  const page = await composePage(root, joinTexts(texts, RECORD_SEPARATOR), context, levels);
  const pageReads = takeReads();
  const oneByOne = await compose(root, texts, context, { levels });
  const oneByOneReads = takeReads();
  const model = composeByModel(texts, {
    root,
    registry,
    context,
    levels,
    limits,
    read({ target: { name }, projection }, ids) {
      reads.push([name, projection === undefined ? ids : [...new Set(ids)]]);
      return projection === undefined ? all(name) : projected(name);
    },
  });
  return {
    page: { text: [page.text].flat().join(''), count: page.count, reads: pageReads },
    oneByOne: { text: oneByOne.join(','), count: oneByOne.length, reads: oneByOneReads },
    model: { text: model.join(','), count: model.length, reads: takeReads() },
  };
}

const ids = fc.constantFrom<Json>(...IDS, UNKNOWN, BOB.toUpperCase());
const others = fc.constantFrom<Json>(null, 5, '', 'x'.repeat(24), `${ANN}a`, '\\"_id":"');
const odd = fc.constantFrom<Json>([1], { b: 2, _id: ANN }, 'author');
const values = fc.oneof(
  { weight: 8, arbitrary: ids },
  { weight: 3, arbitrary: fc.array(ids, { maxLength: 3 }) },
  { weight: 1, arbitrary: others },
  { weight: 1, arbitrary: fc.array(fc.oneof(ids, others, odd), { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom<Json>({ _id: ANN }, { author: BOB }, [{ _id: ANN }]) },
);
/** With the names of Reference fields inside. */
const nested = fc.constantFrom<Json>(
  { author: ANN, editor: [BOB] },
  [{ author: BOB, text: '}' }, {}],
  { in: { 'a "b"': ANN } },
  [1, { author: ANN, friend: BOB }],
  { composed: 1 },
  {},
);
const texts = fc.constantFrom(
  '',
  '{',
  ':{',
  'a "title", with \\ all: of "it"',
  `,"author":"${ANN}"`,
  'ü😀\u2028',
  'composed":',
);
/** An object with some of the members, in any order. */
const someOf = (members: Record<string, fc.Arbitrary<Json>>) =>
  fc
    .record(members, { requiredKeys: [], noNullPrototype: true })
    .chain((fields) => fc.shuffledSubarray(Object.entries(fields), { minLength: Object.keys(fields).length }))
    .map((entries) => Object.fromEntries(entries) as JsonObject);
const books = someOf({
  title: texts,
  author: values,
  'a "b"': values,
  editor: values,
  sequel: values,
  series: values,
  tags: fc.constantFrom(['author'], ['x', 'author":']),
  info: nested,
  more: nested,
});
const people = someOf({ name: texts, friend: values, best: values, info: nested });
const composedBefore = fc.constantFrom<JsonObject>(
  {},
  {},
  { composed: { editor: BOB } },
  { composed: 'x' },
  { composed: {} },
);
const ends = fc.oneof(
  { weight: 6, arbitrary: ids.map((_id) => ({ v: 1, _id })) },
  { weight: 1, arbitrary: fc.constantFrom<JsonObject>({}, { v: 1, _id: 7 }, { _id: ANN, v: 1 }) },
);
const documents = fc
  .tuple(books, composedBefore, ends)
  .map(([book, composed, end]): JsonObject => ({ ...book, ...composed, ...end }));
const storedOf = (members: fc.Arbitrary<JsonObject>) =>
  fc
    .array(members, { minLength: IDS.length, maxLength: IDS.length })
    .map((all) => new Map(all.map((one, n) => [IDS[n]!, JSON.stringify({ ...one, v: 1, _id: IDS[n]! })])));
const cases = fc.record({
  data: fc.record({ books: storedOf(books), people: storedOf(people) }),
  collections: fc
    .record({ field: fc.boolean(), books: fc.boolean(), people: fc.boolean() })
    .map(collectionsOf),
  levels: fc.constantFrom<ComposeLevels>(true, 'all', 1, 2, 3),
  limits: fc.record({
    composeDepth: fc.constantFrom(1, 2, 4, 10),
    composeReferences: fc.oneof(fc.nat(12), fc.constant(10_000)),
  }),
});

test('a page and its documents one by one are composed as by the plain composition, with the same reads', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(documents, { maxLength: 5 }), cases, async (page, how) => {
      const composed = await composeAllWays(page, how);
      expect(composed.page).toEqual(composed.model);
      expect(composed.oneByOne).toEqual(composed.model);
    }),
    { numRuns: 500 },
  );
});

test('a document without a reference is not given what is nested in the one before', async () => {
  const first = { author: ANN, info: { text: 'x'.repeat(40), author: BOB }, title: 'x'.repeat(99), _id: OWN };
  for (let length = 0; length < 150; length += 1) {
    const { page, model } = await composeAllWays([first, { title: 'x'.repeat(length) }]);
    expect(page).toEqual(model);
  }
});

test('a document whose `_id` is not its last member is not put into itself', async () => {
  const { page, model } = await composeAllWays([{ _id: ANN, series: ANN, editor: BOB }]);
  expect(page).toEqual(model);
  expect(JSON.parse(page.text)).toMatchObject({ series: ANN, editor: { _id: BOB } });
});

test('a page that is long, or becomes long, is composed too', async () => {
  const title = 'x'.repeat(MAX_JOINED_LENGTH / 4);
  for (const count of [3, 4, 9]) {
    const long = Array.from({ length: count }, (_, n) => ({ title, author: n % 2 ? ANN : BOB, _id: OWN }));
    const { page, model } = await composeAllWays(long);
    expect(page).toEqual(model);
  }
});
