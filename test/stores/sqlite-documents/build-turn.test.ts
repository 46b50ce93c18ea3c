// Two stores with one data file, as two processes have: one of them builds an index, the other waits for it.
import { expect, it } from 'vitest';
import { MATCH_ALL } from '../../../src/stores/filter.ts';
import { createBuildTurn } from '../../../src/stores/sqlite-documents/build-turn.ts';
import { openSqliteDocuments } from '../../../src/stores/sqlite-documents/store.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const NS = { database: null, collection: 'things' };
const INDEX = { name: 'n', keys: [{ path: 'n', direction: 1 as const }], unique: false, sparse: false };
const open = (path: string) => openSqliteDocuments({ path, queueLimit: 100, isShared: true });

it('the turn of building indexes is that of one process until it gives it back', async () => {
  const folder = await temporaryFolder();
  const [first, second] = [createBuildTurn(folder), createBuildTurn(folder)];
  expect([first.take(), first.take(), second.take()]).toEqual([true, true, false]);
  first.release();
  first.release();
  expect([second.take(), first.take()]).toEqual([true, false]);
  second.release();
});

it('an index that one process builds is ready for the other, which waits for it', async () => {
  const folder = await temporaryFolder();
  const first = await open(folder);
  const documents = Array.from({ length: 300 }, (_, n) => ({ _id: String(n).padStart(24, '0'), n, v: 1 }));
  await first.commit(documents.map((document) => ({ kind: 'insert', ns: NS, document })));
  const turn = createBuildTurn(folder);
  expect(turn.take()).toBe(true);
  const second = await open(folder);
  try {
    const builds = await Promise.all([first, second].map((store) => store.ensureIndexes(NS, [INDEX])));
    let isBuilt = false;
    const built = Promise.all(builds.map((build) => build.built)).then(() => {
      isBuilt = true;
    });
    await first.commit([{ kind: 'insert', ns: NS, document: { _id: 'f'.repeat(24), n: -1, v: 1 } }]);
    expect(isBuilt).toBe(false);
    turn.release();
    await built;
    const sorted = { filter: MATCH_ALL, sort: [['n', 1]], skip: 0, limit: 1 } as const;
    expect((await second.find(NS, sorted)).map(({ n }) => n)).toEqual([-1]);
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});

it('the writes of two processes that write as often as they can take turns, and all of them are made', async () => {
  const folder = await temporaryFolder();
  const stores = [await open(folder), await open(folder)];
  const id = (store: number, n: number) => `${store}${String(n).padStart(23, '0')}`;
  const pad = 'x'.repeat(20_000);
  try {
    const finished = await Promise.all(
      stores.map(async (store, at) => {
        for (let n = 0; n < 40; n += 1) {
          const documents = Array.from({ length: 20 }, (_, k) => ({ _id: id(at, n * 20 + k), pad, v: 1 }));
          await store.commit(documents.map((document) => ({ kind: 'insert', ns: NS, document })));
        }
        return store.count(NS, MATCH_ALL);
      }),
    );
    // Who ends first has not kept the other one from writing.
    expect(Math.min(...finished)).toBeGreaterThan(40 * 20);
    expect(Math.max(...finished)).toBe(2 * 40 * 20);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
});
