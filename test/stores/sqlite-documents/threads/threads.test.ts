import { describe, expect, it, onTestFinished } from 'vitest';
import { MATCH_ALL } from '../../../../src/stores/filter.ts';
import { serializeWrites } from '../../../../src/stores/sqlite-documents/commit/serialized-writes.ts';
import { createThreads } from '../../../../src/stores/sqlite-documents/threads/threads.ts';
import { openStoreParts } from '../store-parts.ts';
import { indexOf, insertThing, NS, openTestDatabase } from '../test-database.ts';

describe('the worker threads', () => {
  it('read and write the same file', async () => {
    const { file } = openTestDatabase();
    const threads = createThreads(file);
    onTestFinished(() => threads.close());
    await threads.commit(await serializeWrites([insertThing(1, { n: 1 })], undefined));
    const query = { filter: MATCH_ALL, sort: [], skip: 0, limit: 5 };
    const texts = await threads.find({ ns: NS, query, deadline: undefined });
    expect(texts.map((text) => JSON.parse(text))).toMatchObject([{ n: 1 }]);
    expect(await threads.count({ ns: NS, filter: MATCH_ALL, deadline: undefined })).toBe(1);
  });

  it('terminate a query after its deadline, even if it does not check the clock', async () => {
    const bench = openTestDatabase();
    // Without a period, so that the engine meets a new state at every character.
    let seed = 1;
    const next = () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed > 2 ** 31 ? 'a' : 'b';
    };
    bench.fill([{ text: Array.from({ length: 2_000_000 }, next).join('') }]);
    const threads = createThreads(bench.file);
    onTestFinished(() => threads.close());
    const tests = [{ kind: 'regex', pattern: '[ab]*a[ab]{100}[cd]$', flags: '' }] as const;
    const stuck = () => {
      const task = { ns: NS, filter: { kind: 'field', path: 'text', tests } as const };
      return threads.count({ ...task, deadline: Date.now() + 300 });
    };
    await threads.count({ ns: NS, filter: MATCH_ALL, deadline: undefined });
    // Left alone, each would outlive this test.
    const outcomes = await Promise.allSettled([stuck(), stuck(), stuck(), stuck()]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { reason: 'timeout' } });
    expect(await threads.count({ ns: NS, filter: MATCH_ALL, deadline: undefined })).toBe(1);
  });

  it('read a long page only if there is memory for it when a reader is free', async () => {
    const bench = openTestDatabase();
    bench.fill([{ n: 1 }]);
    let room = 4_000_000;
    const threads = createThreads(bench.file, { hasMemoryFor: (bytes) => bytes <= room });
    onTestFinished(() => threads.close());
    const query = { filter: MATCH_ALL, sort: [], skip: 0, limit: 5 };
    const find = (bytes: number) => threads.find({ ns: NS, query, deadline: undefined }, bytes);
    // Two of them are read together, and count together.
    const pages = [find(2_000_000), find(2_000_000), find(2_000_000), find(10_000)];
    room = 0;
    const outcomes = await Promise.allSettled(pages);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[2]).toMatchObject({ reason: { name: 'StoreError', reason: 'busy' } });
  });

  it('reject with StoreErrors', async () => {
    const threads = createThreads('/nowhere/at/all.db');
    onTestFinished(() => threads.close());
    const unavailable = { name: 'StoreError', reason: 'unavailable' };
    await expect(threads.drop(1)).rejects.toMatchObject(unavailable);
    const query = { filter: MATCH_ALL, sort: [], skip: 0, limit: 5 };
    await expect(threads.find({ ns: NS, query, deadline: undefined })).rejects.toMatchObject(unavailable);
  });

  it('read up to a deadline that is further away than a timer reaches', async () => {
    const bench = openTestDatabase();
    bench.fill([{ n: 1 }]);
    const threads = createThreads(bench.file);
    onTestFinished(() => threads.close());
    // Node warns of a timer that is too long, and lets it fire at once.
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const task = { ns: NS, filter: MATCH_ALL, deadline: Number.MAX_SAFE_INTEGER };
    expect(await threads.count(task)).toBe(1);
    expect(warnings).toEqual([]);
  });

  it('read long pages without asking for memory where nobody keeps count of it', async () => {
    const bench = openTestDatabase();
    bench.fill([{ n: 1 }]);
    const threads = createThreads(bench.file);
    onTestFinished(() => threads.close());
    const query = { filter: MATCH_ALL, sort: [], skip: 0, limit: 5 };
    expect(await threads.find({ ns: NS, query, deadline: undefined }, 1e12)).toHaveLength(1);
  });

  it('are not started by close', async () => {
    await createThreads('/nowhere/at/all.db').close();
  });
});

it('the reader thread finds, counts and measures on its own connection', async () => {
  const { threads, bench } = openStoreParts();
  bench.fill([{ n: 1 }, { n: 2 }]);
  const query = { filter: MATCH_ALL, sort: [['n', -1]] as const, skip: 0, limit: 1 };
  const [text] = await threads.find({ ns: NS, query, deadline: undefined });
  expect(JSON.parse(text!)).toMatchObject({ n: 2 });
  expect(await threads.count({ ns: NS, filter: MATCH_ALL, deadline: undefined })).toBe(2);
  expect((await threads.diskUsage({ ns: NS, deadline: undefined })).documents).toBeGreaterThan(0);
});

it('the reader thread sees every earlier commit', async () => {
  const { threads, commits } = openStoreParts();
  for (let n = 1; n <= 5; n += 1) {
    await commits.commit([insertThing(n, { n })], {});
    expect(await threads.count({ ns: NS, filter: MATCH_ALL, deadline: undefined })).toBe(n);
  }
});

it('the reader thread ends a query at its deadline', async () => {
  const { threads, bench } = openStoreParts();
  bench.fill([{ n: 1 }]);
  const filter = { kind: 'field', path: 'n', tests: [{ kind: 'ne', value: 5 }] } as const;
  await expect(threads.count({ ns: NS, filter, deadline: 1 })).rejects.toMatchObject({ reason: 'timeout' });
});

it('the writer thread commits, builds and drops indexes, and truncates the log', async () => {
  const { threads, bench } = openStoreParts();
  await threads.commit(
    await serializeWrites([insertThing(1, { a: [1, 2] }), insertThing(2, { a: 3 })], undefined),
  );
  bench.catalogue.refresh();
  const { n } = bench.catalogue.addIndex(bench.catalogue.get(NS)!, indexOf({ path: 'a' }), false);
  expect(await threads.fill({ index: n, ms: 100 })).toBe('lost');
  // Time enough for all of it in one step, also where the machine stalls meanwhile.
  expect(await threads.gather({ index: n, ms: 60_000 })).toBe('gathered');
  expect(await threads.fill({ index: n, ms: 60_000 })).toBe('ready');
  expect(bench.connection.statement(`select count(*) from i_${n}`).get()).toEqual([3]);
  await threads.discard(n);
  await threads.drop(n);
  expect(await threads.gather({ index: n, ms: 100 })).toBe('gone');
  await threads.checkpoint('truncate');
  const log = bench.connection.statement('pragma wal_checkpoint(noop)').get() as unknown as number[];
  expect(log[1]).toBe(0);
});

it('the writer thread rejects a commit after its deadline', async () => {
  const { threads, bench } = openStoreParts();
  const late = threads.commit(await serializeWrites([insertThing(1, {})], Date.now() - 1));
  await expect(late).rejects.toMatchObject({ reason: 'timeout' });
  bench.catalogue.refresh();
  expect(bench.catalogue.list()).toEqual([]);
});
