// Reading on MongoDB: data that others wrote, and random queries in every corner of the language.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { BSON, type Document, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Filter, MATCH_ALL } from '../../../../src/stores/filter.ts';
import { createPredicate } from '../../../../src/stores/matching/filter-predicate.ts';
import { createProjector } from '../../../../src/stores/matching/projector.ts';
import { toBson } from '../../../../src/stores/mongo-documents/bson/bson-conversion.ts';
import type { OperationScope } from '../../../../src/stores/mongo-documents/connection/types.ts';
import { countDocuments } from '../../../../src/stores/mongo-documents/query/read-command.ts';
import { createMongoCountCache } from '../../../../src/stores/mongo-documents/query/reads.ts';
import type { Sort, StoredDocument } from '../../../../src/stores/ports.ts';
import { BOOKS, idOf, query, where } from '../../../contracts/store-cases.ts';
import { compareDocuments } from '../../../helpers/store/compare-documents.ts';
import { describeMongo, ownDatabase } from '../../../helpers/store/mongo-servers.ts';
import { launchServer, type OwnServer } from '../../../helpers/store/mongod.ts';
import { withDatabase } from '../../../helpers/temp/workspace.ts';
import { openConnection } from '../connections.ts';
import { fields, filter, projection, sort } from './query-generators.ts';
import { indexOf, openReads } from './workbench.ts';

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
    await declare(indexOf('author'));
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
    it('find and count the same as plain evaluation', async () => {
      const ask = fc.record({ filter, sort, skip: fc.nat(3), limit: fc.constantFrom(1, 2, 100), projection });
      const property = fc.asyncProperty(
        fc.array(fields, { minLength: 1, maxLength: 20 }),
        fc.uniqueArray(fc.constantFrom('a', 'b', 'c.x'), { maxLength: 2 }),
        fc.array(ask, { minLength: 25, maxLength: 25 }),
        async (contents, indexed, asked) => {
          const documents = contents.map((entry, at): StoredDocument => ({ ...entry, _id: idOf(at * 7919) }));
          const { find, findText, count, declare } = await openReads(standalone, documents.map(toBson));
          for (const path of indexed) await declare(indexOf(path));
          const stored = await find(BOOKS, query());
          expect(stored).toEqual(documents);
          for (const { projection: chosen, ...one } of asked) {
            const matches = stored.filter(createPredicate(one.filter));
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
      const expected = (await find(BOOKS, query())).filter(createPredicate(one));
      expect(await find(BOOKS, query({ filter: one }))).toEqual(expected);
      expect(await count(BOOKS, one)).toBe(expected.length);
    };
    for (const one of asked) await matches(one);
    await declare(indexOf('tags.0'));
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

describeMongo('counting', ({ standalone }) => {
  it.each([true, false])('is exact by every strategy, with an index: %s', async (isIndexed) => {
    const spellings = ['Ab', 'AB', 'ab', 'áb', 'abc'];
    const { count, declare } = await openReads(
      standalone,
      Array.from({ length: 1000 }, (_, n) => ({ n, name: spellings[n % 5] })),
    );
    if (isIndexed) await declare(indexOf('name'));
    expect(await count(BOOKS, MATCH_ALL)).toBe(1000);
    expect(await count(BOOKS, where('name', { kind: 'eq', value: 'Ab' }))).toBe(200);
    for (const round of [1, 2]) {
      const folded = await count(BOOKS, where('name', { kind: 'eq', value: 'aB', caseInsensitive: true }));
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

/**
 * Counts on a server where each count seems to take `ms` milliseconds and a check for writes `checkMs`, and nobody else
 * writes.
 */
async function openCounts(uri: string, ms: number, checkMs = 0) {
  const { connection } = openConnection(uri);
  const run = <T>(work: (scope: OperationScope) => Promise<T>) => connection.run({}, work);
  const insert = (...books: Document[]) => run((scope) => scope.collection(BOOKS).insertMany(books));
  await insert({ n: 1 }, { n: 2 });
  let time = 0;
  let counted = 0;
  const cache = createMongoCountCache(() => {
    time += checkMs;
    return time;
  });
  const ask = () =>
    run((scope) =>
      cache.getOrCount(scope, { ns: BOOKS, filter: MATCH_ALL }, async () => {
        time += ms;
        counted += 1;
        return (await countDocuments(scope, { ns: BOOKS, query: {} })).count;
      }),
    );
  return { ask, insert, run, counted: () => counted };
}

/** Asks until nothing was written between two counts: an idle server writes a line of its own now and then. */
async function untilRemembered({ ask, counted }: Awaited<ReturnType<typeof openCounts>>, expected: number) {
  const giveUp = Date.now() + 20_000;
  for (let before = -1; before !== counted(); ) {
    if (Date.now() > giveUp) throw new Error('no count was remembered');
    before = counted();
    expect(await ask()).toBe(expected);
  }
}

describeMongo('the count cache', ({ standalone }) => {
  let server: OwnServer;
  beforeAll(async () => {
    server = await launchServer({ replicaSet: true });
  });
  afterAll(() => server.dispose());

  it('is valid until a write', async () => {
    const counts = await openCounts(withDatabase(server.uri, randomUUID()), 50);
    await untilRemembered(counts, 2);
    await counts.insert({ n: 3 });
    expect(await counts.ask()).toBe(3);
    await untilRemembered(counts, 3);
    await counts.run((scope) => scope.collection(BOOKS).deleteOne({ n: 1 }));
    expect(await counts.ask()).toBe(2);
  });

  it('contains no uncommitted writes', async () => {
    const counts = await openCounts(withDatabase(server.uri, randomUUID()), 50);
    await counts.run(async (scope) => {
      const session = scope.session();
      session.startTransaction();
      await scope.collection(BOOKS).insertMany([{ n: 3 }, { n: 4 }], { session });
      await untilRemembered(counts, 2);
      await session.commitTransaction();
      expect(await counts.ask()).toBe(4);
    });
  });

  it('does not store fast counts', async () => {
    const { ask, counted } = await openCounts(withDatabase(server.uri, randomUUID()), 1);
    for (const times of [1, 2, 3]) {
      expect(await ask()).toBe(2);
      expect(counted()).toBe(times);
    }
  });

  it('does not store counts that take no longer than a few checks for writes', async () => {
    const { ask, counted } = await openCounts(withDatabase(server.uri, randomUUID()), 30, 20);
    for (const times of [1, 2, 3, 4]) {
      expect(await ask()).toBe(2);
      expect(counted()).toBe(times);
    }
  });

  it('is not used on a standalone server', async () => {
    const { ask, counted } = await openCounts(await ownDatabase(standalone), 50);
    for (const times of [1, 2, 3]) {
      expect(await ask()).toBe(2);
      expect(counted()).toBe(times);
    }
  });
});
