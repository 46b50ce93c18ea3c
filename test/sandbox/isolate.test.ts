// Guests in real isolates: what a turn leaves behind, what it may cost, what grows.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { headOf } from './lab/lab.ts';
import { MODES, useLab } from './lab/use-lab.ts';

const { lab } = useLab();
const OK = 'exports.get = (req, res) => res.end("fine")';
const kinds = (events: readonly (readonly [number, string, string, string])[]) =>
  events.map(([, kind]) => kind);

describe.each(MODES)('a turn that is stopped (%s)', (isolation) => {
  it.each([
    'for (;;);',
    '/(a+)+b/.test("a".repeat(40))',
    '[3, 1, 2].sort(() => { for (;;); })',
    'JSON.stringify({ toJSON() { for (;;); } })',
    'new Proxy({}, { get() { for (;;); } }).x',
    'for (const x of (function* () { for (;;) yield 1; })());',
    'try { for (;;); } finally { for (;;); }',
    'await null; for (;;);',
    'for (;;) await null;',
    'const spin = () => Promise.resolve().then(spin); await spin();',
    'queueMicrotask(function again() { queueMicrotask(again); }); await new Promise(() => {})',
    // Left alone, none of them would.
  ])('ends in time and leaves the guest usable: %s', async (code) => {
    const guest = await lab().guest(
      `exports.get = async (req, res) => { if (req.query.bad) { ${code} } res.end('fine'); }`,
      { isolation },
    );
    const { end, disposed } = await guest.start(1, headOf({ query: { bad: '1' } }), '', 50);
    expect(end.error).toBe('timeout');
    if (!disposed) expect((await guest.start(2, headOf())).events[0]?.[3]).toBe('fine');
  });

  it('leaves no microtask that speaks or runs in a later turn', async () => {
    const source = `exports.get = async (req, res) => {
      if (!req.query.bad) return void (await null, await null, res.end('mine'));
      for (let i = 0; i < 10; i += 1) Promise.resolve().then(() => { console.log('left over'); res.end('left over'); fetch('http://a'); });
      for (;;);
    }`;
    // A machine so busy that there is no time to clean up costs the isolate; then there is nothing left that could run.
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const guest = await lab().guest(source, { isolation });
      const stopped = await guest.start(1, headOf({ query: { bad: '1' } }), '', 30);
      expect([stopped.end.error, stopped.events]).toEqual(['timeout', []]);
      if (stopped.disposed) continue;
      expect((await guest.start(2, headOf())).events).toEqual([[2, 'end', '[200,[],"text"]', 'mine']]);
      return;
    }
    throw new Error('the isolate was disposed of five times');
  });

  it('after an answer keeps the answer', async () => {
    const guest = await lab().guest('exports.get = (req, res) => { res.end("sent"); for (;;); }', {
      isolation,
    });
    // Long enough to come to its answer on a machine that stalls meanwhile.
    const { end, events } = await guest.start(1, headOf(), '', 1_500);
    expect([end.error, kinds(events)]).toEqual(['timeout', ['end']]);
  });
});

describe('a request that waits, while another one of its isolate is stopped', () => {
  it('goes on', async () => {
    const guest = await lab().guest(
      'exports.get = async (req, res) => { if (req.query.bad) for (;;); await Model("a").find(); res.end("went on"); }',
    );
    await guest.start(1, headOf());
    expect((await guest.start(2, headOf({ query: { bad: '1' } }), '', 30)).end.error).toBe('timeout');
    expect((await guest.deliver(1, 1, { ok: true, value: null })).events[0]?.[3]).toBe('went on');
  });
});

describe('memory', () => {
  it.each(MODES)('beyond the limit ends the turn (%s)', async (isolation) => {
    const guest = await lab().guest(
      'exports.get = (req, res) => { const all = []; while (req.query.bad) all.push(new Array(10_000).fill(1)); res.end("fine"); }',
      { isolation, heapMb: 16 },
    );
    const { end, disposed } = await guest.start(1, headOf({ query: { bad: '1' } }), '', 20_000);
    expect([end.error, disposed]).toEqual(['memory', isolation !== 'isolate']);
  });

  it('does not grow from call to call', async () => {
    const guest = await lab().guest(
      `class Row { #n; constructor(n) { this.#n = n; } get n() { return this.#n; } }
       exports.get = async (req, res) => {
         const rows = Array.from({ length: 20 }, (_, n) => new Row(n)); await null;
         res.json({ rows: rows.map(({ n }) => n), s: Symbol.for('k') === Symbol.for('k'), d: new Date(0), r: /a/.exec('a') });
       }`,
    );
    const { heap, disposed, events } = await guest.repeat(24_000, 2_000);
    expect([disposed, kinds(events)]).toEqual([false, ['end']]);
    const settled = Math.max(...heap.slice(0, 3));
    expect(Math.min(...heap.slice(-3))).toBeLessThan(settled * 1.02 + 262_144);
  });
});

describe('the text of a request', () => {
  const asText = headOf({ method: 'POST', bodyType: 'text' });

  it('does not stay in the isolate', async () => {
    const guest = await lab().guest('exports.post = (req, res) => { res.end(String(req.body.length)); }');
    const { heap, events } = await guest.repeat(4_000, 1_000, asText, 'x'.repeat(20_000));
    expect(events[0]?.[3]).toBe('20000');
    // 80 MB were sent.
    expect(Math.max(...heap)).toBeLessThan(20_000_000);
  });

  it.each([0, 1, 510, 511, 512, 1022, 1023, 1024, 2046, 65_535, 65_536, 65_537, 200_000])(
    'of %i characters arrives as it was sent, whatever is at the ends of its pieces',
    async (length) => {
      const guest = await lab().guest('exports.post = (req, res) => { res.end(req.body); }');
      const texts = ['a', 'é', '😀', 'a😀'].map((unit) =>
        unit.repeat(length).slice(0, length).toWellFormed(),
      );
      for (const [index, text] of texts.entries()) {
        const { events } = await guest.start(index + 1, asText, text);
        expect(events[0]?.[3] === text).toBe(true);
      }
    },
  );
});

describe('requests that answer nothing', () => {
  it('leave nothing behind', async () => {
    const guest = await lab().guest(
      'exports.get = () => { const data = new Array(10_000).fill(1.5); clearTimeout(setTimeout(() => data, 1)); }',
      { heapMb: 16 },
    );
    const { disposed, events } = await guest.repeat(2_000, 2_000);
    expect([disposed, kinds(events)]).toEqual([false, ['call', 'silent']]);
  });
});

describe('the versions that a host reports', () => {
  it('are those of the installed packages', async () => {
    const installed = JSON.parse(
      readFileSync(new URL('../../node_modules/isolated-vm/package.json', import.meta.url), 'utf8'),
    );
    const wanted = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const versions = await lab().versions();
    expect(versions).toEqual({
      node: process.versions.node,
      v8: process.versions.v8,
      isolatedVm: installed.version,
    });
    expect(wanted.devDependencies['isolated-vm']).toBe(versions['isolatedVm']);
  });
});

describe('a guest', () => {
  it('is refused where its code does not compile', async () => {
    await expect(lab().guest('let a = ;')).rejects.toThrow("SyntaxError: Unexpected token ';'");
  });

  it('answers nothing once it is disposed of', async () => {
    const guest = await lab().guest(OK);
    expect(await guest.heapBytes()).toBeGreaterThan(100_000);
    await guest.dispose();
  });
});
