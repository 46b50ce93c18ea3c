import { describe, expect, it } from 'vitest';
import { headOf } from '../lab/lab.ts';
import { useLab } from '../lab/use-lab.ts';

const { lab, run, answer } = useLab();

const delays = (calls: readonly { name: string; args: Record<string, unknown> }[]) =>
  calls.map(({ name, args }) => [name, args['ms']]);

describe('timers', () => {
  it('are guest calls, answered later, with their arguments', async () => {
    const source = `module.exports.get = (req, res) => {
      const id = setTimeout((a, b) => res.json([typeof id, a, b]), 25, 'x', 2);
    }`;
    const { body, calls } = await run(source);
    expect(JSON.parse(body)).toEqual(['number', 'x', 2]);
    expect(delays(calls)).toEqual([['timer', 25]]);
  });

  it.each([
    ['setTimeout(end)', 0],
    ['setTimeout(end, -5)', 0],
    ['setTimeout(end, "20")', 20],
    ['setTimeout(end, 1.9)', 1],
    ['setTimeout(end, NaN)', 0],
    ['setTimeout(end, 1e12)', 5_000],
    ['setImmediate(end)', 0],
  ])('%s waits %d ms', async (code, ms) => {
    const { calls } = await run(
      `module.exports.get = (req, res) => { const end = () => res.end(); ${code}; }`,
    );
    expect(delays(calls)).toEqual([['timer', ms]]);
  });

  it('repeat until they are cleared', async () => {
    const source = `module.exports.get = (req, res) => {
      let n = 0;
      const id = setInterval(() => { n += 1; if (n === 3) { clearInterval(id); res.end(String(n)); } }, 10);
    }`;
    const { body, calls } = await run(source);
    expect([body, calls.length]).toEqual(['3', 4]);
  });

  it('do not run once cleared, and are not waited for', async () => {
    const source = `module.exports.get = (req, res) => {
      clearTimeout(setTimeout(() => res.end('ran'), 10)); clearTimeout(undefined); clearTimeout(99); clearImmediate('x');
    }`;
    expect((await run(source)).kind).toBe('silent');
  });

  it('are bounded in number', async () => {
    const many = (count: number) => `module.exports.get = (req, res) => {
      for (let i = 0; i < ${count}; i += 1) setTimeout(() => {}, 1); res.end('ok');
    }`;
    expect((await run(many(20))).kind).toBe('end');
    expect((await run(many(21))).head['message']).toBe('More than 20 timers in one request');
    const loop = 'module.exports.get = () => { setInterval(() => {}, 0); }';
    expect((await run(loop)).head['message']).toBe('More than 20 timers in one request');
  });

  it('end the request with what their callback throws', async () => {
    const { kind, head } = await run(
      'module.exports.get = () => { setTimeout(() => { throw new Error("late"); }, 1); }',
    );
    expect([kind, head['message']]).toEqual(['error', 'late']);
  });

  it('take functions only', async () => {
    expect((await run('module.exports.get = () => { setTimeout("code", 1); }')).head['message']).toBe(
      'A timer needs a function',
    );
  });

  it('do nothing after the end of their request', async () => {
    const guest = await lab().guest(
      'module.exports.get = (req, res) => { setTimeout(() => { console.log("ran"); res.end("late"); }, 1); res.end("done"); }',
    );
    const { events } = await guest.start(1, headOf());
    expect(events.map(([, kind]) => kind)).toEqual(['call', 'end']);
    expect((await guest.deliver(1, 1, { ok: true, value: null })).events).toEqual([]);
  });
});

describe('queueMicrotask', () => {
  it('runs before the turn ends', async () => {
    const source = `module.exports.get = (req, res) => { const order = ['a']; queueMicrotask(() => { order.push('c'); res.json(order); }); order.push('b'); }`;
    expect(await answer(source)).toEqual(['a', 'b', 'c']);
  });

  it('ends the request with what it throws', async () => {
    const { kind, head } = await run(
      'module.exports.get = () => { queueMicrotask(() => { throw new Error("soon"); }); }',
    );
    expect([kind, head['message']]).toEqual(['error', 'soon']);
  });
});
