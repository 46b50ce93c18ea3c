// The startup with and without its database: which steps run, what is retried, and what ends it.
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError, StoreError } from '../../src/errors/errors.ts';
import { createStartup } from '../../src/setup/startup.ts';

type Answer = () => Promise<void>;

const unavailable =
  (reason: StoreError['reason']): Answer =>
  () =>
    Promise.reject(new StoreError(reason));

interface Scenario {
  readonly health?: Answer;
  readonly steps: readonly Answer[];
  readonly firstAnswerTimeoutMs?: number;
  readonly timeoutMs?: number;
}

function setUp({
  health = async () => {},
  steps,
  firstAnswerTimeoutMs = 60_000,
  timeoutMs = 60_000,
}: Scenario) {
  const lines: string[] = [];
  const waits: number[] = [];
  const ran: number[] = [];
  const startup = createStartup({
    store: { health },
    log: { info: (_fields, text) => void lines.push(text), warn: (_fields, text) => void lines.push(text) },
    firstAnswerTimeoutMs,
    timeoutMs,
    pause: async (milliseconds, signal) => {
      waits.push(milliseconds);
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) return;
    },
  });
  onTestFinished(() => startup.close());
  const recorded = steps.map((step, index) => () => {
    ran.push(index);
    return step();
  });
  return { startup: { ...startup, start: () => startup.start(recorded) }, lines, waits, ran };
}

/** Fails so often before it succeeds. */
function failing(times: number, reason: StoreError['reason'] = 'unavailable'): Answer {
  let left = times;
  return () => {
    left -= 1;
    return left < 0 ? Promise.resolve() : unavailable(reason)();
  };
}

const nothing: Answer = async () => {};

describe('startup with a database', () => {
  it('runs every step in order before the server may listen, and logs nothing', async () => {
    const { startup, lines, ran } = setUp({ steps: [nothing, nothing, nothing] });
    expect(startup.isDone()).toBe(false);
    await startup.start();
    expect([ran, lines, startup.isDone()]).toEqual([[0, 1, 2], [], true]);
    await startup.done;
  });

  it('rejects with an error that is not one of the store', async () => {
    const error = new AppError('BAD_REQUEST');
    const { startup, ran } = setUp({ steps: [() => Promise.reject(error), nothing] });
    await expect(startup.start()).rejects.toBe(error);
    expect([ran, startup.isDone()]).toEqual([[0], false]);
  });
});

describe('startup without a database', () => {
  it.each(['unavailable', 'timeout', 'busy'] as const)(
    'lets the server listen at once while the store is: %s',
    async (reason) => {
      const { startup, lines, ran } = setUp({ health: unavailable(reason), steps: [nothing] });
      await startup.start();
      expect([ran, startup.isDone()]).toEqual([[], false]);
      expect(lines).toEqual(['database unavailable, startup continues when it is back']);
    },
  );

  it('does not wait for a database that never answers', async () => {
    const { startup } = setUp({
      health: () => new Promise(() => {}),
      steps: [nothing],
      firstAnswerTimeoutMs: 10,
    });
    await startup.start();
    expect(startup.isDone()).toBe(false);
  });

  it('lets the server listen while a step takes long, and completes the step later', async () => {
    const held = Promise.withResolvers<void>();
    const { startup, lines, ran } = setUp({ steps: [() => held.promise, nothing], timeoutMs: 10 });
    await startup.start();
    expect([ran, startup.isDone()]).toEqual([[0], false]);
    expect(lines).toEqual(['startup is slow, listening now and answering 503 until it is complete']);
    held.resolve();
    await startup.done;
    expect([ran, startup.isDone()]).toEqual([[0, 1], true]);
  });

  it('rejects `done` with an error of a step that takes long', async () => {
    const held = Promise.withResolvers<void>();
    const { startup } = setUp({ steps: [() => held.promise], timeoutMs: 10 });
    await startup.start();
    const error = new AppError('BAD_REQUEST');
    held.reject(error);
    await expect(startup.done).rejects.toBe(error);
  });

  it('runs each step once when the database is back, and logs that once', async () => {
    const { startup, lines, ran, waits } = setUp({ health: failing(6), steps: [nothing, nothing] });
    await startup.start();
    await startup.done;
    expect([ran, startup.isDone()]).toEqual([[0, 1], true]);
    expect(lines).toEqual([
      'database unavailable, startup continues when it is back',
      'database connected, startup complete',
    ]);
    expect(waits).toEqual([250, 500, 1000, 2000, 2000, 2000]);
  });

  it('retries only the steps that failed', async () => {
    const { startup, ran } = setUp({ steps: [nothing, failing(2, 'timeout'), nothing, failing(1, 'busy')] });
    await startup.start();
    await startup.done;
    expect(ran).toEqual([0, 1, 2, 3, 1, 3, 1]);
  });

  it('retries a step after any error of the database, and logs the error once', async () => {
    const cause = Object.assign(new Error('no'), { code: 211 });
    let left = 5;
    const refused: Answer = async () => {
      left -= 1;
      if (left >= 0) throw new StoreError('failed', { cause });
    };
    const { startup, lines, ran } = setUp({
      steps: [refused, failing(1, 'duplicate'), failing(3, 'refused'), nothing],
    });
    await startup.start();
    await startup.done;
    expect([ran.length, lines]).toEqual([
      13,
      [
        'database error in a startup step (failed, code 211), retrying until it succeeds',
        'database connected, startup complete',
      ],
    ]);
  });

  it('gives up after fifteen errors that the stored data cause', async () => {
    const { startup, ran, lines } = setUp({ steps: [nothing, failing(100, 'duplicate')] });
    await startup.start();
    await expect(startup.done).rejects.toMatchObject({ reason: 'duplicate' });
    expect(ran).toEqual([0, ...Array(15).fill(1)]);
    expect(lines).toEqual(['database error in a startup step (duplicate), retrying a few times']);
  });

  it('rejects `done` with an error that is found once the database is back', async () => {
    const error = new AppError('BAD_REQUEST');
    const { startup } = setUp({ health: failing(1), steps: [() => Promise.reject(error)] });
    await startup.start();
    await expect(startup.done).rejects.toBe(error);
    expect(startup.isDone()).toBe(false);
  });

  it('waits on close for the running step, and starts no other', async () => {
    const began = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const slow: Answer = () => {
      began.resolve();
      return held.promise;
    };
    const { startup, ran } = setUp({ health: failing(1), steps: [slow, nothing] });
    await startup.start();
    await began.promise;
    const closed = startup.close();
    held.resolve();
    await closed;
    expect(ran).toEqual([0]);
  });
});
