// Values that only other programs write: whatever is shown is found, left out and ordered as what it is shown as.
import fc from 'fast-check';
import { BSON, ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import type { Json } from '../../../../src/lib/json/json.ts';
import type { Filter, FilterTest } from '../../../../src/stores/filter.ts';
import { createPredicate } from '../../../../src/stores/matching/filter-predicate.ts';
import { translateFilter } from '../../../../src/stores/mongo-documents/filters/translate.ts';
import {
  findNonJsonTypes,
  isSortedByServer,
} from '../../../../src/stores/mongo-documents/query/non-json-paths.ts';
import { createTypeProbe } from '../../../../src/stores/mongo-documents/query/type-probe.ts';
import type { Sort } from '../../../../src/stores/ports.ts';
import { BOOKS, idOf, query, where } from '../../../contracts/store-cases.ts';
import { compareDocuments } from '../../../helpers/store/compare-documents.ts';
import { describeMongo } from '../../../helpers/store/mongo-servers.ts';
import { indexOf, openReads } from './workbench.ts';

const HEX = '65a1b2c3d4e5f60718293a4b';
const ISO = '2024-01-02T03:04:05.678Z';
const UUID = '0190f0c2-6f2e-7c3a-8b1d-2f4a5b6c7d8e';

/** What a program of any language may have stored. */
const STORED: readonly unknown[] = [
  ...[null, true, 0, -2.5, 0.1, 19.99, 2 ** 53, 'a', 'A', HEX, ISO, UUID, '2024', 'Y292ZXI=', '/^a/i', '5'],
  ...[{ x: 1 }, [], ['a', 'b'], ['2020-05-05T00:00:00.000Z']],
  ...[new ObjectId(HEX), new ObjectId('aaaaaaaaaaaaaaaaaaaaaaaa'), new Date(ISO), new Date(0)],
  ...[new BSON.UUID(UUID), new BSON.Binary(Buffer.from('cover')), new BSON.Binary(Buffer.from([1, 2]), 5)],
  ...[new BSON.Decimal128('0.1'), new BSON.Decimal128('19.99'), new BSON.Decimal128('7')],
  ...[new BSON.Decimal128('0.12345678901234567890'), BSON.Long.fromString('9007199254740993')],
  ...[Number.NaN, new BSON.Timestamp({ t: 1, i: 2 }), new BSON.Code('f(1)'), new BSON.BSONRegExp('^a', 'i')],
  ...[[new Date(0), new Date(ISO)], [new ObjectId(HEX)], [new BSON.UUID(UUID), 'a'], [Number.NaN]],
];

/** The same as they are shown, and what lies beside. */
const SHOWN: readonly Json[] = [
  ...[null, 0, 0.1, 19.99, 0.12345678901234568, 2 ** 53, 7, 'a', 'A', HEX, HEX.toUpperCase(), ISO, UUID, '5'],
  ...['2024', '2', 'Y292ZXI=', 'AQI=', 'f(1)', '/^a/i', '4294967298', '1970-01-01T00:00:00.000Z'],
];

const value = fc.constantFrom(...SHOWN);
const test: fc.Arbitrary<FilterTest> = fc.oneof(
  value.map(
    (one): FilterTest => ({
      kind: 'eq',
      value: one,
      ...(typeof one === 'string' && { caseInsensitive: true }),
    }),
  ),
  fc
    .tuple(fc.constantFrom<'eq' | 'ne'>('eq', 'ne'), value)
    .map(([kind, one]): FilterTest => ({ kind, value: one })),
  fc
    .tuple(
      fc.constantFrom<'in' | 'nin' | 'all'>('in', 'nin', 'all'),
      fc.array(value, { minLength: 1, maxLength: 3 }),
    )
    .map(([kind, values]): FilterTest => ({ kind, values })),
  fc
    .tuple(fc.constantFrom<'gt' | 'gte' | 'lt' | 'lte'>('gt', 'gte', 'lt', 'lte'), value)
    .map(([kind, one]): FilterTest => ({ kind, value: one })),
  fc
    .constantFrom('^2', 'a', '^[0-9a-f]{24}$', '=$', '-')
    .map((pattern): FilterTest => ({ kind: 'regex', pattern, flags: 'i' })),
);
const tests = fc.oneof(
  test,
  test.map((one): FilterTest => ({ kind: 'not', tests: [one] })),
  test.map((one): FilterTest => ({ kind: 'elemMatchValue', tests: [one] })),
);
const filter: fc.Arbitrary<Filter> = fc
  .array(fc.tuple(fc.constantFrom('a', 'b'), tests), { minLength: 1, maxLength: 2 })
  .chain((parts) =>
    fc.constantFrom<'and' | 'or' | 'nor'>('and', 'or', 'nor').map(
      (kind): Filter => ({
        kind,
        filters: parts.map(([path, one]) => where(path, one)),
      }),
    ),
  );
const sort: fc.Arbitrary<Sort> = fc.constantFrom<Sort[]>(
  [],
  [['a', 1]],
  [['a', -1]],
  [
    ['b', 1],
    ['a', -1],
  ],
);

describeMongo('values of non-JSON types', ({ standalone }) => {
  it('are found, counted and sorted as the text that readers see', async () => {
    const ask = fc.record({ filter, sort, skip: fc.nat(2), limit: fc.constantFrom(2, 100) });
    const stored = fc.constantFrom(...STORED);
    const alone = fc.constantFrom(...STORED.filter((one) => !Array.isArray(one)));
    const dates = fc.constantFrom<unknown>(
      null,
      3,
      ISO,
      new Date(ISO),
      new Date(0),
      '2020-05-05T00:00:00.000Z',
    );
    const property = fc.asyncProperty(
      fc.array(
        fc.oneof(fc.record({ a: stored, b: alone }), fc.record({ a: dates }), fc.record({ b: alone })),
        {
          minLength: 4,
          maxLength: 24,
        },
      ),
      fc.array(fc.record({ a: dates }), { maxLength: 20 }),
      fc.boolean(),
      fc.boolean(),
      fc.array(ask, { minLength: 30, maxLength: 30 }),
      async (mixed, dated, onlyDates, indexed, asked) => {
        const contents = onlyDates ? dated : [...mixed, ...dated];
        const documents = contents.map((fields, at) => ({ _id: new ObjectId(idOf(at * 7919)), ...fields }));
        const { find, count, declare } = await openReads(standalone, documents);
        if (indexed) await declare(indexOf('a'));
        const shown = await find(BOOKS, query());
        for (const one of asked) {
          const matches = shown.filter(createPredicate(one.filter));
          expect(await count(BOOKS, one.filter)).toBe(matches.length);
          const ordered = matches.toSorted(compareDocuments(one.sort)).slice(one.skip, one.skip + one.limit);
          expect(await find(BOOKS, one)).toEqual(ordered);
        }
      },
    );
    await fc.assert(property, { seed: 7, numRuns: 8, endOnFailure: true, interruptAfterTimeLimit: 30_000 });
  });

  it('are found by long lists, which are expanded only if there are such values', async () => {
    const texts = Array.from({ length: 500 }, (_, n) => Buffer.from(`text of ${n}`).toString('base64'));
    const bytes = new BSON.Binary(Buffer.from('text of 7'));
    const { find, run } = await openReads(standalone, [{ a: bytes, b: texts[8], c: new Date(ISO) }]);
    const typeProbe = createTypeProbe(() => performance.now());
    for (const path of ['a', 'b', 'c']) {
      const filter = where(path, { kind: 'in', values: [...texts, ISO] });
      expect(await find(BOOKS, query({ filter }))).toHaveLength(1);
      const nonJsonAt = await run((scope) => findNonJsonTypes(scope, { ns: BOOKS, filter, typeProbe }));
      const { query: translated, exact } = translateFilter(filter, nonJsonAt);
      const most = path === 'b' ? 501 : Number.POSITIVE_INFINITY;
      expect([exact, Object(translated)[path].$in.length <= most]).toEqual([true, true]);
    }
    const ids = where('_id', { kind: 'in', values: texts });
    const none = await run((scope) => findNonJsonTypes(scope, { ns: BOOKS, filter: ids, typeProbe }));
    expect(none?.('_id')).toEqual({ dates: false, others: false, hugeNumbers: false });
  });

  it('are probed for only if a condition or an order depends on them', async () => {
    const { run } = await openReads(standalone, [
      { when: new Date(0), id: new ObjectId(HEX) },
      { when: ISO, id: new ObjectId(HEX) },
    ]);
    const typeProbe = createTypeProbe(() => performance.now());
    const nonJsonAt = (filter: Filter) =>
      run((scope) => findNonJsonTypes(scope, { ns: BOOKS, filter, typeProbe }));
    expect(await nonJsonAt(where('when', { kind: 'eq', value: ISO }))).toBeUndefined();
    expect(await nonJsonAt(where('when', { kind: 'gt', value: ISO }))).toBeUndefined();
    const found = await nonJsonAt(where('when', { kind: 'gt', value: '2024' }));
    expect(found?.('when')).toEqual({ dates: true, others: false, hugeNumbers: false });
    const order = (...paths: string[]) =>
      run(async (scope) => isSortedByServer(scope, { ns: BOOKS, paths, typeProbe }));
    expect(await order('_id', 'none')).toBe(true);
    expect(await order('id')).toBe(true);
    expect(await order('when', 'id')).toBe(false);
  });
});
