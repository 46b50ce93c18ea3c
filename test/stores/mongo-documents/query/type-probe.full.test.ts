// What is known of values that other programs wrote, and for how long it is believed.
import { ObjectId } from 'mongodb';
import { expect, test } from 'vitest';
import { createTypeProbe } from '../../../../src/stores/mongo-documents/query/type-probe.ts';
import { BOOKS } from '../../../contracts/store-cases.ts';
import { describeMongo, ownServer, rawClient } from '../../../helpers/store/mongo-servers.ts';
import { openReads } from './workbench.ts';

const ISO = '2024-01-02T03:04:05.678Z';

describeMongo('the type probe', ({ standalone }) => {
  test('finds types at a path, also in arrays, and repeats after the validity', async () => {
    const { run, books } = await openReads(standalone, [{ at: [new Date(0)], id: new ObjectId() }]);
    let now = 0;
    const typeProbe = createTypeProbe(() => {
      now += 1;
      return now;
    });
    const has = (path: string, group: 'dates' | 'others', timeoutMs?: number) =>
      run((scope) => typeProbe.has(scope, { ns: BOOKS, path }, group, timeoutMs));
    expect(await has('at', 'dates')).toBe(true);
    expect(await has('at', 'others')).toBe(false);
    expect(await has('id', 'others', 1000)).toBe(true);
    expect(await has('$odd', 'dates')).toBe(false);
    expect(await has('later', 'dates')).toBe(false);
    await books.insertOne({ later: new Date(0) });
    expect(await has('later', 'dates')).toBe(false);
    now += 1000;
    expect(await has('later', 'dates')).toBe(true);
  });

  test('runs once for concurrent callers and for all groups', async () => {
    const { run, commandsOf } = await openReads(standalone, [{ a: 1 }]);
    const typeProbe = createTypeProbe(() => 0);
    const ask = () => run((scope) => typeProbe.isInOrder(scope, { ns: BOOKS, path: 'a' }));
    const asked: Promise<boolean>[] = [];
    const commands = await commandsOf(async () => {
      asked.push(...Array.from({ length: 20 }, ask));
      await Promise.all(asked);
      await ask();
    });
    expect([commands, new Set(await Promise.all(asked))]).toEqual([['find'], new Set([true])]);
  });

  test('does not trust a single slow probe', async () => {
    const { run, books } = await openReads(standalone, [{ a: 1 }]);
    let now = 0;
    let step = 1000;
    const typeProbe = createTypeProbe(() => {
      now += step;
      return now;
    });
    const has = () => run((scope) => typeProbe.has(scope, { ns: BOOKS, path: 'a' }, 'dates'));
    expect(await has()).toBe(false);
    step = 1;
    now += 100;
    expect(await has()).toBe(false);
    await books.insertOne({ a: new Date(0) });
    now += 100;
    expect(await has()).toBe(true);
  });

  test('runs less often while a path is in use', async () => {
    const { run, commandsOf } = await openReads(standalone, [{ a: 1 }]);
    let now = 0;
    const typeProbe = createTypeProbe(() => now);
    const looks = async (milliseconds: number) => {
      const commands = await commandsOf(async () => {
        const end = now + milliseconds;
        for (; now < end; now += 5) {
          await run((scope) => typeProbe.has(scope, { ns: BOOKS, path: 'a' }, 'dates'));
        }
      });
      return commands.length;
    };
    expect(await looks(300)).toBe(5);
    now += 10_000;
    expect(await looks(10)).toBe(1);
  });

  test('keeps the last result if the server reaches the time limit', async () => {
    const server = await ownServer();
    const { run } = await openReads(`${server.uri}site`, [{ a: new Date(0) }]);
    const fail = (mode: string) => {
      const data = { failCommands: ['find'], errorCode: 50, appName: 'cloister' };
      const command = { configureFailPoint: 'failCommand', mode, ...(mode !== 'off' && { data }) };
      return rawClient(server.uri).db('admin').command(command);
    };
    let now = 0;
    const typeProbe = createTypeProbe(() => now);
    const has = (path: string) => run((scope) => typeProbe.has(scope, { ns: BOOKS, path }, 'dates', 1000));
    expect(await has('a')).toBe(true);
    now = 20_000;
    await fail('alwaysOn');
    expect([await has('a'), await has('b')]).toEqual([true, false]);
    await fail('off');
  });

  test.each<[string, readonly unknown[], boolean]>([
    ['ours alone', ['a', 1, null, { x: 1 }], true],
    ['dates beside numbers and nulls', [new Date(0), 1, null], true],
    ['ids alone', [new ObjectId(), null], true],
    ['dates beside text', [new Date(0), ISO, 1], false],
    ['dates beside text in one list', [[new Date(0), ISO]], false],
    ['dates beside a boolean', [new Date(0), true, ISO], false],
    ['dates beside ids', [new Date(0), new ObjectId()], false],
    ['ids beside text', [new ObjectId(), 'a'], false],
  ])('knows whether the server sorts %s right: %s', async (_name, values, isRight) => {
    const { run } = await openReads(
      standalone,
      values.map((a) => ({ a })),
    );
    const typeProbe = createTypeProbe(() => performance.now());
    expect(await run((scope) => typeProbe.isInOrder(scope, { ns: BOOKS, path: 'a' }))).toBe(isRight);
  });
});
