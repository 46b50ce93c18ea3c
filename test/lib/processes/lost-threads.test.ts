// Threads that do not end when they are told to: the pool gives them up, goes on with others, and starts no more than a few.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { StartError } from '../../../src/errors/start-error.ts';
import { MAX_ENDING } from '../../../src/lib/processes/ending-threads.ts';
import { ThreadPool } from '../../../src/lib/processes/thread-pool.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const TASKS = new URL('./pool-tasks.ts', import.meta.url).href;
const task = (name: string, signal?: AbortSignal) => ({ module: TASKS, name, signal });

function lossyPool() {
  const losses: number[] = [];
  const onLost = (count: number) => void losses.push(count);
  return { losses, pool: new ThreadPool({ maxThreads: 1, idleMs: 60_000, endMs: 20, onLost }) };
}

/** Runs a call on a thread of the pool, and gives it up while it goes on. The function that it resolves with lets the call end. */
async function lose(pool: ThreadPool): Promise<() => void> {
  const folder = await temporaryFolder();
  const [pipe, begun] = [join(folder, 'pipe'), join(folder, 'begun')] as const;
  execFileSync('mkfifo', [pipe]);
  const end = openSync(pipe, constants.O_RDWR);
  const release = () => void writeSync(end, '\n');
  onTestFinished(() => {
    release();
    closeSync(end);
  });
  const controller = new AbortController();
  const running = pool.run({ begun, pipe }, task('block', controller.signal));
  while (!existsSync(begun)) await nextTurn();
  controller.abort(new Error('too slow'));
  await expect(running).rejects.toThrow('too slow');
  return release;
}

test('a thread that does not end is told of once, and another does what follows', async () => {
  const { pool, losses } = lossyPool();
  await lose(pool);
  expect(await pool.run(1, task('count'))).toEqual({ n: 1, calls: 1 });
  await expect.poll(() => losses).toEqual([1]);
  expect(pool.lost()).toBe(1);
  await pool.close();
});

test('closing a pool does not wait for a thread that does not end', async () => {
  const { pool } = lossyPool();
  await lose(pool);
  await pool.run(1, task('count'));
  await pool.close();
  // The thread itself is still there: it was given up. The other one ends, if later than the pool waits for it.
  await expect.poll(() => pool.lost()).toBe(1);
});

test('so many threads that do not end are all, until one of them does', async () => {
  const { pool, losses } = lossyPool();
  const releases: (() => void)[] = [];
  for (let count = 0; count < MAX_ENDING; count += 1) releases.push(await lose(pool));
  await expect(pool.run(1, task('count'))).rejects.toBeInstanceOf(StartError);
  expect([losses, pool.lost()]).toEqual([[1, 2, 3, 4], 4]);
  await expect(pool.run(1, task('count'))).rejects.toBeInstanceOf(StartError);
  releases[0]?.();
  await expect.poll(() => pool.lost(), { timeout: 60_000 }).toBe(MAX_ENDING - 1);
  expect(await pool.run(1, task('count'))).toEqual({ n: 1, calls: 1 });
  await pool.close();
});
