// A start whose database is away: what it does first, what it goes on with, and what ends it.
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError, StoreError } from '../src/errors.ts';
import { createStartup } from '../src/startup.ts';

type Answer = () => Promise<void>;

const away =
  (reason: StoreError['reason']): Answer =>
  () =>
    Promise.reject(new StoreError(reason));

interface Play {
  readonly health?: Answer;
  readonly steps: readonly Answer[];
  readonly firstAnswerMs?: number;
  readonly patienceMs?: number;
}

function play({ health = async () => {}, steps, firstAnswerMs = 60_000, patienceMs = 60_000 }: Play) {
  const lines: string[] = [];
  const waits: number[] = [];
  const ran: number[] = [];
  const startUp = createStartup({
    steps: steps.map((step, index) => () => {
      ran.push(index);
      return step();
    }),
    store: { health },
    log: { info: (_fields, text) => void lines.push(text), warn: (_fields, text) => void lines.push(text) },
    firstAnswerTimeoutMs: firstAnswerMs,
    timeoutMs: patienceMs,
    pause: async (milliseconds, signal) => {
      waits.push(milliseconds);
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) return;
    },
  });
  onTestFinished(() => startUp.close());
  return { startUp, lines, waits, ran };
}

/** Fails so often before it succeeds. */
function failing(times: number, reason: StoreError['reason'] = 'unavailable'): Answer {
  let left = times;
  return () => {
    left -= 1;
    return left < 0 ? Promise.resolve() : away(reason)();
  };
}

const nothing: Answer = async () => {};

describe('a start with its database', () => {
  it('does every step in order before it may listen, and says nothing', async () => {
    const { startUp, lines, ran } = play({ steps: [nothing, nothing, nothing] });
    expect(startUp.isDone()).toBe(false);
    await startUp.start();
    expect([ran, lines, startUp.isDone()]).toEqual([[0, 1, 2], [], true]);
    await startUp.done;
  });

  it('fails with what is wrong but for an absence', async () => {
    const error = new AppError('BAD_REQUEST');
    const { startUp, ran } = play({ steps: [() => Promise.reject(error), nothing] });
    await expect(startUp.start()).rejects.toBe(error);
    expect([ran, startUp.isDone()]).toEqual([[0], false]);
  });
});

describe('a start without its database', () => {
  it.each(['unavailable', 'timeout', 'busy'] as const)('may listen at once: %s', async (reason) => {
    const { startUp, lines, ran } = play({ health: away(reason), steps: [nothing] });
    await startUp.start();
    expect([ran, startUp.isDone()]).toEqual([[], false]);
    expect(lines).toEqual(['the database is away: the start is completed when it comes']);
  });

  it('does not wait for a database that says nothing at all', async () => {
    const { startUp } = play({ health: () => new Promise(() => {}), steps: [nothing], firstAnswerMs: 10 });
    await startUp.start();
    expect(startUp.isDone()).toBe(false);
  });

  it('does not wait for ever for a step either, and has it in the end', async () => {
    const held = Promise.withResolvers<void>();
    const { startUp, lines, ran } = play({ steps: [() => held.promise, nothing], patienceMs: 10 });
    await startUp.start();
    expect([ran, startUp.isDone()]).toEqual([[0], false]);
    expect(lines).toEqual(['the start takes long: the server listens, and serves when it is complete']);
    held.resolve();
    await startUp.done;
    expect([ran, startUp.isDone()]).toEqual([[0, 1], true]);
  });

  it('tells of what fails behind a start that takes long', async () => {
    const held = Promise.withResolvers<void>();
    const { startUp } = play({ steps: [() => held.promise], patienceMs: 10 });
    await startUp.start();
    const error = new AppError('BAD_REQUEST');
    held.reject(error);
    await expect(startUp.done).rejects.toBe(error);
  });

  it('does the rest when the database comes, each step once, and says so once', async () => {
    const { startUp, lines, ran, waits } = play({ health: failing(6), steps: [nothing, nothing] });
    await startUp.start();
    await startUp.done;
    expect([ran, startUp.isDone()]).toEqual([[0, 1], true]);
    expect(lines).toEqual([
      'the database is away: the start is completed when it comes',
      'the database has come: the start is complete',
    ]);
    expect(waits).toEqual([250, 500, 1000, 2000, 2000, 2000]);
  });

  it('repeats only what has failed', async () => {
    const { startUp, ran } = play({ steps: [nothing, failing(2, 'timeout'), nothing, failing(1, 'busy')] });
    await startUp.start();
    await startUp.done;
    expect(ran).toEqual([0, 1, 2, 3, 1, 3, 1]);
  });

  it('repeats a step at which the database fails, whatever with, and says so once', async () => {
    const cause = Object.assign(new Error('no'), { code: 211 });
    let left = 5;
    const refused: Answer = async () => {
      left -= 1;
      if (left >= 0) throw new StoreError('failed', { cause });
    };
    const { startUp, lines, ran } = play({
      steps: [refused, failing(1, 'duplicate'), failing(3, 'refused'), nothing],
    });
    await startUp.start();
    await startUp.done;
    expect([ran.length, lines]).toEqual([
      13,
      [
        'the database fails at a step of the start (failed, code 211): the step is repeated until it succeeds',
        'the database has come: the start is complete',
      ],
    ]);
  });

  it('is impossible where a step is refused again and again for what the database holds', async () => {
    const { startUp, ran, lines } = play({ steps: [nothing, failing(100, 'duplicate')] });
    await startUp.start();
    await expect(startUp.done).rejects.toMatchObject({ reason: 'duplicate' });
    expect(ran).toEqual([0, ...Array(15).fill(1)]);
    expect(lines).toEqual([
      'the database fails at a step of the start (duplicate): the step is repeated a few times',
    ]);
  });

  it('tells whoever waits what is wrong once the database has come', async () => {
    const error = new AppError('BAD_REQUEST');
    const { startUp } = play({ health: failing(1), steps: [() => Promise.reject(error)] });
    await startUp.start();
    await expect(startUp.done).rejects.toBe(error);
    expect(startUp.isDone()).toBe(false);
  });

  it('ends with the server: the step in hand is waited for, the next is not begun', async () => {
    const began = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const slow: Answer = () => {
      began.resolve();
      return held.promise;
    };
    const { startUp, ran } = play({ health: failing(1), steps: [slow, nothing] });
    await startUp.start();
    await began.promise;
    const closed = startUp.close();
    held.resolve();
    await closed;
    expect(ran).toEqual([0]);
  });
});
