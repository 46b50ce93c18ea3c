import { Decimal128, type Document } from 'mongodb';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import type { Filter, FilterTest } from '../../../../src/stores/filter.ts';
import type { FindQuery } from '../../../../src/stores/ports.ts';
import { BOOKS, query, where } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/store/mongo-servers.ts';
import { indexOf, openReads } from './workbench.ts';

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
  const open = async (server = standalone) => {
    const bench = await openReads(server, CITIES);
    await bench.declare(indexOf('name'));
    const numbers = async (parts: Partial<FindQuery>) => {
      const found = await bench.find(BOOKS, query(parts));
      return found.map((city: JsonObject) => city['n']);
    };
    return { ...bench, numbers };
  };

  it.each([
    ['standalone', standalone],
    ['replica set', replicaSet],
  ])('is found in every order on a %s', async (_, server) => {
    const { numbers, books } = await open(server);
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
    const { numbers, count } = await open();
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

  it('is found with a projection', async () => {
    const { find } = await open();
    const parts = { filter: where('name', fold('ROME')), sort: [['size', 1]] as const, limit: 1 };
    expect(await find(BOOKS, query({ ...parts, projection: { include: ['n'], exclude: ['_id'] } }))).toEqual([
      { n: 0 },
    ]);
    const [left] = await find(BOOKS, query({ ...parts, projection: { exclude: ['size', 'name', '_id'] } }));
    expect(left).toEqual({ n: 0, title: 'b' });
  });

  it('is looked up for at most four texts of a filter', async () => {
    const { find, commandsOf } = await open();
    const texts = Array.from({ length: 60 }, (_, n) => where('name', fold(`text ${n}`)));
    const asked = query({ filter: { kind: 'and', filters: texts } });
    expect((await commandsOf(() => find(BOOKS, asked))).length).toBeLessThan(20);
    const wanted = query({ filter: { kind: 'and', filters: Array(60).fill(where('name', fold('ROME'))) } });
    expect((await find(BOOKS, wanted)).length).toBeGreaterThan(0);
  });

  it('is found beside values of other programs', async () => {
    const { books, find, count, declare } = await openReads(standalone, []);
    await books.insertMany([
      { name: 'Rome', size: Decimal128.fromString('1E+400') },
      { name: 'ROME', size: 1 },
    ]);
    await declare(indexOf('name'));
    // A number beyond every double is shown as null.
    const filters = [where('name', fold('rome')), where('size', { kind: 'eq', value: null })];
    const filter: Filter = { kind: 'and', filters };
    expect(await find(BOOKS, query({ filter }))).toMatchObject([{ name: 'Rome', size: null }]);
    expect(await count(BOOKS, filter)).toBe(1);
  });

  it('is found without an index, and in more spellings than are looked up', async () => {
    const { find, count, known, declare, commandsOf } = await openReads(
      standalone,
      Array.from({ length: 64 }, (_, n) => ({
        name: [...'spelli'].map((one, at) => ((n >> at) % 2 ? one.toUpperCase() : one)).join(''),
      })),
    );
    await declare(indexOf('name'));
    const filter = where('name', fold('Spelli'));
    expect(await find(BOOKS, query({ filter, limit: 100 }))).toHaveLength(64);
    // For a while it is not looked up again.
    expect(await commandsOf(() => count(BOOKS, filter))).toEqual(['count']);
    expect(await count(BOOKS, filter)).toBe(64);
    known.length = 0;
    expect(await count(BOOKS, where('name', fold('sPELLI')))).toBe(64);
  });

  it('never hides a write of another program', async () => {
    const { numbers, count, books } = await open(replicaSet);
    const filter = where('name', fold('rome'));
    const found = ROMES.length;
    const spellings = ['roMe', 'romE', 'ROme', 'RoMe', 'RomE', 'rOMe', 'rOmE', 'roME'];
    for (const [at, name] of spellings.entries()) {
      for (let times = 0; times < 4; times += 1) await numbers({ filter });
      await books.insertOne({ name, n: 100 + at }, { writeConcern: { w: 'majority' } });
      expect(await numbers({ filter, limit: 100 })).toHaveLength(found + at + 1);
      expect(await count(BOOKS, filter)).toBe(found + at + 1);
    }
  });

  it('is one round trip once its spellings are known, until something is written', async () => {
    const { find, commandsOf } = await open(replicaSet);
    const asked = query({ filter: where('name', fold('rome')), sort: [['title', 1]] });
    // Others write to the server too, so that it may take a few times until nobody does.
    const trips = async () => {
      for (let times = 0; times < 3; times += 1) await find(BOOKS, asked);
      return commandsOf(() => find(BOOKS, asked));
    };
    await expect.poll(trips).toEqual(['find']);
  });
});
