// Commits end with what their process relies on.
import { expect, it } from 'vitest';
import { createFencedStore } from '../../src/deployment/fenced-store.ts';
import { StoreError } from '../../src/errors/errors.ts';
import type { Write } from '../../src/stores/ports.ts';
import { openFailingStore } from '../helpers/store/temporary-store.ts';

const NOW = 1_000_000;
const QUERY_MS = 10_000;
const insert = (id: string): Write => ({
  kind: 'insert',
  ns: { database: null, collection: 'books' },
  document: { _id: id.repeat(24), v: 1 },
});

async function openFenced(confirmedMs: () => number) {
  const store = await openFailingStore();
  const fenced = createFencedStore(store, { fence: { confirmedMs }, now: () => NOW, queryMs: QUERY_MS });
  const deadlines = () => store.asked.map(({ deadline }) => deadline);
  return { ...fenced, deadlines };
}

it('no commit is made while its process may not know what others have changed', async () => {
  let left = 0;
  const { store, deadlines } = await openFenced(() => left);
  await expect(store.commit([insert('a')])).rejects.toMatchObject({ reason: 'unavailable' });
  left = -1;
  await expect(store.commit([insert('a')])).rejects.toMatchObject({ reason: 'unavailable' });
  expect(deadlines()).toEqual([]);
});

it('a commit has no more time than its process relies on what it knows', async () => {
  let left = 3000;
  // Times of a test that has its own clock are over for the store.
  const { store, deadlines } = await openFenced(() => left);
  const commit = (deadline?: number) =>
    store.commit([insert('a')], deadline === undefined ? {} : { deadline }).catch(() => undefined);
  await commit();
  await commit(NOW + 1000);
  left = 60_000;
  await commit();
  left = Number.POSITIVE_INFINITY;
  await commit();
  await commit(NOW + 1);
  expect(deadlines()).toEqual([NOW + 3000, NOW + 1000, NOW + QUERY_MS, undefined, NOW + 1]);
});

it('a commit that ends with what its process relies on does not say that the limit of the request was reached', async () => {
  const told = async (deadline: number, explanation?: string) => {
    const store = await openFailingStore();
    const late = new StoreError('timeout', explanation === undefined ? {} : { explanation });
    const commit = () => Promise.reject(late);
    const fence = { confirmedMs: () => 3000 };
    const fenced = createFencedStore({ ...store, commit }, { fence, now: () => NOW, queryMs: QUERY_MS });
    return fenced.store
      .commit([insert('a')], { deadline })
      .catch(({ explanation: said }: StoreError) => said);
  };
  expect(await told(NOW + 4000)).toContain('may not know what others have changed');
  expect(await told(NOW + 4000, 'Nothing was written')).toBe('Nothing was written');
  expect(await told(NOW + 3000)).toBeUndefined();
});

it('commits under way can be waited for, also those that fail', async () => {
  const { store, settled } = await openFenced(() => Number.POSITIVE_INFINITY);
  const ended: string[] = [];
  const commits = ['a', 'a', 'b'].map((id) =>
    store.commit([insert(id)]).then(
      () => ended.push('made'),
      () => ended.push('failed'),
    ),
  );
  await settled();
  await Promise.all(commits);
  expect(ended.toSorted()).toEqual(['failed', 'made', 'made']);
});
