import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Namespace, Write } from '../../../src/stores/ports.ts';
import { applyWrites } from '../../../src/stores/sqlite-documents/commit/apply-writes.ts';
import { createIndexMigrator } from '../../../src/stores/sqlite-documents/index-migrator.ts';
import { expectConsistentIndexes } from './index-consistency.ts';
import { openStoreParts } from './store-parts.ts';
import { idOf, indexOf, insertThing, NO_LIMIT, NS } from './test-database.ts';

const A = indexOf({ path: 'a' });
const B = { ...indexOf({ path: 'b' }), unique: true };

function names({ bench }: ReturnType<typeof openStoreParts>) {
  bench.catalogue.refresh();
  return bench.catalogue.get(NS)?.indexes.map((index) => `${index.name}${index.ready ? '' : '?'}`);
}

describe('declared indexes', () => {
  it('are ready at once on an empty collection', async () => {
    const joined = openStoreParts();
    await joined.indexing.ensure(NS, [A, B]);
    expect(names(joined)).toEqual(['a', 'b']);
    expect(joined.asked).toEqual([]);
  });

  it('are built on the main thread for small collections, on the writer thread for large ones', async () => {
    const joined = openStoreParts();
    joined.bench.fill(Array.from({ length: 10 }, (_, n) => ({ a: n, b: n })));
    await (await joined.indexing.ensure(NS, [A])).built;
    expect(joined.asked).toEqual([]);
    const large = openStoreParts();
    large.bench.fill(Array.from({ length: 1000 }, (_, n) => ({ a: n, b: n, pad: 'x'.repeat(500) })));
    const { built } = await large.indexing.ensure(NS, [A, B]);
    expect(names(large)).toContain('b');
    await built;
    expect(names(large)).toEqual(['a', 'b']);
    expect(new Set(large.asked)).toEqual(new Set(['gather', 'fill', 'discard']));
  });

  it('do not change when declared again, and are replaced when changed', async () => {
    const joined = openStoreParts();
    await joined.indexing.ensure(NS, [A, B]);
    const before = joined.bench.catalogue.get(NS)?.indexes.map((index) => index.n);
    await joined.indexing.ensure(NS, [{ ...B }, { ...A }]);
    expect(joined.bench.catalogue.get(NS)?.indexes.map((index) => index.n)).toEqual(before);
    await joined.indexing.ensure(NS, [{ ...A, sparse: true }]);
    expect(names(joined)).toEqual(['a']);
    expect(joined.bench.catalogue.get(NS)?.indexes[0]?.definition.sparse).toBe(true);
  });

  it('are synchronised one after the other when declared at the same time', async () => {
    const joined = openStoreParts();
    joined.bench.fill(Array.from({ length: 500 }, (_, n) => ({ a: n, b: n, pad: 'x'.repeat(800) })));
    const all = await Promise.all([[A], [A, B], [B]].map((list) => joined.indexing.ensure(NS, list)));
    await Promise.all(all.map(({ built }) => built));
    expect(names(joined)).toEqual(['b']);
  });

  it('are dropped and reported if data violate one in the background', async () => {
    const joined = openStoreParts();
    joined.bench.fill([{ a: [1], b: [2] }]);
    const { built } = await joined.indexing.ensure(NS, [indexOf({ path: 'a' }, { path: 'b' })]);
    await expect(built).rejects.toMatchObject({ reason: 'parallel-arrays' });
    await joined.indexing.close();
    expect(joined.errors).toHaveLength(1);
    expect(names(joined)).toEqual([]);
  });

  it('are built after one that data violate', async () => {
    const joined = openStoreParts();
    joined.bench.fill([{ a: [1], b: [2] }]);
    const forbidden = indexOf({ path: 'a' }, { path: 'b' });
    const { built } = await joined.indexing.ensure(NS, [forbidden, B]);
    await expect(built).rejects.toMatchObject({ reason: 'parallel-arrays' });
    expect(names(joined)).toEqual(['b']);
    joined.bench.catalogue.refresh();
    expect(joined.bench.catalogue.get(NS)?.indexes.map(({ ready }) => ready)).toEqual([true]);
    await joined.indexing.close();
  });

  it('continue their builds after a restart', async () => {
    const joined = openStoreParts();
    joined.bench.fill(Array.from({ length: 3000 }, (_, n) => ({ a: n, pad: 'x'.repeat(200) })));
    const { built } = await joined.indexing.ensure(NS, [A]);
    const ended = built.then(
      () => 'built',
      (error: { reason: string }) => error.reason,
    );
    await joined.indexing.close();
    expect(['built', 'unavailable']).toContain(await ended);
    const { bench, threads, queue, checkpointer } = joined;
    const next = createIndexMigrator({
      writer: bench,
      threads,
      queue,
      checkpointer,
      onError: () => undefined,
    });
    await (await next.ensure(NS, [A])).built;
    expect(names(joined)).toEqual(['a']);
    expect(bench.connection.statement('select count(*) from i_1').get()).toEqual([3000]);
  });
});

