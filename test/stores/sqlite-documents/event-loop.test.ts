// Nothing that the store does may hold the event loop, at a million documents.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MATCH_ALL } from '../../../src/stores/filter.ts';
import type { DocumentStore, Write } from '../../../src/stores/ports.ts';
import { openSqliteDocuments } from '../../../src/stores/sqlite-documents/store.ts';
import { idOf, index, query, where } from '../../contracts/store-cases.ts';
import { longestBlockMs } from '../../helpers/server-process/timing.ts';
import { createLargeCollection, LARGE_COLLECTION } from './large-collection.ts';

const COUNT = 1_000_000;
const MOST_MS = 20;

describe('the event loop at a million documents', { timeout: 60_000 }, () => {
  let path: string;
  let store: DocumentStore;

  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), 'cloister-million-'));
    await createLargeCollection(path, COUNT);
    store = await openSqliteDocuments({ path, queueLimit: 1000 });
    // The first use of a thread starts it.
    await store.count(LARGE_COLLECTION, where('title', { kind: 'eq', value: 'warm' }));
  }, 120_000);

  afterAll(async () => {
    await store.close();
    await rm(path, { recursive: true, force: true });
  });

  it('is not blocked by a scan without an index', async () => {
    const filter = where('title', { kind: 'eq', value: 'title 999999', caseInsensitive: true });
    const held = await longestBlockMs(async () => {
      expect(await store.find(LARGE_COLLECTION, query({ filter, limit: 40 }))).toMatchObject([
        { n: 999_999 },
      ]);
    });
    expect(held).toBeLessThan(MOST_MS);
  });

  it('is not blocked while a hundred thousand matches are counted', async () => {
    const filter = where('status', { kind: 'eq', value: 'draft', caseInsensitive: true });
    const held = await longestBlockMs(async () => {
      expect(await store.count(LARGE_COLLECTION, filter)).toBe(COUNT / 10);
      expect(await store.count(LARGE_COLLECTION, MATCH_ALL)).toBe(COUNT + 1);
    });
    expect(held).toBeLessThan(MOST_MS);
  });

  it('is not blocked by a deep skip', async () => {
    const held = await longestBlockMs(async () => {
      const found = await store.find(LARGE_COLLECTION, query({ skip: 900_000, limit: 40 }));
      expect(found[0]).toMatchObject({ n: 900_000 });
    });
    expect(held).toBeLessThan(MOST_MS);
  });

  it('is not blocked by a sort without an index', async () => {
    const filter = where('price', { kind: 'lt', value: 20 });
    const held = await longestBlockMs(async () => {
      const found = await store.find(
        LARGE_COLLECTION,
        query({ filter, sort: [['random', -1]], limit: 1000 }),
      );
      expect(found).toHaveLength(1000);
    });
    expect(held).toBeLessThan(MOST_MS);
  });

  it('is not blocked while ten thousand documents are written', async () => {
    const body = 'x'.repeat(400);
    const writes = Array.from(
      { length: 10_000 },
      (_, n): Write => ({
        kind: 'insert',
        ns: LARGE_COLLECTION,
        document: { _id: idOf(2_000_000 + n), v: 1, n: 2_000_000 + n, body },
      }),
    );
    const held = await longestBlockMs(() => store.commit(writes));
    expect(held).toBeLessThan(MOST_MS);
  });

  it('is not blocked while ten thousand documents are read', async () => {
    const filter = where('_id', { kind: 'gt', value: idOf(500_000) });
    const held = await longestBlockMs(async () => {
      expect(await store.find(LARGE_COLLECTION, query({ filter, limit: 10_000 }))).toHaveLength(10_000);
    });
    expect(held).toBeLessThan(MOST_MS);
  });

  it('is not blocked by an index build, nor are reads and writes', async () => {
    const { built } = await store.ensureIndexes(LARGE_COLLECTION, [index('random', { random: 1, n: -1 })]);
    const unfinished = built.then(
      () => 'finished',
      () => 'stopped',
    );
    const waits: number[] = [];
    const held = await longestBlockMs(async () => {
      for (let n = 0; n < 60; n += 1) {
        const start = performance.now();
        await store.commit([
          { kind: 'insert', ns: LARGE_COLLECTION, document: { _id: idOf(3_000_000 + n), v: 1, n } },
        ]);
        const found = await store.find(
          LARGE_COLLECTION,
          query({ filter: where('_id', { kind: 'eq', value: idOf(n + 1) }) }),
        );
        expect(found).toHaveLength(1);
        waits.push(performance.now() - start);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    expect(held).toBeLessThan(MOST_MS);
    // Each write waits for about one slice of the build at most.
    expect(waits.toSorted((a, b) => a - b)[30]).toBeLessThan(250);
    await store.close();
    expect(await unfinished).toMatch(/^(?:finished|stopped)$/);
    store = await openSqliteDocuments({ path, queueLimit: 1000 });
  });

  it('can end a query at its deadline', async () => {
    const filter = where('body', { kind: 'regex', pattern: 'x+y+z+$', flags: 'i' });
    const start = Date.now();
    const late = store.find(LARGE_COLLECTION, query({ filter }), { deadline: start + 300 });
    await expect(late).rejects.toMatchObject({ reason: 'timeout' });
    expect(Date.now() - start).toBeLessThan(2000);
  });
});
