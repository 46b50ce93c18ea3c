// Threads of a pool: tasks in order, limits of the queue, ends of threads, moved results, and starts that fail.
import { afterEach, describe, expect, it } from 'vitest';
import { StartError } from '../../../src/errors/start-error.ts';
import { ThreadPool, type ThreadPoolOptions } from '../../../src/lib/processes/thread-pool.ts';

const TASKS = new URL('./pool-tasks.ts', import.meta.url).href;
const MISSING = new URL('./no-such-file.ts', import.meta.url).href;
const task = (name: string, signal?: AbortSignal) => ({ module: TASKS, name, signal });

const pools: ThreadPool[] = [];
function pool(options: Partial<ThreadPoolOptions> = {}): ThreadPool {
  const made = new ThreadPool({ maxThreads: 1, idleMs: 60_000, ...options });
  pools.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((each) => each.close()));
});

describe('a pool of threads', () => {
  it('resolves with what the function returns, and gives one thread its tasks in their order', async () => {
    const threads = pool();
    const results = await Promise.all([1, 2, 3].map((n) => threads.run(n, task('count'))));
    expect(results).toEqual([
      { n: 1, calls: 1 },
      { n: 2, calls: 2 },
      { n: 3, calls: 3 },
    ]);
  });

  it('hands its data to every thread, and runs so many at the same time', async () => {
    const threads = pool({ maxThreads: 2, data: { word: 'given' } });
    const shared = new Int32Array(new SharedArrayBuffer(4));
    // Each waits until both have begun.
    expect(await Promise.all([threads.run(shared, task('meet')), threads.run(shared, task('meet'))])).toEqual(
      ['given', 'given'],
    );
  });

  it('rejects with what the function throws, and its thread goes on', async () => {
    const threads = pool();
    await expect(threads.run('no', task('fail'))).rejects.toThrow('no');
    expect(await threads.run(1, task('count'))).toEqual({ n: 1, calls: 1 });
  });

  it('keeps the code of an error of the system', async () => {
    await expect(pool().run('no', task('failBySystem'))).rejects.toMatchObject({ code: 'EMFILE' });
  });

  it('moves buffers that the function asks to move', async () => {
    const bytes = (await pool().run(5, task('bytes'))) as Uint8Array;
    expect([...bytes]).toEqual([7, 7, 7, 7, 7]);
  });

  it('rejects a task that cannot be copied, and does the next', async () => {
    const threads = pool();
    const refused = threads.run(() => 1, task('count'));
    const done = threads.run(2, task('count'));
    await expect(refused).rejects.toThrow('could not be cloned');
    expect(await done).toEqual({ n: 2, calls: 1 });
  });

  it('rejects a task beyond its queue', async () => {
    const threads = pool({ maxQueue: 1 });
    const shared = new Int32Array(new SharedArrayBuffer(4));
    const running = threads.run(shared, task('wait'));
    const waiting = threads.run(1, task('count'));
    await expect(threads.run(2, task('count'))).rejects.toThrow('too many tasks');
    expect(threads.waiting()).toBe(1);
    Atomics.store(shared, 0, 1);
    Atomics.notify(shared, 0);
    expect(await running).toBe('waited');
    expect(await waiting).toEqual({ n: 1, calls: 1 });
  });
});

describe('a signal', () => {
  it('takes a task out of the queue, so that it never runs', async () => {
    const threads = pool();
    const first = threads.run(1, task('count'));
    const controller = new AbortController();
    const second = threads.run(2, task('count', controller.signal));
    controller.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    expect(await first).toEqual({ n: 1, calls: 1 });
    expect(await threads.run(3, task('count'))).toEqual({ n: 3, calls: 2 });
  });

  it('ends the thread that never returns, and the next task gets another', async () => {
    const threads = pool();
    const shared = new Int32Array(new SharedArrayBuffer(4));
    const controller = new AbortController();
    const endless = threads.run(shared, task('loop', controller.signal));
    const next = threads.run(1, task('count'));
    while (Atomics.load(shared, 0) === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('too slow'));
    await expect(endless).rejects.toThrow('too slow');
    expect(await next).toEqual({ n: 1, calls: 1 });
  });

  it('that has fired already begins nothing', async () => {
    const threads = pool();
    await expect(threads.run(1, task('count', AbortSignal.abort(new Error('late'))))).rejects.toThrow('late');
    expect(threads.waiting()).toBe(0);
  });
});

describe('a thread that dies', () => {
  it('rejects its task, and the next gets another thread', async () => {
    const threads = pool();
    const dead = threads.run(0, task('exit'));
    const next = threads.run(1, task('count'));
    await expect(dead).rejects.toThrow('exited with code: 3');
    expect(await next).toEqual({ n: 1, calls: 1 });
  });

  it('because it had nothing to do is replaced', async () => {
    const threads = pool({ idleMs: 1 });
    expect(await threads.run(1, task('count'))).toEqual({ n: 1, calls: 1 });
    let calls = 2;
    // Each round leaves it idle for twice as long.
    for (let turns = 1; calls > 1; turns *= 2) {
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      ({ calls } = (await threads.run(1, task('count'))) as { calls: number });
    }
    expect(calls).toBe(1);
  });
});

describe('a thread that cannot be started', () => {
  it('because its module is not there is no end of the pool', async () => {
    const threads = pool();
    await expect(threads.run(1, { module: MISSING, name: 'count' })).rejects.toBeInstanceOf(StartError);
    await expect(threads.run(1, task('nothing'))).rejects.toBeInstanceOf(StartError);
    expect(await threads.run(1, task('count'))).toEqual({ n: 1, calls: 1 });
  });
});

describe('closing a pool', () => {
  it('waits for what runs and what waits, then takes nothing more', async () => {
    const threads = pool();
    const results = [1, 2, 3].map((n) => threads.run(n, task('count')));
    await threads.close(60_000);
    expect(await Promise.all(results)).toHaveLength(3);
    await expect(threads.run(4, task('count'))).rejects.toThrow('ended');
  });

  it('without time rejects what runs and what waits', async () => {
    const threads = pool();
    const settled = Promise.allSettled([1, 2].map((n) => threads.run(n, task('count'))));
    await threads.close();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('ends threads that do not return', async () => {
    const threads = pool();
    const shared = new Int32Array(new SharedArrayBuffer(4));
    const endless = threads.run(shared, task('loop'));
    endless.catch(() => undefined);
    while (Atomics.load(shared, 0) === 0) await new Promise((resolve) => setImmediate(resolve));
    await threads.close(1);
    await expect(endless).rejects.toThrow('ended');
  });
});
