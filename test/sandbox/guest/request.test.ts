import { describe, expect, it } from 'vitest';
import { headOf } from '../lab/lab.ts';
import { MODES, useLab } from '../lab/use-lab.ts';

const { lab, run, thrown } = useLab();
const OK = { ok: true, value: null };
const kinds = (events: readonly (readonly [number, string, string, string])[]) =>
  events.map(([, kind]) => kind);

describe.each(MODES)('guest calls (%s)', (isolation) => {
  it('of several requests interleave without mixing', async () => {
    const guest = await lab().guest(
      `exports.get = async (req, res) => {
        const first = await Model('a').find({ who: req.query.who });
        const second = await Model('b').find({ who: req.query.who });
        res.json([req.query.who, first, second]);
      }`,
      { isolation },
    );
    for (const number of [1, 2, 3]) {
      const { events } = await guest.start(number, headOf({ query: { who: `r${number}` } }));
      expect(events).toEqual([
        [number, 'call', '{"call":1,"name":"model.find"}', `{"collection":"a","query":{"who":"r${number}"}}`],
      ]);
    }
    for (const number of [3, 1, 2]) await guest.deliver(number, 1, { ok: true, value: number * 10 });
    for (const number of [2, 3, 1]) {
      const { events } = await guest.deliver(number, 2, { ok: true, value: number * 100 });
      expect(JSON.parse(events[0]?.[3] ?? '')).toEqual([`r${number}`, number * 10, number * 100]);
    }
  });

  it('are answered once, and not at all where request or call is unknown or over', async () => {
    const guest = await lab().guest(
      'exports.get = async (req, res) => { await Model("a").find(); console.log("once"); await Model("b").find(); res.end(); }',
      { isolation },
    );
    await guest.start(1, headOf());
    expect(kinds((await guest.deliver(2, 1, OK)).events)).toEqual([]);
    expect(kinds((await guest.deliver(1, 7, OK)).events)).toEqual([]);
    expect(kinds((await guest.deliver(1, 1, OK)).events)).toEqual(['log', 'call']);
    expect(kinds((await guest.deliver(1, 1, OK)).events)).toEqual([]);
    expect(kinds((await guest.deliver(1, 2, OK)).events)).toEqual(['end']);
    expect(kinds((await guest.deliver(1, 2, OK)).events)).toEqual([]);
  });

  it('of a forgotten request wake nothing', async () => {
    const guest = await lab().guest(
      'exports.get = async (req, res) => { await Model("a").find(); res.end("woke"); }',
      { isolation },
    );
    await guest.start(1, headOf());
    expect(kinds((await guest.forget(1)).events)).toEqual([]);
    expect(kinds((await guest.deliver(1, 1, OK)).events)).toEqual([]);
    expect(kinds((await guest.start(2, headOf())).events)).toEqual(['call']);
    expect((await guest.deliver(2, 1, OK)).events[0]?.[3]).toBe('woke');
  });

  it('are bounded in number', async () => {
    const source = `exports.get = async (req, res) => {
      for (let i = 0; i < 6; i += 1) await Model('a').find();
    }`;
    const { kind, head, calls } = await run(source, { isolation, hostCalls: 5 });
    expect([kind, head['message'], calls.length]).toEqual([
      'error',
      'More than 5 calls of the server in one request',
      5,
    ]);
  });

  it('cannot be made after the end', async () => {
    const source = `exports.get = (req, res) => { res.end('ok'); try { Model('a').find({}, () => {}); } catch (error) { console.log(error.message); } }`;
    const { logs, calls } = await run(source, { isolation });
    expect([logs[0]?.['message'], calls]).toEqual(['This request is over', []]);
  });
});

describe('a request that answers nothing', () => {
  it.each([
    'exports.get = () => {}',
    'exports.get = async () => {}',
    'exports.get = () => new Promise(() => {})',
    'exports.get = async () => { await new Promise((go) => setTimeout(go, 1)); }',
    'exports.get = () => { Promise.reject(new Error("x")).catch(() => {}); }',
  ])('%s', async (source) => {
    expect((await run(source)).kind).toBe('silent');
  });
});

describe('rejections that nobody handles', () => {
  it.each(MODES)('end nothing, and are looked at by nobody (%s)', async (isolation) => {
    const source = `
      let seen = '';
      const reason = (name) => ({ get message() { seen += name; return name; }, get stack() { seen += name; return name; } });
      Promise.reject(reason('a'));
      exports.get = async (req, res) => {
        Promise.reject(reason('b'));
        await new Promise((go) => setTimeout(go, 1));
        Promise.reject(reason('c'));
        await new Promise((go) => setTimeout(go, 1));
        res.end('fine' + seen);
      }`;
    const { kind, body, logs } = await run(source, { isolation });
    expect([kind, body, logs]).toEqual(['end', 'fine', []]);
  });

  it('spare the answer that was sent before', async () => {
    expect(
      (await run('exports.get = (req, res) => { res.end("sent"); Promise.reject(new Error("after")); }'))
        .body,
    ).toBe('sent');
  });
});

describe('the helpers of the host', () => {
  it('have a budget, so that a loop of them ends', async () => {
    expect(await thrown('(() => { for (;;) new URL("http://a"); })()', { cpuMs: 5_000 })).toContain(
      'RangeError: Too much work',
    );
    expect(
      await thrown('(() => { const text = "x".repeat(1_000_000); for (;;) btoa(text); })()', {
        cpuMs: 5_000,
      }),
    ).toContain('RangeError: Too much work');
  });
});
