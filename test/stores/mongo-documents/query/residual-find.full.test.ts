import { expect, it } from 'vitest';
import type { Filter } from '../../../../src/stores/filter.ts';
import { translateFilter } from '../../../../src/stores/mongo-documents/filters/translate.ts';
import { UNTRANSLATABLE } from '../../../../src/stores/mongo-documents/filters/translated-filter.ts';
import {
  countScanned,
  findResidual,
  scanIds,
} from '../../../../src/stores/mongo-documents/query/residual-find.ts';
import type { FindQuery } from '../../../../src/stores/ports.ts';
import { BOOKS, query, where } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/store/mongo-servers.ts';
import { openReads } from './workbench.ts';

const DOCUMENTS = ['x', 1, { a: 1 }].map((_id, n) => ({ _id: _id as never, n, text: 'aab' }));

describeMongo('a page of documents selected by this process', ({ standalone }) => {
  it('is in the selected order and has the requested fields', async () => {
    const { run, search } = await openReads(standalone, DOCUMENTS);
    const filter = where('text', { kind: 'regex', pattern: 'a+b', flags: '' });
    const asked = search({ filter, sort: [['n', -1]], projection: { include: ['n'] } });
    const { texts, finish } = await run((scope) => findResidual(scope, asked, UNTRANSLATABLE));
    const documents = texts.map((text) => JSON.parse(text));
    expect(finish === undefined ? documents : documents.map(finish)).toEqual([
      { n: 2, _id: { a: 1 } },
      { n: 1, _id: 1 },
      { n: 0, _id: 'x' },
    ]);
  });

  it('omits documents that no longer match when they are fetched', async () => {
    const { run, search, books } = await openReads(standalone, DOCUMENTS);
    const filter = where('text', { kind: 'regex', pattern: 'a+b', flags: '' });
    const asked = search({ filter, projection: { exclude: ['text'] } });
    const { texts, finish } = await run((scope) => {
      const database = (name: string | null) => {
        const db = scope.database(name);
        const command: typeof db.command = async (...sent) => {
          await books.updateOne({ n: 1 }, { $set: { text: 'secret' } });
          return db.command(...sent);
        };
        return Object.assign(Object.create(db), { command });
      };
      return findResidual({ ...scope, database }, asked, UNTRANSLATABLE);
    });
    expect(texts.map((text) => finish?.(JSON.parse(text)))).toEqual([
      { n: 0, _id: 'x' },
      { n: 2, _id: { a: 1 } },
    ]);
  });
});

const SCANNED = Array.from({ length: 3000 }, (_, n) => ({
  _id: n as never,
  text: `${'a'.repeat(n % 5)}b`,
  list: [{ n }, 'x'],
  rest: 'not needed',
}));
const filter = where('text', { kind: 'regex', pattern: '^a+b$', flags: '' });

describeMongo('a residual scan', ({ standalone }) => {
  const open = async () => {
    const bench = await openReads(standalone, SCANNED);
    const scan = (subject: Filter) => ({
      ns: BOOKS,
      filter: subject,
      translated: translateFilter(subject),
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
