// Reading on MongoDB: data that others wrote, and random queries in every corner of the language.
import fc from 'fast-check';
import { BSON, ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import type { Filter } from '../../../../src/stores/filter.ts';
import { compileFilter } from '../../../../src/stores/matching/compile-filter.ts';
import { createProjector } from '../../../../src/stores/matching/projector.ts';
import { compareDocuments } from '../../../../src/stores/matching/sorter.ts';
import { toBson } from '../../../../src/stores/mongo-documents/bson/json-to-bson.ts';
import type { Sort, StoredDocument } from '../../../../src/stores/ports.ts';
import { BOOKS, idOf, query, where } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/store/mongo-servers.ts';
import { fields, filter, projection, sort } from './query-generators.ts';
import { foldingIndex, openReads } from './workbench.ts';

const HEX = '65a1b2c3d4e5f60718293a4b';
const ISO = '2026-01-02T03:04:05.678Z';

describeMongo('data of other programs', ({ standalone }) => {
  const open = () =>
    openReads(standalone, [
      {
        _id: new ObjectId(HEX),
        author: new ObjectId(HEX),
        list: [new ObjectId(HEX)],
        at: new Date(ISO),
        n: new BSON.Double(5),
      },
      { _id: 'own-id' as never, author: HEX, at: ISO, n: BSON.Long.fromNumber(5) },
      { _id: 7 as never, author: null, at: 1, n: new BSON.Decimal128('5') },
    ]);

  it.each<[string, Filter, number]>([
    ['an id', where('author', { kind: 'eq', value: HEX }), 2],
    [
      'an id whatever its case',
      where('author', { kind: 'eq', value: HEX.toUpperCase(), caseInsensitive: true }),
      2,
    ],
    ['an id in a list', where('list', { kind: 'in', values: [HEX] }), 1],
    ['other than an id', where('author', { kind: 'ne', value: HEX }), 1],
    ['a date', where('at', { kind: 'eq', value: ISO }), 2],
    ['from a date on', where('at', { kind: 'gte', value: ISO }), 2],
    ['behind a date', where('at', { kind: 'gt', value: ISO }), 0],
    ['text', where('author', { kind: 'type', names: ['string'] }), 2],
    ['a number of any kind', where('n', { kind: 'eq', value: 5 }), 3],
    ['its own id', where('_id', { kind: 'eq', value: HEX }), 1],
    ['an id of another kind', where('_id', { kind: 'in', values: ['own-id', 7] }), 2],
    ['ids in an order', where('_id', { kind: 'lt', value: 'z' }), 2],
  ])('is found by %s', async (_name, asked, expected) => {
    const { find, count, declare } = await open();
    await declare(foldingIndex('author'), true);
    expect(await find(BOOKS, query({ filter: asked }))).toHaveLength(expected);
    expect(await count(BOOKS, asked)).toBe(expected);
  });

  it('is read as JSON', async () => {
    const { findText } = await open();
    const [text] = await findText(BOOKS, query({ filter: where('_id', { kind: 'eq', value: HEX }) }));
    expect(text).toBe(`{"author":"${HEX}","list":["${HEX}"],"at":"${ISO}","n":5,"_id":"${HEX}"}`);
  });
});

describe('random queries', () => {
  describeMongo('on a server', ({ standalone }) => {
    it('find and count the same as plain evaluation', { timeout: 60_000 }, async () => {
      const ask = fc.record({ filter, sort, skip: fc.nat(3), limit: fc.constantFrom(1, 2, 100), projection });
      const property = fc.asyncProperty(
        fc.array(fields, { minLength: 1, maxLength: 20 }),
        fc.uniqueArray(fc.constantFrom('a', 'b', 'c.x'), { maxLength: 2 }),
        fc.array(ask, { minLength: 25, maxLength: 25 }),
        async (contents, indexed, asked) => {
          const documents = contents.map((entry, at): StoredDocument => ({ ...entry, _id: idOf(at * 7919) }));
          const { find, findText, count, declare } = await openReads(standalone, documents.map(toBson));
          for (const path of indexed) await declare(foldingIndex(path), path !== 'b');
          const stored = await find(BOOKS, query());
          expect(stored).toEqual(documents);
          for (const { projection: chosen, ...one } of asked) {
            const matches = stored.filter(compileFilter(one.filter));
            const ordered = inOrder(matches, one.sort)?.slice(one.skip, one.skip + one.limit);
            const project = chosen === null ? (document: object) => document : createProjector(chosen);
            const found = await findText(BOOKS, {
              ...one,
              ...(chosen !== null && { projection: chosen }),
            }).catch((error: { reason: string }) => {
              if (error.reason !== 'parallel-arrays') throw error;
            });
            if (ordered !== undefined && found !== undefined) {
              expect(found).toEqual(ordered.map((document) => JSON.stringify(project(document))));
            }
            expect(await count(BOOKS, one.filter)).toBe(matches.length);
          }
        },
      );
      await fc.assert(property, { numRuns: 25, interruptAfterTimeLimit: 40_000 });
    });
  });
});

/** Undefined where the order has no meaning. */
function inOrder(documents: readonly StoredDocument[], by: Sort): readonly StoredDocument[] | undefined {
  try {
    return documents.toSorted(compareDocuments(by));
  } catch {
    return undefined;
  }
}

describeMongo('a path with a number in it', ({ standalone }) => {
  it('finds the same with and without an index', async () => {
    const documents = [{ tags: [] }, { tags: ['a'] }, { tags: [{ x: 1 }] }, { tags: { 0: 'a' } }, {}];
    const { books, find, count, declare } = await openReads(standalone, documents);
    const asked: Filter[] = [
      where('tags.0', { kind: 'eq', value: null }),
      where('tags.0', { kind: 'eq', value: 'A', caseInsensitive: true }),
      where('tags.0', { kind: 'ne', value: 'a' }),
      where('tags.0.x', { kind: 'exists', value: false }),
      where('tags', { kind: 'elemMatch', filter: where('0', { kind: 'eq', value: null }) }),
    ];
    const matches = async (one: Filter) => {
      const expected = (await find(BOOKS, query())).filter(compileFilter(one));
      expect(await find(BOOKS, query({ filter: one }))).toEqual(expected);
      expect(await count(BOOKS, one)).toBe(expected.length);
    };
    for (const one of asked) await matches(one);
    await declare(foldingIndex('tags.0'), true);
    await books.createIndex({ 'tags.0.x': 1 }, { sparse: true });
    for (const one of asked) await matches(one);
  });
});

describeMongo('a field called _bsontype', ({ standalone }) => {
  const name = '_bsontype';

  it('is filtered, sorted and projected like any other', async () => {
    const documents = [
      new Map([[name, 'b']]),
      new Map([[name, 'ObjectId']]),
      new Map([['a', new Map([[name, 'b']])]]),
    ];
    const { find, count } = await openReads(standalone, documents as never[]);
    const values = async (parts: Parameters<typeof query>[0]) =>
      (await find(BOOKS, query(parts))).map((document) => document[name]);
    expect(await values({ filter: where(name, { kind: 'eq', value: 'b' }) })).toEqual(['b']);
    expect(await count(BOOKS, where(name, { kind: 'exists', value: true }))).toBe(2);
    expect(await count(BOOKS, where(`a.${name}`, { kind: 'eq', value: 'b' }))).toBe(1);
    const within = where('a', { kind: 'elemMatch', filter: where(name, { kind: 'eq', value: 'b' }) });
    expect(await count(BOOKS, within)).toBe(0);
    expect(await values({ sort: [[name, -1]], projection: { include: [name] } })).toEqual([
      'b',
      'ObjectId',
      undefined,
    ]);
    expect(await values({ projection: { exclude: [name] } })).toEqual([undefined, undefined, undefined]);
  });
});
