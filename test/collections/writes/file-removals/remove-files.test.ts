// Which files go with an entry: those that no record has any more, and none that are somebody else's.
import { beforeEach, expect, test } from 'vitest';
import {
  createEntries,
  insertEntry,
  REMOVALS_NAMESPACE,
} from '../../../../src/collections/writes/file-removals/removal-entries.ts';
import { createRemoveFiles } from '../../../../src/collections/writes/file-removals/remove-files.ts';
import { MATCH_ALL } from '../../../../src/stores/filter.ts';
import type { DocumentStore, Namespace, Write } from '../../../../src/stores/ports.ts';
import { createMemoryFiles } from '../../../helpers/store/memory-media.ts';
import { openTemporaryStore } from '../../../helpers/store/temporary-store.ts';

const IMAGES: Namespace = { database: null, collection: 'images' };
const keyOf = (name: string) => `1.0/library/images/2026/${name}`;
const record = (n: number, path: string): Write => ({
  kind: 'insert',
  ns: IMAGES,
  document: { path, _id: n.toString(16).padStart(24, '0') },
});

let store: DocumentStore;
beforeEach(async () => {
  ({ store } = await openTemporaryStore());
});

/** Runs the removal of records with these paths, of the time 100; gives the keys that are left, and the warnings. */
async function remove(
  paths: readonly string[],
  there: Readonly<Record<string, number>>,
  { isLate = false, ns = IMAGES } = {},
) {
  const files = createMemoryFiles();
  for (const [key, time] of Object.entries(there)) files.keys.set(key, time);
  const records = paths.map((path, n) => ({ _id: `${n}`, path }));
  const [entry] = createEntries(ns, records, { by: 'me', at: 100, generateId: () => 'e1' });
  await store.commit([insertEntry(entry!)]);
  const warnings: string[] = [];
  const warn = (_fields: object, message: string) => void warnings.push(message);
  await createRemoveFiles({ store, files, now: Date.now, queryMs: 60_000, warn })(entry!, isLate);
  const found = await store.find(REMOVALS_NAMESPACE, { filter: MATCH_ALL, sort: [], skip: 0, limit: 9 });
  expect(found).toEqual([]);
  return { left: [...files.keys.keys()], warnings };
}

test('files go, and one that is gone already is no error', async () => {
  const files = { [keyOf('a')]: 0, [keyOf('b')]: 0, [keyOf('other')]: 0 };
  const { left, warnings } = await remove([keyOf('a'), keyOf('b'), keyOf('gone')], files);
  expect([left, warnings]).toEqual([[keyOf('other')], []]);
});

test('a file stays that another record has, however many have the next one too', async () => {
  const copies = Array.from({ length: 1500 }, (_, n) => record(n, keyOf('a')));
  await store.commit([...copies, record(1500, keyOf('b'))]);
  const { left } = await remove([keyOf('a'), keyOf('b'), keyOf('c')], {
    [keyOf('a')]: 0,
    [keyOf('b')]: 0,
    [keyOf('c')]: 0,
  });
  expect(left).toEqual([keyOf('a'), keyOf('b')]);
});

test('a file stays that another record names by the path of another store', async () => {
  await store.commit([record(1, keyOf('a')), record(2, `bucket/${keyOf('b')}`)]);
  const { left } = await remove([`bucket/${keyOf('a')}`, keyOf('b'), `bucket/${keyOf('c')}`], {
    [keyOf('a')]: 0,
    [keyOf('b')]: 0,
    [keyOf('c')]: 0,
  });
  expect(left).toEqual([keyOf('a'), keyOf('b')]);
});

test('no record can take a file of another collection, or one outside, along', async () => {
  const foreign = ['1.0/library/other/x.png', '1.0/images/x.png', '1.0/library/images', 'images/x/images'];
  const there = Object.fromEntries(foreign.map((key) => [key, 0]));
  const { left, warnings } = await remove([...foreign, '../../etc/passwd'], there);
  expect(left).toEqual(foreign);
  expect(warnings).toHaveLength(5);
  const own = { database: 'shop', collection: 'images' };
  expect((await remove([keyOf('a')], { [keyOf('a')]: 0 }, { ns: own })).left).toEqual([keyOf('a')]);
});

test('a late removal leaves a file alone that has taken the key since', async () => {
  // Published, and its record not stored yet.
  const there = { [keyOf('old')]: 100, [keyOf('fresh')]: 101 };
  const { left } = await remove([keyOf('old'), keyOf('fresh'), keyOf('gone')], there, { isLate: true });
  expect(left).toEqual([keyOf('fresh')]);
});
