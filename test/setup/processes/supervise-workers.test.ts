// The process that has workers, which are real ones of few lines: how it starts and ends them, and what it holds for them.
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { superviseWorkers } from '../../../src/setup/processes/supervise-workers.ts';
import { holdDatabase } from '../../../src/stores/open/document-store.ts';
import { createWorkspace } from '../../helpers/temp/workspace.ts';
import { askWorker, sharedPorts, workersDo } from './worker-programs.ts';

/** Starts `count` workers that behave so. `code` is the exit code, once they have all ended. */
async function supervise(behaviour: string, { count = 1, shutdownSeconds = 600 } = {}) {
  const { cwd, remove } = createWorkspace();
  onTestFinished(remove);
  workersDo(behaviour);
  const { config, ...loaded } = await loadConfig({ flags: {}, env: {}, cwd });
  const stop = Promise.withResolvers<string>();
  const lines: string[] = [];
  const note = (_fields: object, message: string) => void lines.push(message);
  const log = { info: note, warn: note, error: note } as never;
  const server = { ...config.server, workers: count, shutdownSeconds };
  const port = sharedPorts().then(([first]) => first);
  const code = superviseWorkers(
    { ...loaded, config: { ...config, server } },
    { cwd, only: undefined, stop: stop.promise, log },
  );
  onTestFinished(async () => {
    stop.resolve('SIGTERM');
    await code;
  });
  return { code, port, lines, stop: stop.resolve, hold: () => holdDatabase(config.database, { cwd, log }) };
}

/** The processes that answer on this port, once there are so many. */
async function workersAt(port: number, count: number): Promise<ReadonlySet<number>> {
  const pids = new Set<number>();
  while (pids.size < count) pids.add(Number(await askWorker(port, 'who')));
  return pids;
}

it('a server of two workers ends with both, and has the data folder until then', async () => {
  const { code, port, lines, stop, hold } = await supervise('serves', { count: 2 });
  const pids = await workersAt(await port, 2);
  expect(hold).toThrow();
  const listeners = process.listenerCount('exit');
  stop('SIGTERM');
  expect(await code).toBe(0);
  expect(lines).toEqual(['stopping: requests in flight end, no new ones are taken', 'stopped']);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect(process.listenerCount('exit')).toBe(listeners - 1);
  hold()();
});

it('workers that do not end in time are cut off', async () => {
  const { code, port, lines, stop } = await supervise('does not end', { count: 2, shutdownSeconds: 0.05 });
  const pids = await workersAt(await port, 2);
  stop('SIGTERM');
  expect(await code).toBe(0);
  expect(lines).toEqual([
    'stopping: requests in flight end, no new ones are taken',
    'stopped: what had not ended in time was cut off',
    'stopped',
  ]);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

it('a server ends with the code of its first worker when that fails to start, and leaves the data folder', async () => {
  const { code, lines, hold } = await supervise('fails to start', { count: 2 });
  expect(await code).toBe(4);
  expect(lines).toEqual([]);
  hold()();
});

it('a server ends with the code of a worker that ends badly when it is told to stop', async () => {
  const { code, port, lines, stop } = await supervise('serves');
  await port;
  stop('SIGINT');
  expect(await code).toBe(5);
  expect(lines).toEqual(['stopping: requests in flight end, no new ones are taken']);
});

it('a worker that is killed is replaced by one that answers', async () => {
  const { port, lines } = await supervise('serves', { count: 2 });
  const address = await port;
  const [killed = 0, other = 0] = await workersAt(address, 2);
  process.kill(killed, 'SIGKILL');
  await expect.poll(() => lines).toEqual(['a worker has ended: it is replaced']);
  const pids = new Set<number>();
  await expect.poll(async () => pids.add(Number(await askWorker(address, 'who'))).size).toBe(2);
  expect(pids).not.toContain(killed);
  expect(pids).toContain(other);
});

it.each([
  ['tells metrics', /^[12] in text$/],
  ['cannot tell metrics', /^$/],
  ['serves', /^$/],
])('each of two workers gets what the other tells of itself: one that %s', async (behaviour, told) => {
  const { port, lines } = await supervise(behaviour, { count: 2 });
  const address = await port;
  await workersAt(address, 2);
  const texts = new Set<string>();
  const gather = async () => {
    const gathered = (await askWorker(address, 'metrics')) as string[];
    for (const text of gathered) texts.add(text);
    return texts.size;
  };
  // One that has no time to answer is left out.
  await expect.poll(gather).toBe(behaviour === 'tells metrics' ? 2 : 1);
  for (const text of texts) expect(text).toMatch(told);
  // None has ended for it.
  expect(lines).toEqual([]);
});
