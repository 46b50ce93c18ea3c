// The supervisor of worker processes, on workers that the test ends as it likes, without waiting for real pauses.
import { describe, expect, it } from 'vitest';
import { StartError } from '../../../src/errors/start-error.ts';
import type { MessageFromWorker, MessageToWorker } from '../../../src/setup/processes/worker-messages.ts';
import {
  type RunningWorker,
  type WorkerEnd,
  WorkerSupervisor,
} from '../../../src/setup/processes/worker-supervisor.ts';

interface FakeWorker extends RunningWorker {
  readonly sent: MessageToWorker[];
  readonly say: (message: MessageFromWorker) => void;
  readonly end: (end: WorkerEnd) => void;
}

const LOADED = { config: {}, warnings: [], issues: [], file: '', explicit: [] } as never;

/** A supervisor whose workers do what the test says, and whose pauses end when the test says, unless they are to be real. */
function superviseFakes(count: number, { hasRealPauses = false } = {}) {
  const workers: FakeWorker[] = [];
  const pauses: { readonly ms: number; readonly end: () => void }[] = [];
  const lines: string[] = [];
  let now = 0;
  let refused = 0;
  const log = (_fields: object, message: string) => void lines.push(message);
  const fork = async (): Promise<RunningWorker> => {
    if (refused > 0) {
      refused -= 1;
      throw new StartError('a worker process', new Error('EAGAIN'));
    }
    const ended = Promise.withResolvers<WorkerEnd>();
    const sent: MessageToWorker[] = [];
    const listeners: ((message: MessageFromWorker) => void)[] = [];
    const worker: FakeWorker = {
      sent,
      ended: ended.promise,
      send: (message) => void sent.push(message),
      kill: () => ended.resolve({ code: null, signal: 'SIGKILL' }),
      hear: (listener) => void listeners.push(listener),
      say: (message) => {
        for (const listener of listeners) listener(message);
      },
      end: ended.resolve,
    };
    workers.push(worker);
    return worker;
  };
  const pause = (ms: number, signal: AbortSignal) =>
    new Promise<void>((end) => {
      if (signal.aborted) return end();
      signal.addEventListener('abort', () => end());
      pauses.push({ ms, end });
    });
  const supervisor = new WorkerSupervisor({
    ...{ count, fork, log: { info: log, warn: log, error: log }, clock: () => now },
    order: { loaded: LOADED, only: undefined },
    ...(hasRealPauses ? {} : { pause }),
  });
  return {
    ...{ supervisor, workers, pauses, lines },
    pass: (ms: number) => {
      now += ms;
    },
    refuse: (times: number) => {
      refused = times;
    },
  };
}

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};

const start = (worker: FakeWorker | undefined) => {
  worker?.say({ kind: 'hello' });
  worker?.say({ kind: 'listening' });
  worker?.say({ kind: 'started' });
};

