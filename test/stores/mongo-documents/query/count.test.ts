import { expect, it } from 'vitest';
import { MATCH_ALL } from '../../../../src/stores/filter.ts';
import { BOOKS, where } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/mongo-servers.ts';
import { foldingIndex, openReads } from './workbench.ts';

describeMongo('counting', ({ standalone }) => {
  it.each([true, false])('is exact by every strategy, with a shadow index: %s', async (shadow) => {
    const spellings = ['Ab', 'AB', 'ab', 'áb', 'abc'];
    const { count, declare } = await openReads(
      standalone,
      Array.from({ length: 1000 }, (_, n) => ({ n, name: spellings[n % 5] })),
    );
    await declare(foldingIndex('name'), shadow);
    expect(await count(BOOKS, MATCH_ALL)).toBe(1000);
    expect(await count(BOOKS, where('name', { kind: 'eq', value: 'Ab' }))).toBe(200);
    for (const round of [1, 2]) {
      const folded = await count(BOOKS, where('name', { kind: 'eq', value: 'aB', fold: true }));
      expect([round, folded]).toEqual([round, 600]);
    }
    expect(await count(BOOKS, where('name', { kind: 'regex', pattern: '^a+b+$', flags: 'i' }))).toBe(600);
    expect(await count(BOOKS, where('n', { kind: 'lt', value: 10 }))).toBe(10);
  });

  it('ends with a timeout past the deadline', async () => {
    const { count } = await openReads(standalone, [{ n: 1 }]);
    const late = count(BOOKS, MATCH_ALL, { deadline: Date.now() - 1 });
    await expect(late).rejects.toMatchObject({ reason: 'timeout' });
  });
});
