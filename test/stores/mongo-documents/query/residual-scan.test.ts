import { expect, it } from 'vitest';
import type { Filter } from '../../../../src/stores/filter.ts';
import { translateFilter } from '../../../../src/stores/mongo-documents/filters/translate.ts';
import { countScanned, scanIds } from '../../../../src/stores/mongo-documents/query/residual-scan.ts';
import type { FindQuery } from '../../../../src/stores/ports.ts';
import { BOOKS, query, where } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/mongo-servers.ts';
import { openReads } from './workbench.ts';

const DOCUMENTS = Array.from({ length: 3000 }, (_, n) => ({
  _id: n as never,
  text: `${'a'.repeat(n % 5)}b`,
  list: [{ n }, 'x'],
  rest: 'not needed',
}));
const filter = where('text', { kind: 'regex', pattern: '^a+b$', flags: '' });

describeMongo('a residual scan', ({ standalone }) => {
  const open = async () => {
    const bench = await openReads(standalone, DOCUMENTS);
    const scan = (subject: Filter) => ({
      ns: BOOKS,
      filter: subject,
      translated: translateFilter(subject, { collated: false }),
    });
    return {
      ...bench,
      ids: async (parts: Partial<FindQuery>) => {
        const asked = query({ filter, ...parts });
        const found = await bench.run((scope) => scanIds(scope, scan(asked.filter), asked));
        return found.map(Number);
      },
      count: (subject: Filter) => bench.run((scope) => countScanned(scope, scan(subject))),
    };
  };

  it('finds a page of ids in order, and counts', async () => {
    const { ids, count } = await open();
    expect(await ids({ limit: 3 })).toEqual([1, 2, 3]);
    expect(await ids({ limit: 3, skip: 3 })).toEqual([4, 6, 7]);
    expect(await ids({ limit: 2, sort: [['_id', -1]] })).toEqual([2999, 2998]);
    expect(await count(filter)).toBe(2400);
  });

  it('sorts where the server cannot', async () => {
    const { ids } = await open();
    expect(
      await ids({
        limit: 2,
        skip: 1,
        sort: [
          ['list.n.', 1],
          ['text', -1],
        ],
      }),
    ).toHaveLength(2);
    expect(
      await ids({
        limit: 1,
        sort: [
          ['', 1],
          ['list.n', -1],
        ],
      }),
    ).toEqual([2999]);
  });

  it('evaluates whole fields', async () => {
    const { ids } = await open();
    const both: Filter = { kind: 'and', filters: [filter, where('list.1', { kind: 'eq', value: 'x' })] };
    expect(await ids({ filter: both, limit: 1 })).toEqual([1]);
  });

  it('ends as soon as the page is full', async () => {
    const { ids, commandsOf } = await open();
    expect(await commandsOf(() => ids({ limit: 5 }))).not.toContain('getMore');
  });

  it('yields to the event loop', async () => {
    const { count } = await open();
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await count(where('text', { kind: 'regex', pattern: '(?:a+b?)+c', flags: '' }));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });
});
