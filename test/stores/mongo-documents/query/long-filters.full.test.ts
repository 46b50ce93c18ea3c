// Filters that are too long for a command of the server, or for anything that it could be asked.
import { expect, it } from 'vitest';
import { StoreError } from '../../../../src/errors/errors.ts';
import type { Filter, FilterTest } from '../../../../src/stores/filter.ts';
import { rethrowFilterTooLarge } from '../../../../src/stores/mongo-documents/query/read-command.ts';
import { BOOKS, query, where } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/store/mongo-servers.ts';
import { rejection } from '../connections.ts';
import { openReads } from './workbench.ts';

const among = (kind: 'in' | 'nin', length: number, name: (n: number) => string): FilterTest => ({
  kind,
  values: Array.from({ length }, (_, n) => name(n)),
});

it('errors other than too-large are rethrown unchanged', () => {
  const busy = new StoreError('busy');
  expect(() => rethrowFilterTooLarge(busy)).toThrow(busy);
});

describeMongo('a long filter', ({ standalone }) => {
  const open = () => openReads(standalone, [{ title: 'title 149999' }, { title: 'other' }, { title: 5 }]);

  it('finds the values of a list of any length', async () => {
    const { find, count } = await open();
    const found = async (filter: Filter) => [
      (await find(BOOKS, query({ filter }))).map(({ title }) => title),
      await count(BOOKS, filter),
    ];
    for (const length of [2000, 150_000]) {
      const name = (n: number) => `title ${149_999 - n}`;
      expect(await found(where('title', among('in', length, name)))).toEqual([['title 149999'], 1]);
      expect(await found(where('title', among('nin', length, name)))).toEqual([['other', 5], 2]);
    }
  });

  it('is rejected as filter-too-large if the server cannot take it', async () => {
    const { find, count } = await open();
    const list = among('in', 1500, (n) => `${n}`.padEnd(5000, 'x'));
    const filter: Filter = { kind: 'or', filters: ['a', 'b', 'c'].map((path) => where(path, list)) };
    // Both are awaited from the start: either may reject first.
    const errors = await Promise.all([find(BOOKS, query({ filter })), count(BOOKS, filter)].map(rejection));
    expect(errors).toMatchObject([{ reason: 'filter-too-large' }, { reason: 'filter-too-large' }]);
  });
});
