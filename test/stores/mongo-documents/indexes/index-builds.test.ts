// Indexes made together, one by one or not at all.
import { expect, test } from 'vitest';
import {
  type BuildTarget,
  buildAll,
  buildAllOrNone,
  dropAll,
  freeSlots,
  indexBuild,
  planFor,
  remainingSlots,
  shadowBuilds,
  waitForBuilds,
} from '../../../../src/stores/mongo-documents/indexes/index-builds.ts';
import { failureOf, index } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/mongo-servers.ts';
import { foldingIndex, openBench, SPACE } from './workbench.ts';

const UNIQUE = { unique: true };

async function openSite(server: string) {
  const bench = await openBench(server);
  const closing = new AbortController();
  const site: BuildTarget = { connection: bench.connection, ns: SPACE, closing: closing.signal };
  const wishes = async (...definitions: ReturnType<typeof index>[]) => {
    const plan = await planFor(site, definitions);
    return [...plan.placements.map(indexBuild), ...shadowBuilds(plan)];
  };
  return { ...bench, site, closing, wishes };
}

describeMongo('indexes of one name space', ({ standalone }) => {
  test('are made together, recorded first, and asked for again at no cost', async () => {
    const { site, wishes, names, recorded } = await openSite(standalone);
    const declared = [foldingIndex('a', { a: 1 }), index('b', { b: 1 }, UNIQUE)];
    expect(await buildAll(site, await wishes(...declared))).toEqual([]);
    expect((await names()).sort()).toEqual(['a', 'a~folded', 'b']);
    expect((await recorded()).sort()).toEqual(['a', 'a~folded', 'b']);
    expect(await buildAll(site, await wishes(...declared))).toEqual([]);
    await waitForBuilds(
      site,
      (await wishes(...declared)).map(({ spec }) => spec),
    );
    expect(await dropAll(site, (await planFor(site, [])).undeclared)).toEqual([]);
    expect([await names(), await recorded()]).toEqual([[], []]);
  });

  test('are made one by one where one is refused', async () => {
    const { site, wishes, books, names, recorded } = await openSite(standalone);
    await books.insertOne({ a: [1], b: [1] });
    const failures = await buildAll(site, await wishes(index('ab', { a: 1, b: 1 }), index('a', { a: 1 })));
    expect(failures).toMatchObject([
      { wish: { spec: { name: 'ab' } }, error: { reason: 'parallel-arrays', fields: ['a', 'b'] } },
    ]);
    expect([await names(), await recorded()]).toEqual([['a'], ['a']]);
  });

  test('are made in spite of one whose path means two things in a list', async () => {
    const { site, wishes, books, names, connection } = await openSite(standalone);
    await books.insertOne({ list: ['x', { 0: 'y' }] });
    const odd = index('odd', { 'list.0': 1 });
    const failures = await buildAll(site, await wishes(odd, index('a', { a: 1 })));
    expect(failures).toMatchObject([{ error: { reason: 'parallel-arrays', fields: ['list.0'] } }]);
    expect(await names()).toEqual(['a']);
    await books.deleteMany({});
    expect(await buildAll(site, await wishes(odd))).toEqual([]);
    const insert = connection.run({}, (scope) => scope.collection(SPACE).insertOne({ list: [{ 0: 'y' }] }));
    expect(await failureOf(insert)).toMatchObject({ reason: 'parallel-arrays' });
  });

  test('are all there or none', async () => {
    const { site, wishes, books, names, recorded } = await openSite(standalone);
    await books.insertMany([{ a: 1, b: [1], c: [1] }, { a: 1 }]);
    const a = index('a', { a: 1 }, UNIQUE);
    const bc = index('bc', { b: 1, c: 1 }, UNIQUE);
    const withX = index('x', { x: 1, b: 1 }, UNIQUE);
    const duplicate = buildAllOrNone(site, await wishes(withX, a));
    expect(await failureOf(duplicate)).toMatchObject({ reason: 'duplicate', fields: ['a'] });
    const parallel = buildAllOrNone(site, await wishes(withX, bc));
    expect(await failureOf(parallel)).toMatchObject({ reason: 'parallel-arrays', fields: ['b', 'c'] });
    expect([await names(), await recorded()]).toEqual([[], []]);
    await buildAllOrNone(site, await wishes(withX));
    expect(await names()).toEqual(['x']);
  });

  test('make room for others: what is not declared goes first, then twins', async () => {
    const { site, wishes, names } = await openSite(standalone);
    await buildAll(site, await wishes(foldingIndex('a', { a: 1 }), index('old', { old: 1 })));
    const plan = await planFor(site, [foldingIndex('a', { a: 1 })]);
    expect(remainingSlots(plan, 60)).toBe(0);
    expect(await freeSlots(site, plan, 60)).toBe(false);
    expect(await freeSlots(site, plan, 61)).toBe(true);
    expect(await names()).toEqual(['a', 'a~folded']);
    expect(await freeSlots(site, await planFor(site, [foldingIndex('a', { a: 1 })]), 63)).toBe(true);
    expect(await names()).toEqual(['a']);
    expect(await freeSlots(site, await planFor(site, [index('a', { a: 1 })]), 63)).toBe(false);
  });

  test('are not waited for by a store that is closing', async () => {
    const { site, wishes, closing } = await openSite(standalone);
    const asked = await wishes(index('a', { a: 1 }));
    closing.abort();
    expect(await failureOf(buildAll(site, asked))).toMatchObject({ reason: 'unavailable' });
  });
});
