import { expect, test } from 'vitest';
import { translateCommitError } from '../../../src/collections/writes/commit.ts';
import { orderWrites, type PlannedWrite } from '../../../src/collections/writes/planned-write.ts';
import { WritePlan } from '../../../src/collections/writes/write-plan.ts';
import { StoreError } from '../../../src/errors/errors.ts';
import { callerNamed, collectionOf } from '../library-service.ts';

const FIELDS = { title: {}, pages: { type: 'Number' } };
const plain = collectionOf('books', { fields: FIELDS });
const revised = collectionOf('books', { fields: FIELDS, settings: { storeRevisions: true } });
const ID = 'a'.repeat(24);
const HERE = { prefix: '' };

function planOf() {
  let made = 0;
  return new WritePlan({ at: 5, by: 'ann' }, () => {
    made += 1;
    return `r${made}`;
  });
}

test('an insert carries its text', async () => {
  const plan = planOf();
  const written = plan.insert(plain, { id: ID, fields: { title: 'A' } }, HERE);
  expect(JSON.parse(written.text)).toEqual(written.document);
  expect((await plan.finish()).writes).toEqual([
    { kind: 'insert', ns: plain.namespace, document: written.document, text: written.text },
  ]);
});

test('revisions are part of the same commit', async () => {
  const plan = planOf();
  plan.insert(revised, { id: ID, fields: {} }, HERE);
  plan.update(
    revised,
    { _id: 'b', title: 'B', v: 4, history: ['old'] },
    { fields: { title: 'C' }, position: HERE },
  );
  plan.remove(revised, { _id: 'c', v: 9 });
  const { writes, updated } = await plan.finish();
  expect(writes.map(({ kind, ns }) => [kind, ns.collection])).toEqual([
    ['insert', 'booksHistory'],
    ['insert', 'booksHistory'],
    ['insert', 'booksHistory'],
    ['insert', 'books'],
    ['update', 'books'],
    ['remove', 'books'],
  ]);
  expect(updated).toHaveLength(1);
  expect(writes[4]).toMatchObject({ id: 'b', v: 4, document: { title: 'C', v: 5, history: ['old', 'r3'] } });
  expect(writes[5]).toEqual({ kind: 'remove', ns: revised.namespace, id: 'c', v: 9 });
});

test('all documents of a write together are bounded', async () => {
  const plan = planOf();
  const fields = { title: 'x'.repeat(15 * 1024 * 1024) };
  for (let n = 0; n < 20; n += 1) plan.update(plain, { _id: `d${n}`, v: 1 }, { fields, position: HERE });
  await expect(plan.finish()).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE' });
});

test('an extra write is in the same commit, before the documents', async () => {
  const plan = planOf();
  plan.remove(plain, { v: 1, _id: 'a' });
  const note = {
    kind: 'insert',
    ns: { database: null, collection: 'notes' },
    document: { _id: 'n' },
  } as const;
  plan.addExtra(note, 4);
  const { writes, planned } = await plan.finish();
  expect(writes[0]).toEqual(note);
  expect(planned[0]?.position).toEqual({ prefix: '', extraWrite: 4 });
});

test('an update says which fields it changes', async () => {
  const plan = planOf();
  plan.update(plain, { _id: ID, title: 'A' }, { fields: { pages: 1 }, position: HERE });
  const [write] = (await plan.finish()).writes;
  expect(write).toMatchObject({
    kind: 'update',
    v: 0,
    changed: ['pages', 'apiVersion', 'lastModifiedAt', 'lastModifiedBy', 'history', 'v'],
  });
});

test('two updates of one document are one write, unless they disagree or saw different states', async () => {
  const plan = planOf();
  const stored = { _id: ID, title: 'A', v: 1 };
  plan.update(plain, stored, { fields: { title: 'B' }, position: HERE });
  plan.update(plain, stored, { fields: { title: 'B', pages: 2 }, position: HERE });
  const disagree = () => plan.update(plain, stored, { fields: { pages: 3 }, position: { prefix: 'x.' } });
  expect(disagree).toThrow(
    expect.objectContaining({ items: [expect.objectContaining({ field: 'x.pages' })] }),
  );
  const other = () => plan.update(plain, { ...stored, v: 2 }, { fields: {}, position: HERE });
  expect(other).toThrow(StoreError);
  const { updated } = await plan.finish();
  expect(updated.map(({ document }) => document)).toMatchObject([{ title: 'B', pages: 2, v: 2 }]);
});

