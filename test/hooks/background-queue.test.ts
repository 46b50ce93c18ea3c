import { describe, expect, it } from 'vitest';
import { createBackgroundQueue } from '../../src/hooks/background-queue.ts';

function tasks() {
  const gates: PromiseWithResolvers<void>[] = [];
  const task = (size = 1) => {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    gates.push(gate);
    return {
      size,
      begun: begun.promise,
      end: () => gate.resolve(),
      run: () => {
        begun.resolve();
        return gate.promise;
      },
    };
  };
  return { task };
}

const isBegun = async ({ begun }: { begun: Promise<void> }) =>
  (await Promise.race([begun.then(() => true), Promise.resolve(false)])) === true;

describe('the background queue', () => {
  it('runs four tasks at a time, in order', async () => {
    const { task } = tasks();
    const behind = createBackgroundQueue();
    const all = [task(), task(), task(), task(), task(), task()];
    expect(all.every((one) => behind.add(one))).toBe(true);
    await all[3]!.begun;
    expect(await isBegun(all[4]!)).toBe(false);
    all[1]!.end();
    await all[4]!.begun;
    expect(await isBegun(all[5]!)).toBe(false);
    for (const one of all) one.end();
    await all[5]!.begun;
    await behind.close();
  });

  it('limits the number and the size of waiting tasks', () => {
    const { task } = tasks();
    const behind = createBackgroundQueue();
    for (let n = 0; n < 4; n += 1) behind.add(task());
    for (let n = 0; n < 10_000; n += 1) expect(behind.add(task())).toBe(true);
    expect(behind.add(task())).toBe(false);
    const other = createBackgroundQueue();
    for (let n = 0; n < 4; n += 1) other.add(task());
    expect(other.add(task(60 * 1024 * 1024))).toBe(true);
    expect(other.add(task(5 * 1024 * 1024))).toBe(false);
    expect(other.add(task(1))).toBe(true);
  });

  it('accepts tasks again once a large one has started', async () => {
    const { task } = tasks();
    const behind = createBackgroundQueue();
    const first = task();
    behind.add(first);
    for (let n = 0; n < 3; n += 1) behind.add(task());
    const large = task(64 * 1024 * 1024);
    expect(behind.add(large)).toBe(true);
    expect(behind.add(task())).toBe(false);
    first.end();
    await large.begun;
    expect(behind.add(task())).toBe(true);
  });

  it('drops waiting tasks when it closes and waits for running ones', async () => {
    const { task } = tasks();
    const behind = createBackgroundQueue();
    const all = [task(), task(), task(), task(), task()];
    for (const one of all) behind.add(one);
    let closed = false;
    const closing = behind.close().then(() => {
      closed = true;
    });
    expect(behind.add(task())).toBe(false);
    for (const one of all.slice(0, 3)) one.end();
    await all[2]!.begun;
    expect(closed).toBe(false);
    all[3]!.end();
    await closing;
    expect(await isBegun(all[4]!)).toBe(false);
  });
});
