// What is seen of a thread that runs patterns, and when one of them has had its time.
import { expect, test } from 'vitest';
import {
  createWatch,
  noteBegin,
  noteResult,
  progressCells,
  resultsOf,
  runningJob,
} from '../../src/workers/pattern-progress.ts';

/** A watch of three jobs with 100 ms each, whose clocks stand where they are put. */
function watched() {
  const cells = progressCells(3);
  const clocks = { wall: 0, cpu: 0 };
  const look = createWatch(cells, {
    limitMs: 100,
    now: () => clocks.wall,
    cpuMs: async () => clocks.cpu,
  });
  const lookAt = (wall: number, cpu: number) => {
    Object.assign(clocks, { wall, cpu });
    return look();
  };
  return { cells, lookAt };
}

test('a batch of patterns tells which one began last, and what came out of those that ended', () => {
  const cells = progressCells(3);
  expect([runningJob(cells), resultsOf(cells)]).toEqual([{ position: -1, cpuMs: 0 }, []]);
  noteBegin(cells, 0, 4.2);
  noteResult(cells, 0, false);
  noteBegin(cells, 1, 7);
  expect([runningJob(cells), resultsOf(cells)]).toEqual([{ position: 1, cpuMs: 7 }, [false]]);
  noteResult(cells, 1, true);
  expect(resultsOf(cells)).toEqual([false, true]);
});

test('a pattern has had its time when it ran for so long, whatever those before it took', async () => {
  const { cells, lookAt } = watched();
  expect(await lookAt(900, 900)).toBe(undefined);
  noteBegin(cells, 0, 900);
  expect(await lookAt(1000, 1000)).toBe(undefined);
  expect(await lookAt(1099, 1099)).toBe(undefined);
  noteResult(cells, 0, true);
  noteBegin(cells, 1, 1099);
  expect(await lookAt(1100, 1100)).toBe(undefined);
  expect(await lookAt(1199, 1199)).toBe(undefined);
  expect(await lookAt(1200, 1200)).toBe(1);
});

test('a pattern that the machine does not run has not had its time, however long that lasts', async () => {
  const { cells, lookAt } = watched();
  noteBegin(cells, 0, 10);
  expect(await lookAt(0, 10)).toBe(undefined);
  expect(await lookAt(5000, 59)).toBe(undefined);
  expect(await lookAt(5001, 60)).toBe(0);
});

test('a pattern that ends while its time is asked for has not had too much of it', async () => {
  const { cells, lookAt } = watched();
  noteBegin(cells, 0, 0);
  await lookAt(0, 0);
  const looking = lookAt(200, 200);
  noteResult(cells, 0, true);
  noteBegin(cells, 1, 200);
  expect(await looking).toBe(undefined);
});

test('a thread that has ended has no pattern that has had its time', async () => {
  const cells = progressCells(1);
  const ended = async () => Promise.reject(new Error('ended'));
  let wall = 0;
  const look = createWatch(cells, { limitMs: 100, now: () => wall, cpuMs: ended });
  noteBegin(cells, 0, 0);
  await look();
  wall = 1000;
  expect(await look()).toBe(undefined);
});
