import { expect, test } from 'vitest';
import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import { createReadView } from '../../../src/collections/reads/prepare-read.ts';
import { createEnrich } from '../../../src/collections/reads/read-page.ts';
import { MATCH_ALL } from '../../../src/stores/filter.ts';
import type { Projection } from '../../../src/stores/ports.ts';
import { collectionOf, contextOf } from '../library-service.ts';

const books = collectionOf('books', { fields: { title: {} } });
const ID = 'a'.repeat(24);

const REVISIONS = { filter: MATCH_ALL, projection: undefined };

const enrich = createEnrich({
  store: { findText: async () => [] },
  registry: createCollectionRegistry(),
  histories: { completeHistories: async (_collection, documents) => documents },
  composer: {
    compose: async (_collection, documents) => documents.map((text) => `${text.slice(0, -1)},"composed":{}}`),
  },
  maxRevisions: 5,
});

const viewOf = (changes: Partial<Parameters<typeof createReadView>[0]>) =>
  createReadView({
    projection: undefined,
    compose: false,
    revisions: undefined,
    storeRevisions: false,
    ...changes,
  });

test('a view reads what the response shows where nothing is put into the documents', () => {
  const projection = { include: ['title'], exclude: ['_id'] };
  expect(viewOf({ projection })).toMatchObject({ projection, hideId: false });
  expect(viewOf({ projection, storeRevisions: true })).toMatchObject({ projection, hideId: false });
  expect(viewOf({ storeRevisions: true }).projection).toBeUndefined();
});

test('a view reads a hidden id where revisions, composition or long histories need it', () => {
  const hidesId = (projection: Projection, changes: Parameters<typeof viewOf>[0]) =>
    viewOf({ projection, ...changes }).hideId;
  const excluded = { exclude: ['_id'] };
  expect(hidesId(excluded, { compose: true })).toBe(true);
  expect(hidesId(excluded, { revisions: REVISIONS })).toBe(true);
  expect(hidesId(excluded, { storeRevisions: true })).toBe(true);
  expect(hidesId({ exclude: ['_id', 'history'] }, { storeRevisions: true })).toBe(false);
  expect(hidesId({ exclude: ['title'] }, { compose: true })).toBe(false);
});

test('a view reads the history where revisions replace its ids', () => {
  const projection = { include: ['title'], exclude: ['_id'] };
  expect(viewOf({ projection, compose: true }).projection).toEqual({ include: ['title'], exclude: [] });
  expect(viewOf({ projection, revisions: REVISIONS }).projection).toEqual({
    include: ['title', 'history'],
    exclude: [],
  });
});

test('documents get revisions, then composition, and lose a hidden id last', async () => {
  const view = viewOf({ projection: { exclude: ['_id'] }, compose: true, revisions: REVISIONS });
  expect(await enrich(books, [`{"title":"A","_id":"${ID}"}`], view, contextOf())).toEqual([
    '{"title":"A","history":[],"composed":{}}',
  ]);
});