describe('the supervisor of worker processes', () => {
  it('starts the others once the first listens, and only the first says what a start has to say', async () => {
    const { supervisor, workers } = superviseFakes(3);
    const done = supervisor.run();
    await until(() => workers.length === 1);
    workers[0]?.say({ kind: 'hello' });
    expect(workers[0]?.sent).toMatchObject([{ kind: 'start', number: 1, isFirst: true }]);
    expect(workers).toHaveLength(1);
    workers[0]?.say({ kind: 'listening' });
    await until(() => workers.length === 3);
    for (const worker of workers.slice(1)) worker.say({ kind: 'hello' });
    expect(workers.slice(1).flatMap(({ sent }) => sent)).toMatchObject([
      { number: 2, isFirst: false },
      { number: 3, isFirst: false },
    ]);
    supervisor.kill();
    expect(await done).toBe(0);
  });

  it('ends with the exit code of a first start that fails, and starts no other worker', async () => {
    const { supervisor, workers } = superviseFakes(2);
    const done = supervisor.run();
    await until(() => workers.length === 1);
    workers[0]?.say({ kind: 'hello' });
    workers[0]?.end({ code: 1, signal: null });
    expect(await done).toBe(1);
    expect(workers).toHaveLength(1);
  });

  it('ends all workers when a start fails that listened before, as while the database was away', async () => {
    const { supervisor, workers } = superviseFakes(2);
    const done = supervisor.run();
    await until(() => workers.length === 1);
    workers[0]?.say({ kind: 'hello' });
    workers[0]?.say({ kind: 'listening' });
    await until(() => workers.length === 2);
    workers[1]?.say({ kind: 'hello' });
    workers[0]?.end({ code: 1, signal: null });
    await until(() => workers[1]?.sent.at(-1)?.kind === 'stop');
    workers[1]?.end({ code: 0, signal: null });
    expect(await done).toBe(1);
  });

  it('replaces a worker under its number: at once when it has lived, after growing pauses when not', async () => {
    const { supervisor, workers, pauses, pass } = superviseFakes(1);
    const done = supervisor.run();
    await until(() => workers.length === 1);
    start(workers[0]);
    pass(60_000);
    workers[0]?.end({ code: null, signal: 'SIGKILL' });
    for (let times = 1; times <= 9; times += 1) {
      await until(() => pauses.length === times);
      pauses.at(-1)?.end();
      await until(() => workers.length === times + 1);
      start(workers.at(-1));
      expect(workers.at(-1)?.sent).toMatchObject([{ kind: 'start', number: 1, isFirst: false }]);
      workers.at(-1)?.end({ code: 1, signal: null });
    }
    await until(() => pauses.length === 10);
    expect(pauses.map(({ ms }) => ms)).toEqual([0, 250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    supervisor.stop('SIGTERM');
    expect(await done).toBe(0);
  });

  it('tries again when the system has no room for a process, at the first start too', async () => {
    const { supervisor, workers, pauses, lines, refuse } = superviseFakes(1);
    refuse(2);
    const done = supervisor.run();
    for (let times = 1; times <= 2; times += 1) {
      await until(() => pauses.length === times);
      pauses.at(-1)?.end();
    }
    await until(() => workers.length === 1);
    expect(lines).toEqual(['a worker could not be started', 'a worker could not be started']);
    supervisor.kill();
    expect(await done).toBe(0);
  });

  it('ends the pause before another try when it is told to stop', async () => {
    const { supervisor, workers, lines, refuse } = superviseFakes(1, { hasRealPauses: true });
    refuse(Number.POSITIVE_INFINITY);
    const done = supervisor.run();
    await until(() => lines.length > 0);
    supervisor.stop('SIGTERM');
    expect(await done).toBe(0);
    expect(workers).toEqual([]);
  });

  it('starts nobody again after it was told to stop, and ends with 1 where a worker ended badly', async () => {
    const { supervisor, workers } = superviseFakes(2);
    const done = supervisor.run();
    await until(() => workers.length === 1);
    start(workers[0]);
    await until(() => workers.length === 2);
    supervisor.stop('SIGTERM');
    supervisor.stop('SIGTERM');
    expect(workers.map(({ sent }) => sent.filter(({ kind }) => kind === 'stop').length)).toEqual([1, 1]);
    workers[0]?.end({ code: 0, signal: null });
    workers[1]?.end({ code: 1, signal: null });
    expect(await done).toBe(1);
    expect(workers).toHaveLength(2);
  });

  it('ends a worker that asks for its order after the stop', async () => {
    const { supervisor, workers } = superviseFakes(1);
    const done = supervisor.run();
    await until(() => workers.length === 1);
    supervisor.stop('SIGINT');
    workers[0]?.say({ kind: 'hello' });
    expect(await done).toBe(0);
    expect(workers[0]?.sent.map(({ kind }) => kind)).toEqual(['stop']);
  });
});
