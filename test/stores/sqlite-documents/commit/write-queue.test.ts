import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createWriteQueue } from '../../../../src/stores/sqlite-documents/commit/write-queue.ts';

function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

describe('the queue of writes', () => {
  it('runs work at once when empty, else one after the other in order', async () => {
    const queue = createWriteQueue({ limit: 10 });
    const log: string[] = [];
    const { open, passed } = gate();
    const first = queue.run(async () => {
      log.push('first');
      await passed;
      log.push('first ends');
    });
    expect(log).toEqual(['first']);
    const others = ['second', 'third'].map((name) => queue.run(() => log.push(name)));
    open();
    await Promise.all([first, ...others]);
    expect(log).toEqual(['first', 'first ends', 'second', 'third']);
  });

  it('continues after an error', async () => {
    const queue = createWriteQueue({ limit: 10 });
    const failing = queue.run(() => {
      throw new Error('broken');
    });
    const next = queue.run(() => 'fine');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('fine');
  });

  it('rejects work when full, except for internal work', async () => {
    const queue = createWriteQueue({ limit: 1 });
    const { open, passed } = gate();
    const running = queue.run(() => passed);
    const waiting = queue.run(() => 1);
    await expect(queue.run(() => 2)).rejects.toMatchObject({ reason: 'busy' });
    const internal = queue.run(() => 3, { internal: true });
    open();
    expect(await Promise.all([running, waiting, internal])).toEqual([undefined, 1, 3]);
  });

  it('rejects waiting work at its deadline', async () => {
    const queue = createWriteQueue({ limit: 5 });
    const { open, passed } = gate();
    const running = queue.run(() => passed);
    let ran = false;
    const late = queue.run(
      () => {
        ran = true;
      },
      { deadline: Date.now() + 5 },
    );
    await expect(late).rejects.toMatchObject({ reason: 'timeout' });
    open();
    await running;
    await queue.idle();
    expect(ran).toBe(false);
  });

  it('lets work wait for a deadline that is further away than a timer reaches', async () => {
    const queue = createWriteQueue({ limit: 5 });
    const { open, passed } = gate();
    const running = queue.run(() => passed);
    const waiting = queue.run(() => 1, { deadline: Number.MAX_SAFE_INTEGER });
    // Fires after a timer of one millisecond that was set before it.
    await delay(2);
    open();
    expect(await Promise.all([running, waiting])).toEqual([undefined, 1]);
  });

  it('yields to other events between many short operations', async () => {
    const queue = createWriteQueue({ limit: 1000 });
    const order: string[] = [];
    const busy = () => {
      const end = performance.now() + 2;
      while (performance.now() < end);
      order.push('work');
    };
    const all = Array.from({ length: 20 }, () => queue.run(busy));
    setImmediate(() => order.push('event'));
    await Promise.all(all);
    expect(order.indexOf('event')).toBeLessThan(10);
    await queue.idle();
  });
});