/** Enough for the writer thread, in as many slices as there are documents. */
const SLICED = { limits: { smallText: 0, sliceMs: -1 } };
const C = { ...indexOf({ path: 'c' }), unique: true };
const OTHER: Namespace = { database: null, collection: 'others' };

const fill = ({ bench }: ReturnType<typeof openStoreParts>, ns = NS, count = 40) =>
  applyWrites(
    bench,
    Array.from({ length: count }, (_, n) => ({ ...insertThing(n, { v: 0, a: 'old', b: n, c: n }), ns })),
    NO_LIMIT,
  );

const change = (n: number, fields: JsonObject): Write => ({
  kind: 'update',
  ns: NS,
  id: idOf(n),
  v: 0,
  changed: ['a', 'b', 'c', 'v'],
  document: { _id: idOf(n), v: 1, ...fields },
});

describe('concurrent index builds', () => {
  it('all end, in one collection or several, unique or not', async () => {
    const joined = openStoreParts(SLICED);
    fill(joined);
    fill(joined, OTHER);
    const ensured = await Promise.all([
      joined.indexing.ensure(NS, [A, B]),
      joined.indexing.ensure(OTHER, [A, B, C]),
      joined.indexing.ensure(NS, [A, B, C]),
    ]);
    await Promise.all(ensured.map(({ built }) => built));
    expect(names(joined)).toEqual(['a', 'b', 'c']);
    expect(joined.bench.catalogue.get(OTHER)?.indexes.every(({ ready }) => ready)).toBe(true);
    expectConsistentIndexes(joined.bench);
    // Each was gathered once: none of them undid another.
    expect(joined.asked.filter((task) => task === 'gather')).toHaveLength(6 * 41);
  });

  it('let a unique one go first and then continue', async () => {
    const joined = openStoreParts(SLICED);
    fill(joined);
    const { built } = await joined.indexing.ensure(NS, [A]);
    await joined.afterTasks('gather', 10);
    await joined.indexing.ensure(NS, [A, B]);
    expect(names(joined)).toEqual(['a?', 'b']);
    await built;
    expect(names(joined)).toEqual(['a', 'b']);
    expect(joined.asked.filter((task) => task === 'gather')).toHaveLength(2 * 41);
    expectConsistentIndexes(joined.bench);
  });

  it('of the same index are one build and leave no outdated row', async () => {
    const joined = openStoreParts(SLICED);
    fill(joined);
    const first = await joined.indexing.ensure(NS, [A]);
    await joined.afterTasks('gather', 10);
    const second = await joined.indexing.ensure(NS, [{ ...A }]);
    await joined.afterTasks('fill', 1);
    const writes = [change(3, { a: 'new' }), { kind: 'remove', ns: NS, id: idOf(4), v: 0 } as const];
    await joined.commits.commit(writes, {});
    const third = await joined.indexing.ensure(NS, [A, { ...A, name: 'second', sparse: true }]);
    await Promise.all([first.built, second.built]);
    await joined.commits.commit([change(5, { a: 'new' }), change(6, {})], {});
    await third.built;
    expect(joined.asked.filter((task) => task === 'gather').length).toBeLessThanOrEqual(41 + 40);
    expect(names(joined)).toEqual(['a', 'second']);
    expectConsistentIndexes(joined.bench);
  });

  it('are cancelled when their index is dropped, in every step', async () => {
    const joined = openStoreParts(SLICED);
    fill(joined);
    const first = await joined.indexing.ensure(NS, [A]);
    await joined.afterTasks('gather', 5);
    const second = await joined.indexing.ensure(NS, [{ ...A, sparse: true }]);
    await first.built;
    await joined.afterTasks('fill', 1);
    await joined.indexing.ensure(NS, []);
    await second.built;
    expect(names(joined)).toEqual([]);
    expect(joined.errors).toEqual([]);
    expectConsistentIndexes(joined.bench);
  });

  it('continue at the next start', async () => {
    const joined = openStoreParts(SLICED);
    fill(joined);
    fill(joined, OTHER);
    const { bench } = joined;
    for (const [ns, definition] of [
      [NS, A],
      [NS, B],
      [OTHER, C],
      [OTHER, A],
    ] as const) {
      bench.catalogue.refresh();
      bench.catalogue.addIndex(bench.catalogue.ensure(ns), definition, false);
    }
    const ensured = [await joined.indexing.ensure(NS, [A, B]), await joined.indexing.ensure(OTHER, [C, A])];
    await Promise.all(ensured.map(({ built }) => built));
    expect(names(joined)).toEqual(['a', 'b']);
    expect(bench.catalogue.get(NS)?.indexes.map(({ n }) => n)).toEqual([1, 2]);
    expectConsistentIndexes(bench);
  });
});

