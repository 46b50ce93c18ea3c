// Random documents and queries: with any indexes, a store must find what plain evaluation finds, in the same order.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { createPredicate } from '../../src/stores/matching/filter-predicate.ts';
import type { DocumentStore, Namespace, StoredDocument, Write } from '../../src/stores/ports.ts';
import { compareDocuments } from '../helpers/store/compare-documents.ts';
import { definition, fields, filter, sort } from './arbitraries.ts';
import { filterChoice, matchingFilter } from './matching-filters.ts';
import { randomRuns, timeoutFor } from './random-runs.ts';

let round = 0;

function outcome(work: () => readonly JsonObject[]): readonly JsonObject[] | 'refused' {
  try {
    return work();
  } catch {
    return 'refused';
  }
}

async function fill(
  store: DocumentStore,
  ns: Namespace,
  documents: readonly StoredDocument[],
): Promise<void> {
  for (const document of documents) {
    const write: Write = { kind: 'insert', ns, document };
    await store.commit([write]).catch((error: { reason: string }) => {
      if (error.reason !== 'parallel-arrays') throw error;
    });
  }
}

/** Registers the test; `current` gives the store of the moment. */
export function documentStoreDifferential(current: () => DocumentStore, runs: number): void {
  it('finds what plain evaluation finds, whatever the indexes', { timeout: timeoutFor(runs) }, async () => {
    const asking = fc.record({
      asked: fc.oneof(filter, filterChoice),
      sort,
      skip: fc.nat(3),
      limit: fc.constantFrom(2, 100),
    });
    const queries = fc.array(asking, { minLength: 25, maxLength: 25 });
    const content = fc.array(fields, { minLength: 1, maxLength: 12 });
    const indexes = fc.array(definition, { maxLength: 3 });
    const property = fc.asyncProperty(content, indexes, queries, async (contents, definitions, asked) => {
      const store = current();
      round += 1;
      const ns = { database: null, collection: `random-${round}` };
      const documents = contents.map((entry, at) => ({
        _id: (at * 7919).toString(16).padStart(24, '0'),
        ...entry,
      }));
      const early = documents.slice(0, documents.length / 2);
      await fill(store, ns, early);
      const named = definitions.map((entry, at) => ({ ...entry, name: `i${at}` }));
      const { built } = await store.ensureIndexes(ns, named);
      await built.catch(() => undefined);
      await fill(store, ns, documents.slice(early.length));
      const stored = await store.find(ns, {
        filter: { kind: 'and', filters: [] },
        sort: [],
        skip: 0,
        limit: 1000,
      });
      for (const { asked: drawn, ...page } of asked) {
        const ask = { ...page, filter: 'choices' in drawn ? matchingFilter(drawn, stored) : drawn };
        const matches = stored.filter(createPredicate(ask.filter));
        const expected = outcome(() =>
          matches.toSorted(compareDocuments(ask.sort)).slice(ask.skip, ask.skip + ask.limit),
        );
        const found = await store.find(ns, ask).catch((error: { reason: string }) => {
          if (error.reason === 'parallel-arrays') return 'refused' as const;
          throw error;
        });
        // An index cannot hold what a sort refuses, so only a store without one may refuse more or less.
        if (expected !== 'refused' && found !== 'refused') {
          expect(found.map((document) => document['_id'])).toEqual(
            expected.map((document) => document['_id']),
          );
        }
        expect(await store.count(ns, ask.filter)).toBe(matches.length);
      }
    });
    await fc.assert(property, randomRuns(runs));
  });
}
