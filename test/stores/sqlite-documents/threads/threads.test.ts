import { describe, expect, it, onTestFinished } from 'vitest';
import { MATCH_ALL } from '../../../../src/stores/filter.ts';
import { serializeWrites } from '../../../../src/stores/sqlite-documents/commit/serialized-writes.ts';
import { createThreads } from '../../../../src/stores/sqlite-documents/threads/threads.ts';
import { insertThing, NS, openTestDatabase } from '../test-database.ts';

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
    let room = 3_000_000;
    const threads = createThreads(bench.file, { hasMemoryFor: (bytes) => bytes <= room });
    onTestFinished(() => threads.close());
    const query = { filter: MATCH_ALL, sort: [], skip: 0, limit: 5 };
    const find = (bytes: number) => threads.find({ ns: NS, query, deadline: undefined }, bytes);
    const pages = [find(2_000_000), find(2_000_000), find(2_000_000), find(10_000)];
    room = 0;
    const outcomes = await Promise.allSettled(pages);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[2]).toMatchObject({ reason: { name: 'StoreError', reason: 'busy' } });
  });

  it('reject with StoreErrors', async () => {
    const threads = createThreads('/nowhere/at/all.db');
    onTestFinished(() => threads.close());
    await expect(threads.drop(1)).rejects.toMatchObject({ name: 'StoreError', reason: 'unavailable' });
  });

  it('are not started by close', async () => {
    await createThreads('/nowhere/at/all.db').close();
  });
});
