import type { Document } from 'mongodb';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import type { Filter, FilterTest } from '../../../../src/stores/filter.ts';
import {
  countIgnoringCase,
  findIgnoringCase,
} from '../../../../src/stores/mongo-documents/query/case-insensitive-find.ts';
import type { FindQuery } from '../../../../src/stores/ports.ts';
import { BOOKS, query, where } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/store/mongo-servers.ts';
import { foldingIndex, openReads } from './workbench.ts';

const fold = (value: string): FilterTest => ({ kind: 'eq', value, caseInsensitive: true });
const SPELLINGS = ['Rome', 'ROME', 'rome', 'Romé', 'Romeo', 'ROMe'];
const CITIES: Document[] = Array.from({ length: 60 }, (_, n) => ({
  n,
  name: SPELLINGS[n % SPELLINGS.length],
  // Orders that a collation has otherwise: upper case, accents, hyphens.
  title: ['b', 'B', 'a', 'A', 'á', '-a', 'a-'][n % 7],
  size: n % 4,
}));
const ROMES = CITIES.filter(({ name }) => String(name).toLowerCase() === 'rome').map(({ n }) => n as number);

describeMongo('case-insensitive text', ({ standalone, replicaSet }) => {
  const open = async (shadow: boolean, server = standalone) => {
    const bench = await openReads(server, CITIES);
    await bench.declare(foldingIndex('name'), shadow);
    const numbers = async (parts: Partial<FindQuery>) => {
      const found = await bench.find(BOOKS, query(parts));
      return found.map((city: JsonObject) => city['n']);
    };
    return { ...bench, numbers };
  };

  it.each([
    { shadow: true, server: standalone },
    { shadow: false, server: standalone },
    { shadow: true, server: replicaSet },
  ])('is found in every order, with a shadow index: $shadow', async ({ shadow, server }) => {
    const { numbers, books } = await open(shadow, server);
    const filter = where('name', fold('rOME'));
    expect((await numbers({ filter })).toSorted((a, b) => Number(a) - Number(b))).toEqual(ROMES);
    for (const path of ['title', 'size', 'missing', '_id']) {
      for (const direction of [1, -1] as const) {
        const expected = await books
          .find({ n: { $in: ROMES } })
          .sort([
            [path, direction],
            ['_id', direction],
          ])
          .skip(3)
          .limit(10)
          .toArray();
        const sort = [[path, direction]] as const;
        for (const round of ['new', 'known', 'remembered']) {
          const found = await numbers({ filter, sort, skip: 3, limit: 10 });
          expect([round, ...found]).toEqual([round, ...expected.map(({ n }) => n)]);
        }
      }
    }
  });

  it('does not affect exact conditions beside it', async () => {
    const { numbers, count } = await open(true);
    const beside = (test: FilterTest): Filter => ({
      kind: 'and',
      filters: [where('name', fold('rome')), where('title', test)],
    });
    const titles = (wanted: readonly string[]) =>
      ROMES.filter((n) => wanted.includes(String(CITIES[n]?.['title'])));
    for (const [test, wanted] of [
      [{ kind: 'eq', value: 'a' }, ['a']],
      [{ kind: 'in', values: ['b', 'A'] }, ['b', 'A']],
      [{ kind: 'nin', values: ['b', 'A', 'a', '-a', 'a-'] }, ['B', 'á']],
      [{ kind: 'gte', value: 'a' }, ['b', 'a', 'á', 'a-']],
      [{ kind: 'regex', pattern: '^a', flags: '' }, ['a', 'a-']],
    ] satisfies [FilterTest, string[]][]) {
      const filter = beside(test);
      expect((await numbers({ filter })).toSorted((a, b) => Number(a) - Number(b))).toEqual(titles(wanted));
      expect(await count(BOOKS, filter)).toBe(titles(wanted).length);
    }
  });

  it('takes one round trip in the order of ids', async () => {
    const { findText, commandsOf } = await open(true);
    const asked = query({ filter: where('name', fold('rome')), limit: 5 });
    expect(await commandsOf(() => findText(BOOKS, asked))).toEqual(['find']);
  });

  it('is found with a projection', async () => {
    const { find } = await open(true);
    const parts = { filter: where('name', fold('ROME')), sort: [['size', 1]] as const, limit: 1 };
    expect(await find(BOOKS, query({ ...parts, projection: { include: ['n'], exclude: ['_id'] } }))).toEqual([
      { n: 0 },
    ]);
    const [left] = await find(BOOKS, query({ ...parts, projection: { exclude: ['size', 'name', '_id'] } }));
    expect(left).toEqual({ n: 0, title: 'b' });
  });

  it('is looked up for at most four texts of a filter', async () => {
    const { find, commandsOf } = await open(false);
    const texts = Array.from({ length: 60 }, (_, n) => where('name', fold(`text ${n}`)));
    const asked = query({ filter: { kind: 'and', filters: texts } });
    expect((await commandsOf(() => find(BOOKS, asked))).length).toBeLessThan(20);
    const wanted = query({ filter: { kind: 'and', filters: Array(60).fill(where('name', fold('ROME'))) } });
    expect((await find(BOOKS, wanted)).length).toBeGreaterThan(0);
  });

  it('is not handled without such a condition or an index', async () => {
    const { run, search, known } = await open(true);
    const plain = search({ filter: where('name', { kind: 'eq', value: 'Rome' }) });
    expect(await run((scope) => findIgnoringCase(scope, plain))).toBeUndefined();
    known.length = 0;
    const folded = search({ filter: where('name', fold('rome')) });
    expect(await run((scope) => findIgnoringCase(scope, folded))).toBeUndefined();
    const condition = { ...folded, filter: folded.query.filter };
    expect(await run((scope) => countIgnoringCase(scope, condition))).toBeUndefined();
  });
});