describe('a failed build', () => {
  it.each([
    ['gather', 7],
    ['fill', 1],
  ] as const)('in %s is begun anew from nothing', async (task, at) => {
    const joined = openStoreParts(SLICED);
    fill(joined);
    joined.failAt(task, at, new StoreError('unavailable', { cause: 'disk is full' }));
    const failed = await joined.indexing.ensure(NS, [A]);
    await expect(failed.built).rejects.toMatchObject({ reason: 'unavailable' });
    expect(joined.errors).toHaveLength(1);
    expect(names(joined)).toEqual(['a?']);
    await joined.commits.commit([change(3, { a: 'new' })], {});
    await (await joined.indexing.ensure(NS, [A])).built;
    expect(names(joined)).toEqual(['a']);
    expectConsistentIndexes(joined.bench);
  });

  it('removes its unique index, and others continue', async () => {
    const joined = openStoreParts(SLICED);
    fill(joined);
    await joined.commits.commit([change(3, { a: 'new', c: 4 })], {});
    const { built } = await joined.indexing.ensure(NS, [A]);
    await expect(joined.indexing.ensure(NS, [A, C])).rejects.toMatchObject({
      reason: 'duplicate',
      fields: ['c'],
    });
    await built;
    expect(names(joined)).toEqual(['a']);
    await joined.commits.commit([change(5, { c: 4 })], {});
    expectConsistentIndexes(joined.bench);
  });
});

describe('an index under repair', () => {
  it('is completed at the next start if the repair was interrupted', async () => {
    const joined = openStoreParts(SLICED);
    const { bench } = joined;
    fill(joined);
    await joined.indexing.ensure(NS, [B]);
    bench.connection.db.exec('delete from i_1 where doc < 9; update indexes set ready = 0');
    bench.catalogue.invalidate();
    bench.catalogue.refresh();
    bench.catalogue.addIndex(bench.catalogue.ensure(NS), B, false);
    await joined.indexing.ensure(NS, [{ ...B }]);
    expect(names(joined)).toEqual(['b']);
    expect(bench.catalogue.get(NS)?.indexes).toMatchObject([{ n: 2 }]);
    expectConsistentIndexes(bench);
  });
});
