// Nothing that the store does may hold the event loop, at a million documents.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MATCH_ALL } from '../../../src/stores/filter.ts';
import type { DocumentStore, Write } from '../../../src/stores/ports.ts';
import { openSqliteDocuments } from '../../../src/stores/sqlite-documents/store.ts';
import { idOf, index, query, where } from '../../contracts/store-cases.ts';
import { longestBlockMs, loopMs, TRIES } from '../../helpers/server-process/timing.ts';
import { createLargeCollection, LARGE_COLLECTION } from './large-collection.ts';

const COUNT = 1_000_000;
/** Milliseconds of processor time, of the event loop's thread. */
const MOST_MS = 20;
/** Milliseconds of processor time, of all threads. */
const MOST_SCAN_MS = 2000;

describe('the event loop at a million documents', () => {
  let path: string;
  let store: DocumentStore;

  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), 'cloister-million-'));
    await createLargeCollection(path, COUNT);
    store = await openSqliteDocuments({ path, queueLimit: 1000 });
    // The first use of a thread starts it.
    await store.count(LARGE_COLLECTION, where('title', { kind: 'eq', value: 'warm' }));
  });

  afterAll(async () => {
    await store.close();
    await rm(path, { recursive: true, force: true });
  });

  it('is not blocked by a scan without an index', async () => {
    const filter = where('title', { kind: 'eq', value: 'title 999999', caseInsensitive: true });
    const held = await longestBlockMs(MOST_MS, async () => {
      expect(await store.find(LARGE_COLLECTION, query({ filter, limit: 40 }))).toMatchObject([
        { n: 999_999 },
      ]);
    });
    expect(held).toBeLessThan(MOST_MS);
  });

  it('is not blocked while a hundred thousand matches are counted', async () => {
    const filter = where('status', { kind: 'eq', value: 'draft', caseInsensitive: true });
    const held = await longestBlockMs(MOST_MS, async () => {
      expect(await store.count(LARGE_COLLECTION, filter)).toBe(COUNT / 10);
      expect(await store.count(LARGE_COLLECTION, MATCH_ALL)).toBe(COUNT + 1);
    });
    expect(held).toBeLessThan(MOST_MS);
  });

  it('is not blocked by a deep skip', async () => {
    const held = await longestBlockMs(MOST_MS, async () => {
      const found = await store.find(LARGE_COLLECTION, query({ skip: 900_000, limit: 40 }));
      expect(found[0]).toMatchObject({ n: 900_000 });
    });
    expect(held).toBeLessThan(MOST_MS);
  });

  it('is not blocked by a sort without an index', async () => {
    const filter = where('price', { kind: 'lt', value: 20 });
    const held = await longestBlockMs(MOST_MS, async () => {
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
    const insert = (n: number): Write => {
      const document = { _id: idOf(n), v: 1, n, body };
      return { kind: 'insert', ns: LARGE_COLLECTION, document };
    };
    const writesOf = (attempt: number) =>
      Array.from({ length: 10_000 }, (_, n) => insert(2_000_000 + attempt * 10_000 + n));
    const commits = Array.from({ length: TRIES }, (_, attempt) => writesOf(attempt));
    const held = await longestBlockMs(MOST_MS, (attempt) => store.commit(commits[attempt]!));
    expect(held).toBeLessThan(MOST_MS);
  });

  it('is not blocked while ten thousand documents are read', async () => {
    const filter = where('_id', { kind: 'gt', value: idOf(500_000) });
    const held = await longestBlockMs(MOST_MS, async () => {
      expect(await store.find(LARGE_COLLECTION, query({ filter, limit: 10_000 }))).toHaveLength(10_000);
    });
    expect(held).toBeLessThan(MOST_MS);
  });

  it('is not blocked by an index build, nor are reads and writes', async () => {
    const builds: Promise<string>[] = [];
    const held = await longestBlockMs(MOST_MS, async (attempt) => {
      const declared = index(`random${attempt}`, { random: 1, n: -1 });
      const { built } = await store.ensureIndexes(LARGE_COLLECTION, [declared]);
      let isBuilding = true;
      const end = (how: string) => () => {
        isBuilding = false;
        return how;
      };
      builds.push(built.then(end('finished'), end('stopped')));
      for (let n = 0; n < 60; n += 1) {
        const _id = idOf(3_000_000 + attempt * 60 + n);
        await store.commit([{ kind: 'insert', ns: LARGE_COLLECTION, document: { _id, v: 1, n } }]);
        const filter = where('_id', { kind: 'eq', value: idOf(n + 1) });
        expect(await store.find(LARGE_COLLECTION, query({ filter }))).toHaveLength(1);
        await new Promise((resolve) => setImmediate(resolve));
      }
      // They waited for slices of the build, not for all of it.
      expect(isBuilding).toBe(true);
    });
    expect(held).toBeLessThan(MOST_MS);
    await store.close();
    for (const end of await Promise.all(builds)) expect(end).toMatch(/^(?:finished|stopped)$/);
    store = await openSqliteDocuments({ path, queueLimit: 1000 });
  });

  it('can end a query at its deadline', async () => {
    const filter = where('body', { kind: 'regex', pattern: 'x+y+z+$', flags: 'i' });
    const before = process.cpuUsage();
    const took = await loopMs(async () => {
      const late = store.find(LARGE_COLLECTION, query({ filter }), { deadline: Date.now() + 300 });
      await expect(late).rejects.toMatchObject({ reason: 'timeout' });
    });
    expect(took).toBeLessThan(MOST_SCAN_MS);
    const { user, system } = process.cpuUsage(before);
    // Of about 5000 for all documents.
    expect((user + system) / 1000).toBeLessThan(MOST_SCAN_MS);
  });
});
