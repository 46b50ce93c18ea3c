import { describe, expect, it } from 'vitest';
import { rebuildIndex } from '../../../../src/stores/sqlite-documents/check/index-repair.ts';
import { applyWrites } from '../../../../src/stores/sqlite-documents/commit/apply-writes.ts';
import { createCatalogue } from '../../../../src/stores/sqlite-documents/data-file/catalogue.ts';
import { dropIndex } from '../../../../src/stores/sqlite-documents/indexes/index-build.ts';
import { createWriteContext } from '../../../../src/stores/sqlite-documents/indexes/index-update.ts';
import { countMatches, createQueryContext } from '../../../../src/stores/sqlite-documents/query/execute.ts';
import { expectConsistentIndexes } from '../index-consistency.ts';
import { idOf, indexOf, insertThing, NO_LIMIT, NS, openTestDatabase } from '../test-database.ts';

const INDEX = { ...indexOf({ path: 'a' }), unique: true };

/** A server's connection, and that of a repair, on a collection whose index lacks the first rows. */
function openBroken() {
  const server = openTestDatabase();
  server.index(INDEX);
  server.fill(Array.from({ length: 30 }, (_, n) => ({ v: 0, a: n })));
  server.connection.db.exec('delete from i_1 where doc < 10');
  const connection = server.connect();
  const repair = createWriteContext({ connection, catalogue: createCatalogue(connection) });
  const count = (a: number) =>
    countMatches(
      createQueryContext(server),
      NS,
      { kind: 'field', path: 'a', tests: [{ kind: 'eq', value: a }] },
      { workLimit: NO_LIMIT },
    );
  const entries = () => {
    server.catalogue.refresh();
    return server.catalogue.get(NS)!.indexes.map(({ n, ready }) => `${n}${ready ? '' : '?'}`);
  };
  return { server, repair, count, entries };
}

const SLOWLY = { ms: -1, pause: async () => undefined };

describe('the repair of an index', () => {
  it('keeps query results right and unique keys unique from its first step on', async () => {
    const { server, repair, count, entries } = openBroken();
    expect(count(3)).toBe(0);
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
      expect([count(3), count(20)]).toEqual([1, 1]);
      expect(() => applyWrites(server, [insertThing(999, { a: 20 })], NO_LIMIT)).toThrow('duplicate');
      applyWrites(server, [insertThing(100 + pauses, { v: 0, a: 100 + pauses })], NO_LIMIT);
      expect(count(100 + pauses)).toBe(1);
    };
    expect(await rebuildIndex(repair, { n: 1, isDamaged: false }, { ms: -1, pause })).toBe('rebuilt');
    expect(pauses).toBeGreaterThan(30);
    expect(entries()).toEqual(['2']);
    expectConsistentIndexes(server);
  });

  it('continues after an interruption', async () => {
    const { server, repair, count, entries } = openBroken();
    const stopped = rebuildIndex(
      repair,
      { n: 1, isDamaged: false },
      { ms: -1, pause: () => Promise.reject(new Error('stopped')) },
    );
    await expect(stopped).rejects.toThrow('stopped');
    expect(entries()).toEqual(['1?', '2?']);
    expect(count(3)).toBe(1);
    expect(await rebuildIndex(repair, { n: 1, isDamaged: false }, SLOWLY)).toBe('rebuilt');
    expect(entries()).toEqual(['2']);
    expectConsistentIndexes(server);
  });

  it('ends also if another repair of the same index runs', async () => {
    const { server, repair, entries } = openBroken();
    const connection = server.connect();
    const other = createWriteContext({ connection, catalogue: createCatalogue(connection) });
    const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
    const repairs = [repair, other].map((writer) =>
      rebuildIndex(writer, { n: 1, isDamaged: false }, { ms: -1, pause }),
    );
    expect(await Promise.all(repairs)).toEqual(['rebuilt', 'rebuilt']);
    expect(entries()).toEqual(['2']);
    expect(await rebuildIndex(repair, { n: 1, isDamaged: false }, SLOWLY)).toBe('gone');
    expectConsistentIndexes(server);
  });

  it('ends if the index is dropped during the repair', async () => {
    const { server, repair, entries } = openBroken();
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
      if (pauses === 5) for (const n of [1, 2]) dropIndex(server, n);
    };
    expect(await rebuildIndex(repair, { n: 1, isDamaged: false }, { ms: -1, pause })).toBe('gone');
    expect(entries()).toEqual([]);
  });

  it('leaves both indexes unused if documents violate them', async () => {
    const { server, repair, count, entries } = openBroken();
    applyWrites(server, [insertThing(50, { v: 0, a: 3 })], NO_LIMIT);
    await expect(rebuildIndex(repair, { n: 1, isDamaged: false }, SLOWLY)).rejects.toMatchObject({
      reason: 'duplicate',
    });
    expect(entries()).toEqual(['1?', '2?']);
    expect(count(3)).toBe(2);
    applyWrites(server, [{ kind: 'remove', ns: NS, id: idOf(50), v: 0 }], NO_LIMIT);
    expect(await rebuildIndex(repair, { n: 1, isDamaged: false }, SLOWLY)).toBe('rebuilt');
    expectConsistentIndexes(server);
  });

  it('does not touch damaged pages', async () => {
    const { server, repair, entries } = openBroken();
    expect(await rebuildIndex(repair, { n: 1, isDamaged: true }, SLOWLY)).toBe('rebuilt');
    expect(entries()).toEqual(['2']);
    expect(server.connection.db.prepare('select count(*) from i_1').get()).toEqual([21]);
    expectConsistentIndexes(server);
  });
});
