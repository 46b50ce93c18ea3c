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
  waitForBuilds,
} from '../../../../src/stores/mongo-documents/indexes/index-builds.ts';
import { failureOf, index } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/store/mongo-servers.ts';
import { openBench, SPACE } from './workbench.ts';

const UNIQUE = { unique: true };

async function openSite(server: string) {
  const bench = await openBench(server);
  const closing = new AbortController();
  const target: BuildTarget = { connection: bench.connection, ns: SPACE, closing: closing.signal };
  const builds = async (...definitions: ReturnType<typeof index>[]) => {
    const plan = await planFor(target, definitions);
    return plan.placements.map(indexBuild);
  };
  return { ...bench, target, closing, builds };
}

describeMongo('index builds of one collection', ({ standalone }) => {
  test('run together, are recorded first, and are repeated at no cost', async () => {
    const { target, builds, names, recorded } = await openSite(standalone);
    const declared = [index('a', { a: 1 }), index('b', { b: 1 }, UNIQUE)];
    expect(await buildAll(target, await builds(...declared))).toEqual([]);
    expect((await names()).sort()).toEqual(['a', 'b']);
    expect((await recorded()).sort()).toEqual(['a', 'b']);
    expect(await buildAll(target, await builds(...declared))).toEqual([]);
    await waitForBuilds(
      target,
      (await builds(...declared)).map(({ spec }) => spec),
    );
    expect(await dropAll(target, (await planFor(target, [])).undeclared)).toEqual([]);
    expect([await names(), await recorded()]).toEqual([[], []]);
  });

  test('run one by one if one fails', async () => {
    const { target, builds, books, names, recorded } = await openSite(standalone);
    await books.insertOne({ a: [1], b: [1] });
    const failures = await buildAll(target, await builds(index('ab', { a: 1, b: 1 }), index('a', { a: 1 })));
    expect(failures).toMatchObject([
      { build: { spec: { name: 'ab' } }, error: { reason: 'parallel-arrays', fields: ['a', 'b'] } },
    ]);
    expect([await names(), await recorded()]).toEqual([['a'], ['a']]);
  });

  test('succeed in spite of one with an ambiguous path', async () => {
    const { target, builds, books, names, connection } = await openSite(standalone);
    await books.insertOne({ list: ['x', { 0: 'y' }] });
    const odd = index('odd', { 'list.0': 1 });
    const failures = await buildAll(target, await builds(odd, index('a', { a: 1 })));
    expect(failures).toMatchObject([{ error: { reason: 'parallel-arrays', fields: ['list.0'] } }]);
    expect(await names()).toEqual(['a']);
    await books.deleteMany({});
    expect(await buildAll(target, await builds(odd))).toEqual([]);
    const insert = connection.run({}, (scope) => scope.collection(SPACE).insertOne({ list: [{ 0: 'y' }] }));
    expect(await failureOf(insert)).toMatchObject({ reason: 'parallel-arrays' });
  });

  test('succeed all or none', async () => {
    const { target, builds, books, names, recorded } = await openSite(standalone);
    await books.insertMany([{ a: 1, b: [1], c: [1] }, { a: 1 }]);
    const a = index('a', { a: 1 }, UNIQUE);
    const bc = index('bc', { b: 1, c: 1 }, UNIQUE);
    const withX = index('x', { x: 1, b: 1 }, UNIQUE);
    const duplicate = buildAllOrNone(target, await builds(withX, a));
    expect(await failureOf(duplicate)).toMatchObject({ reason: 'duplicate', fields: ['a'] });
    const parallel = buildAllOrNone(target, await builds(withX, bc));
    expect(await failureOf(parallel)).toMatchObject({ reason: 'parallel-arrays', fields: ['b', 'c'] });
    expect([await names(), await recorded()]).toEqual([[], []]);
    await buildAllOrNone(target, await builds(withX));
    expect(await names()).toEqual(['x']);
  });

  test('drop undeclared indexes to free slots', async () => {
    const { target, builds, names } = await openSite(standalone);
    await buildAll(target, await builds(index('a', { a: 1 }), index('old', { old: 1 })));
    const plan = await planFor(target, [index('a', { a: 1 })]);
    expect(await freeSlots(target, plan, 61)).toBe(false);
    expect(await freeSlots(target, plan, 62)).toBe(true);
    expect(await names()).toEqual(['a']);
    expect(await freeSlots(target, await planFor(target, [index('a', { a: 1 })]), 63)).toBe(false);
  });

  test('are not awaited by a store that is closing', async () => {
    const { target, builds, closing } = await openSite(standalone);
    const asked = await builds(index('a', { a: 1 }));
    closing.abort();
    expect(await failureOf(buildAll(target, asked))).toMatchObject({ reason: 'unavailable' });
  });
});