test('a document beyond 16 MB is refused', () => {
  const fields = { title: 'x'.repeat(17_000_000) };
  expect(() => planOf().insert(plain, { id: ID, fields }, HERE)).toThrow(
    expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }),
  );
});

test('the innermost sub-document comes first, and an error names the document that it is about', async () => {
  const plan = planOf();
  const authors = collectionOf('authors', { fields: FIELDS });
  plan.insert(plain, { id: ID, fields: {} }, HERE);
  plan.insert(authors, { id: 'b'.repeat(24), fields: {}, depth: 2 }, { prefix: 'sequel.author.' });
  plan.insert(plain, { id: 'c'.repeat(24), fields: {}, depth: 1 }, { prefix: 'sequel.' });
  const { writes, planned } = await plan.finish();
  expect(writes.map((write) => write.kind === 'insert' && write.document._id[0])).toEqual(['b', 'c', 'a']);
  const told = [0, 1, 2].map((index) =>
    translateCommitError(
      new StoreError('duplicate', { index, fields: ['title'] }),
      planned,
      callerNamed('ann'),
    ),
  );
  expect(told).toMatchObject(
    ['sequel.author.title', 'sequel.title', 'title'].map((field) => ({ items: [{ field }] })),
  );
});

const plannedWrite = (
  step: PlannedWrite['step'],
  collection: string,
  id: string,
  depth?: number,
): PlannedWrite => ({
  write: { kind: 'remove', ns: { database: null, collection }, id, v: 0 },
  position: { prefix: `${id}.` },
  step,
  collections: [],
  ...(depth === undefined ? {} : { depth }),
});

const ordered = (all: readonly PlannedWrite[]) =>
  orderWrites(all).map(({ write }) => (write.kind === 'remove' ? write.id : ''));

test('extra writes come first, then revisions, and removals last', () => {
  const all = [
    plannedWrite('remove', 'books', 'gone'),
    plannedWrite('update', 'books', 'changed'),
    plannedWrite('insert', 'books', 'new'),
    plannedWrite('revision', 'booksHistory', 'kept'),
    plannedWrite('extra', 'cloister.media-removals', 'noted'),
  ];
  expect(ordered(all)).toEqual(['noted', 'kept', 'new', 'changed', 'gone']);
});

test('a sub-document is written before the document that refers to it', () => {
  const all = [
    plannedWrite('insert', 'books', 'book'),
    plannedWrite('insert', 'towns', 'town', 2),
    plannedWrite('insert', 'people', 'author', 1),
    plannedWrite('insert', 'books', 'sequel', 1),
    plannedWrite('insert', 'people', 'mayor', 3),
  ];
  expect(ordered(all)).toEqual(['mayor', 'town', 'sequel', 'author', 'book']);
});

test('writes of one collection stand together, in their order', () => {
  const all = ['a', 'b', 'a', 'b', 'a'].map((collection, at) =>
    plannedWrite('insert', collection, `${collection}${at}`),
  );
  expect(ordered(all)).toEqual(['a0', 'a2', 'a4', 'b1', 'b3']);
});

test('collections of one name in several databases are not mixed', () => {
  const elsewhere = plannedWrite('insert', 'a', 'x');
  const moved = { ...elsewhere, write: { ...elsewhere.write, ns: { database: 'b', collection: 'a' } } };
  expect(ordered([plannedWrite('insert', 'a', '1'), moved, plannedWrite('insert', 'a', '2')])).toEqual([
    '1',
    '2',
    'x',
  ]);
});

test('an update through two collections of one place is held against the rules of both', async () => {
  const twin = { ...plain, version: '2.0', path: '/2.0/library/books' };
  const plan = planOf();
  const stored = { _id: ID, title: 'A', v: 1 };
  plan.update(plain, stored, { fields: { title: 'B' }, position: HERE });
  plan.update(twin, stored, { fields: { pages: 2 }, position: { prefix: 'self.' } });
  const { planned } = await plan.finish();
  expect(planned).toMatchObject([{ stored, write: { document: { title: 'B', pages: 2, v: 2 } } }]);
  expect(planned[0]?.collections).toEqual([plain, twin]);
});
