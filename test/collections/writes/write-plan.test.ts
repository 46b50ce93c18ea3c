import { expect, test } from 'vitest';
import { createWritePlan } from '../../../src/collections/writes/write-plan.ts';
import { StoreError } from '../../../src/errors.ts';
import { collectionOf } from '../library-service.ts';

const FIELDS = { title: {}, pages: { type: 'Number' } };
const plain = collectionOf('books', { fields: FIELDS });
const revised = collectionOf('books', { fields: FIELDS, settings: { storeRevisions: true } });
const ID = 'a'.repeat(24);
const HERE = { prefix: '' };

function planOf() {
  let made = 0;
  return createWritePlan({ at: 5, by: 'ann' }, () => {
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
    { fields: { title: 'C' }, origin: HERE },
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
  for (let n = 0; n < 20; n += 1) plan.update(plain, { _id: `d${n}`, v: 1 }, { fields, origin: HERE });
  await expect(plan.finish()).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE' });
});

test('is empty until something is planned', () => {
  const plans = [planOf(), planOf(), planOf()] as const;
  expect(plans.map((plan) => plan.isEmpty())).toEqual([true, true, true]);
  plans[0].insert(plain, { id: ID, fields: {} }, HERE);
  plans[1].update(plain, { _id: ID }, { fields: {}, origin: HERE });
  plans[2].remove(plain, { _id: ID });
  expect(plans.map((plan) => plan.isEmpty())).toEqual([false, false, false]);
});

test('a write beside the documents is in their commit, before them', async () => {
  const plan = planOf();
  plan.remove(plain, { v: 1, _id: 'a' });
  const note = {
    kind: 'insert',
    ns: { database: null, collection: 'notes' },
    document: { _id: 'n' },
  } as const;
  plan.addExtra(note, { prefix: '', extraWrite: 4 });
  const { writes, explain } = await plan.finish();
  expect(writes[0]).toEqual(note);
  expect(explain(new StoreError('duplicate', { index: 0, fields: ['_id'] }))).toMatchObject({ position: 4 });
});

test('an update says which fields it changes', async () => {
  const plan = planOf();
  plan.update(plain, { _id: ID, title: 'A' }, { fields: { pages: 1 }, origin: HERE });
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
  plan.update(plain, stored, { fields: { title: 'B' }, origin: HERE });
  plan.update(plain, stored, { fields: { title: 'B', pages: 2 }, origin: HERE });
  const disagree = () => plan.update(plain, stored, { fields: { pages: 3 }, origin: { prefix: 'x.' } });
  expect(disagree).toThrow(
    expect.objectContaining({ items: [expect.objectContaining({ field: 'x.pages' })] }),
  );
  const other = () => plan.update(plain, { ...stored, v: 2 }, { fields: {}, origin: HERE });
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

test('the innermost sub-document stands first, and each failure is told of the document that it came in', async () => {
  const plan = planOf();
  const authors = collectionOf('authors', { fields: FIELDS });
  plan.insert(plain, { id: ID, fields: {} }, HERE);
  plan.insert(authors, { id: 'b'.repeat(24), fields: {}, depth: 2 }, { prefix: 'sequel.author.' });
  plan.insert(plain, { id: 'c'.repeat(24), fields: {}, depth: 1 }, { prefix: 'sequel.' });
  const { writes, explain } = await plan.finish();
  expect(writes.map((write) => write.kind === 'insert' && write.document._id[0])).toEqual(['b', 'c', 'a']);
  const told = [0, 1, 2].map((index) => explain(new StoreError('duplicate', { index, fields: ['title'] })));
  expect(told).toMatchObject(
    ['sequel.author.title', 'sequel.title', 'title'].map((field) => ({ items: [{ field }] })),
  );
});
