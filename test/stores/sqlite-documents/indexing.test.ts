import { describe, expect, it } from 'vitest';
import { createIndexing } from '../../../src/stores/sqlite-documents/indexing.ts';
import { openJoined } from './joined.ts';
import { indexOf, NS } from './workbench.ts';

const A = indexOf({ path: 'a' });
const B = { ...indexOf({ path: 'b' }), unique: true };

function names({ bench }: ReturnType<typeof openJoined>) {
  bench.catalogue.refresh();
  return bench.catalogue.get(NS)?.indexes.map((index) => `${index.name}${index.ready ? '' : '?'}`);
}

describe('declared indexes', () => {
  it('are there at once on an empty collection', async () => {
    const joined = openJoined();
    await joined.indexing.ensure(NS, [A, B]);
    expect(names(joined)).toEqual(['a', 'b']);
    expect(joined.asked).toEqual([]);
  });

  it('are built on the main thread for little data, on the writer thread for more', async () => {
    const joined = openJoined();
    joined.bench.fill(Array.from({ length: 10 }, (_, n) => ({ a: n, b: n })));
    await (await joined.indexing.ensure(NS, [A])).built;
    expect(joined.asked).toEqual([]);
    const large = openJoined();
    large.bench.fill(Array.from({ length: 1000 }, (_, n) => ({ a: n, b: n, pad: 'x'.repeat(500) })));
    const { built } = await large.indexing.ensure(NS, [A, B]);
    expect(names(large)).toContain('b');
    await built;
    expect(names(large)).toEqual(['a', 'b']);
    expect(new Set(large.asked)).toEqual(new Set(['gather', 'fill', 'discard']));
  });

  it('are the same when said again, and replaced when changed', async () => {
    const joined = openJoined();
    await joined.indexing.ensure(NS, [A, B]);
    const before = joined.bench.catalogue.get(NS)?.indexes.map((index) => index.n);
    await joined.indexing.ensure(NS, [{ ...B }, { ...A }]);
    expect(joined.bench.catalogue.get(NS)?.indexes.map((index) => index.n)).toEqual(before);
    await joined.indexing.ensure(NS, [{ ...A, sparse: true }]);
    expect(names(joined)).toEqual(['a']);
    expect(joined.bench.catalogue.get(NS)?.indexes[0]?.definition.sparse).toBe(true);
  });

  it('follow one another when declared at the same time', async () => {
    const joined = openJoined();
    joined.bench.fill(Array.from({ length: 500 }, (_, n) => ({ a: n, b: n, pad: 'x'.repeat(800) })));
    const all = await Promise.all([[A], [A, B], [B]].map((list) => joined.indexing.ensure(NS, list)));
    await Promise.all(all.map(({ built }) => built));
    expect(names(joined)).toEqual(['b']);
  });

  it('report data that break one in the background, and drop it', async () => {
    const joined = openJoined();
    joined.bench.fill([{ a: [1], b: [2] }]);
    const { built } = await joined.indexing.ensure(NS, [indexOf({ path: 'a' }, { path: 'b' })]);
    await expect(built).rejects.toMatchObject({ reason: 'parallel-arrays' });
    await joined.indexing.close();
    expect(joined.errors).toHaveLength(1);
    expect(names(joined)).toEqual([]);
  });

  it('are built after one that data forbid', async () => {
    const joined = openJoined();
    joined.bench.fill([{ a: [1], b: [2] }]);
    const forbidden = indexOf({ path: 'a' }, { path: 'b' });
    const { built } = await joined.indexing.ensure(NS, [forbidden, B]);
    await expect(built).rejects.toMatchObject({ reason: 'parallel-arrays' });
    expect(names(joined)).toEqual(['b']);
    joined.bench.catalogue.refresh();
    expect(joined.bench.catalogue.get(NS)?.indexes.map(({ ready }) => ready)).toEqual([true]);
    await joined.indexing.close();
  });

  it('go on after a restart where they stopped', async () => {
    const joined = openJoined();
    joined.bench.fill(Array.from({ length: 3000 }, (_, n) => ({ a: n, pad: 'x'.repeat(200) })));
    const { built } = await joined.indexing.ensure(NS, [A]);
    const ended = built.then(
      () => 'built',
      (error: { reason: string }) => error.reason,
    );
    await joined.indexing.close();
    expect(['built', 'unavailable']).toContain(await ended);
    const { bench, threads, queue, wal } = joined;
    const next = createIndexing({ writer: bench, threads, queue, wal, onError: () => undefined });
    await (await next.ensure(NS, [A])).built;
    expect(names(joined)).toEqual(['a']);
    expect(bench.connection.statement('select count(*) from i_1').get()).toEqual([3000]);
  });
});
