// How fast a client takes what waits for it, by a clock that the test moves.
import { expect, test } from 'vitest';
import { SendProgress } from '../../../src/http/transport/send-progress.ts';

function watch() {
  const socket = { bytesWritten: 0, writableLength: 0 };
  let time = 0;
  const progress = new SendProgress(socket, { now: () => time, windowMs: 1000, leastBytes: 100 });
  return {
    progress,
    /** Time goes on, the client takes so many bytes of what waits, and the server writes more. */
    step(milliseconds: number, taken: number, written = 0) {
      time += milliseconds;
      socket.writableLength += written - taken;
      socket.bytesWritten += written;
      return { stalled: progress.stalledMs(), isTooSlow: progress.isTooSlow() };
    },
  };
}

test('a client that takes nothing has stalled since it took something', () => {
  const { step } = watch();
  expect(step(500, 0).stalled).toBe(0);
  step(0, 0, 1000);
  expect(step(500, 0).stalled).toBe(500);
  expect(step(400, 0).stalled).toBe(900);
  expect(step(100, 1).stalled).toBe(0);
  expect(step(100, 999).stalled).toBe(0);
  expect(step(5000, 0)).toEqual({ stalled: 0, isTooSlow: false });
});

test('a client that takes a little now and then is too slow at the end of each window', () => {
  const { step } = watch();
  step(0, 0, 10_000);
  const seen = Array.from({ length: 8 }, () => step(250, 10).isTooSlow);
  expect(seen).toEqual([false, false, false, true, false, false, false, true]);
});

test('a client is fast enough whose window has enough bytes, however they come', () => {
  const { step } = watch();
  step(0, 0, 10_000);
  for (let window = 0; window < 5; window += 1) {
    const seen = [0, 0, 0, 100].map((taken) => step(250, taken).isTooSlow);
    expect(seen).toEqual([false, false, false, false]);
  }
});

test('a client that has taken everything is not measured until something waits again', () => {
  const { step } = watch();
  step(0, 0, 50);
  step(900, 50);
  expect(step(10_000, 0).isTooSlow).toBe(false);
  step(0, 0, 1000);
  expect(step(900, 0).isTooSlow).toBe(false);
  expect(step(100, 10).isTooSlow).toBe(true);
});
