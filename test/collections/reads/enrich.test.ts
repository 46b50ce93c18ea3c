import { expect, test } from 'vitest';
import { createEnricher, needsNoEnrichment, type ReadView } from '../../../src/collections/reads/enrich.ts';
import { MATCH_ALL } from '../../../src/stores/filter.ts';
import type { Projection } from '../../../src/stores/ports.ts';
import { collectionOf, contextOf } from '../library-service.ts';

const books = collectionOf('books', { fields: { title: {} } });
const ID = 'a'.repeat(24);

const REVISIONS = { filter: MATCH_ALL, projection: undefined };

const enricher = createEnricher({
  store: { findText: async () => [] },
  historyLoader: { completeHistories: async (_collection, documents) => documents },
  composer: {
    compose: async (_collection, documents) => documents.map((text) => `${text.slice(0, -1)},"composed":{}}`),
  },
  maxRevisions: 5,
});

const view = (changes: Partial<ReadView>): ReadView => ({
  projection: undefined,
  compose: false,
  revisions: undefined,
  histories: false,
  ...changes,
});

test('a view is plain when nothing is put into the documents', () => {
  expect(needsNoEnrichment(view({ projection: { include: ['a'] } }))).toBe(true);
  expect(needsNoEnrichment(view({ compose: true }))).toBe(false);
  expect(needsNoEnrichment(view({ revisions: REVISIONS }))).toBe(false);
  expect(needsNoEnrichment(view({ histories: true }))).toBe(true);
  const hidden = (projection: Projection) => needsNoEnrichment(view({ projection, histories: true }));
  expect(hidden({ exclude: ['_id'] })).toBe(false);
  expect(hidden({ exclude: ['_id', 'history'] })).toBe(true);
  expect(hidden({ include: ['title'], exclude: ['_id'] })).toBe(true);
});

test('reads the id and the history where they are needed on the way', () => {
  const projection = { include: ['title'], exclude: ['_id'] };
  expect(enricher.storeProjection(view({ projection }))).toBe(projection);
  expect(enricher.storeProjection(view({ projection, compose: true }))).toEqual({
    include: ['title'],
    exclude: [],
  });
  expect(enricher.storeProjection(view({ projection, revisions: REVISIONS }))).toEqual({
    include: ['title', 'history'],
    exclude: [],
  });
});

test('applies revisions, then composition, then hides the id again', async () => {
  const hidden = view({ projection: { exclude: ['_id'] }, compose: true, revisions: REVISIONS });
  expect(await enricher.enrich(books, [`{"title":"A","_id":"${ID}"}`], hidden, contextOf())).toEqual([
    '{"title":"A","history":[],"composed":{}}',
  ]);
});
