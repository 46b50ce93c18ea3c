import { BSON, ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { type Filter, MATCH_ALL } from '../../../../src/stores/filter.ts';
import type { OperationClass } from '../../../../src/stores/mongo-documents/connection/operation-slots.ts';
import { translateFilter } from '../../../../src/stores/mongo-documents/filters/translate.ts';
import { createPageTexts, findPlain, readTexts } from '../../../../src/stores/mongo-documents/query/page.ts';
import { createReads } from '../../../../src/stores/mongo-documents/query/reads.ts';
import { createTypeProbe } from '../../../../src/stores/mongo-documents/query/type-probe.ts';
import { BOOKS, idOf, query, where } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase, rawClient } from '../../../helpers/store/mongo-servers.ts';
import { openConnection, rejection } from '../connections.ts';
import { openReads } from './workbench.ts';

it('a page has at most 64 Mi characters', () => {
  const { texts, add } = createPageTexts();
  const bytes = BSON.serialize({ text: 'x'.repeat(10 * 1024 * 1024) });
  for (let count = 0; count < 6; count += 1) add(bytes);
  expect(texts).toHaveLength(6);
  expect(() => add(bytes)).toThrow(expect.objectContaining({ reason: 'too-much' }));
});

describeMongo('a page', ({ standalone }) => {
  it('returns the found documents as JSON texts', async () => {
    const { run } = await openReads(
      standalone,
      [1, 2, 3].map((n) => ({ _id: n as never, n })),
    );
    const ask = { ns: BOOKS, query: { n: { $gt: 1 } }, sort: new Map([['n', -1 as const]]), limit: 5 };
    expect((await run((scope) => readTexts(scope, ask, createPageTexts()))).texts).toEqual([
      '{"n":3,"_id":3}',
      '{"n":2,"_id":2}',
    ]);
  });
});

describeMongo('a page that the server can filter and sort', ({ standalone }) => {
  it('takes one round trip, and an id the fastest plan', async () => {
    const { run, search, commandsOf, books } = await openReads(
      standalone,
      [1, 2, 3].map((n) => ({ _id: new ObjectId(idOf(n)), n })),
    );
    const find = (...args: Parameters<typeof search>) => {
      const asked = search(...args);
      return run((scope) => findPlain(scope, asked, translateFilter(asked.query.filter)));
    };
    const byId = {
      filter: where('_id', { kind: 'eq', value: idOf(2) }),
      projection: { include: ['n'] },
    } as const;
    expect((await find(byId)).texts).toEqual([`{"n":2,"_id":"${idOf(2)}"}`]);
    expect(await commandsOf(() => find({ limit: 3, sort: [['n', 1]] }))).toEqual(['find']);
    expect(await books.find({ _id: new ObjectId(idOf(2)) }).explain('queryPlanner')).toMatchObject({
      queryPlanner: { winningPlan: { stage: 'IDHACK' } },
    });
  });
});

const ID = 'a'.repeat(24);
const BY_ID: Filter = { kind: 'field', path: '_id', tests: [{ kind: 'eq', value: 'first' }] };
const matching = (pattern: string): Filter => ({
  kind: 'field',
  path: 'text',
  tests: [{ kind: 'regex', pattern, flags: '' }],
});
const HALF_A_MEGABYTE = 500_000;

describeMongo('pages', ({ standalone }) => {
  const open = async (hasRoom: (bytes: number) => boolean = () => true, maxPoolSize = 20) => {
    const uri = await ownDatabase(standalone);
    const books = rawClient(uri).db().collection<{ _id: string; text: string }>(BOOKS.collection);
    const texts = ['small', ...Array.from({ length: 4 }, (_, n) => `${n}`.repeat(HALF_A_MEGABYTE))];
    await books.insertMany(texts.map((text, n) => ({ _id: n === 0 ? 'first' : `${ID}${n}`, text })));
    const { connection } = openConnection(uri, { maxPoolSize });
    const typeProbe = createTypeProbe(() => performance.now());
    const reads = createReads({ connection, indexes: { of: () => [] }, hasMemoryFor: hasRoom, typeProbe });
    const find = (filter: Filter, limit = 10, deadline = Date.now() + 20_000) =>
      reads.findText(BOOKS, query({ filter, limit }), { deadline });
    /** Takes every place that a lane has, until it is told to give them back. */
    const hold = async (operationClass: OperationClass) => {
      const [entered, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const held = Array.from({ length: 30 }, () =>
        connection.run({ operationClass: () => operationClass }, async () => {
          entered.resolve();
          await over.promise;
        }),
      );
      await entered.promise;
      return async () => {
        over.resolve();
        await Promise.all(held);
      };
    };
    return { ...reads, connection, find, hold };
  };

  it('are read by id, counted and written while scans wait', async () => {
    const { connection, find, hold } = await open();
    await find(BY_ID);
    const release = await hold('scan');
    let isFound = false;
    const slow = find(matching('^small')).then((found) => {
      isFound = true;
      return found;
    });
    expect(await find(BY_ID)).toEqual(['{"text":"small","_id":"first"}']);
    const written = connection.run({ operationClass: () => 'write' }, (scope) =>
      scope.collection(BOOKS).updateOne({ _id: 'first' as never }, { $set: { n: 1 } }),
    );
    expect((await written).modifiedCount).toBe(1);
    expect(isFound).toBe(false);
    await release();
    expect(await slow).toEqual(['{"text":"small","n":1,"_id":"first"}']);
  });

  it('that are long are complete, and memory is checked before they are read', async () => {
    const asked: number[] = [];
    const { find } = await open((bytes) => asked.push(bytes) > 0);
    expect(await find(BY_ID)).toHaveLength(1);
    expect(asked).toEqual([]);
    for (let times = 1; times <= 2; times += 1) {
      const page = await find(MATCH_ALL);
      expect(page.map(({ length }) => length > HALF_A_MEGABYTE)).toEqual([true, true, true, true, false]);
    }
    // Once nothing was known of it but that it is long; then how long it was.
    expect(asked).toHaveLength(2);
    expect(asked[1]).toBeGreaterThan(4 * HALF_A_MEGABYTE);
  });

  it('that are long wait for memory until their deadline', async () => {
    let looks = 0;
    const { find } = await open(() => {
      looks += 1;
      return looks > 3;
    });
    expect(await find(MATCH_ALL)).toHaveLength(5);
    expect(looks).toBe(4);
    const never = await open(() => false);
    expect(await rejection(never.find(MATCH_ALL, 10, Date.now() + 300))).toMatchObject({
      reason: 'timeout',
    });
    expect(await never.find(BY_ID)).toHaveLength(1);
  });

  it('that are long complete in the order of their requests', async () => {
    const { find } = await open(undefined, 5);
    await find(MATCH_ALL);
    const order: number[] = [];
    const limits = [5, 4, 5, 3, 4];
    await Promise.all(limits.map(async (limit) => order.push((await find(MATCH_ALL, limit)).length)));
    expect(order).toEqual(limits);
  });

  it('that are long do not block short ones', async () => {
    const { find, hold } = await open();
    await find(MATCH_ALL);
    await find(MATCH_ALL, 1);
    const release = await hold('page');
    const long = find(MATCH_ALL);
    expect(await find(MATCH_ALL, 1)).toHaveLength(1);
    await release();
    expect(await long).toHaveLength(5);
  });
});
