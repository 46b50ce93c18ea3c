// Requests that share one entry into a real isolate, in a real host: what each of them gets, whatever its neighbours do.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostProcess, startHost } from './lab/host-process.ts';
import { DEFAULTS, headOf } from './lab/lab.ts';

const CPU_MS = 300;
const BASE = { model: false, fetch: false, cpuMs: CPU_MS, heapMb: 16 };

interface Results {
  readonly events: readonly (readonly [number, string, number, number])[];
  readonly errors: readonly (readonly [number, string, string])[];
  readonly returned: readonly number[];
  readonly idle: boolean;
  readonly disposed: boolean;
}

let host: HostProcess;
let lastUnit = 0;
let lastNumber = 0;

beforeAll(() => {
  host = startHost();
});
afterAll(() => host.child.kill('SIGKILL'));

const resultFrames = () => host.frames.filter(({ header }) => header.t === 'results');

/** Loads a module and answers what runs requests of it: the value of `query.do` of each, in one frame. */
async function moduleOf(source: string, options: object = {}) {
  lastUnit += 1;
  const moduleNumber = lastUnit;
  host.send({ ...DEFAULTS, ...BASE, ...options, t: 'load', moduleNumber }, source);
  const run = async (...orders: readonly string[]) => {
    const first = lastNumber + 1;
    lastNumber += orders.length;
    const heads = orders.map((order) => headOf({ query: { do: order } }));
    const requests = heads.map((head, n) => [first + n, Buffer.byteLength(head), 0]);
    const seen = resultFrames().length;
    host.send({ t: 'run', moduleNumber, maxInFlight: 16, requests }, ...heads);
    const frames = () => resultFrames().slice(seen);
    await expect.poll(() => frames().at(-1)?.header['idle']).toBe(true);
    const said: string[] = [];
    const failed: string[] = [];
    let disposed = false;
    let back: readonly number[] = [];
    for (const { header, raw } of frames()) {
      const results = header as unknown as Results;
      const bytes = Buffer.from(raw);
      let at = 0;
      for (const [number, kind, headBytes, bodyBytes] of results.events) {
        const head = bytes.toString('utf8', at, at + headBytes);
        at += headBytes;
        const text = kind === 'end' ? bytes.toString('utf8', at, at + bodyBytes) : head;
        at += bodyBytes;
        said.push(`${number - first} ${kind} ${text}`.trim());
      }
      failed.push(...results.errors.map(([number, kind]) => `${number - first} ${kind}`));
      disposed ||= results.disposed;
      back = results.returned.map((number) => number - first);
    }
    return { said, failed, back, disposed };
  };
  // The first request loads the module and runs by itself.
  await run('load');
  return run;
}

type Run = Awaited<ReturnType<typeof moduleOf>>;

/** Runs them as the server would, which sends again what was given back, as on a busy machine, until each is answered or has failed. */
async function runAll(run: Run, ...orders: readonly string[]) {
  const said: string[] = [];
  const failed: string[] = [];
  let isDisposed = false;
  for (let waiting = orders.map((_, n) => n); waiting.length > 0; ) {
    const sent = waiting;
    const result = await run(...sent.map((n) => orders[n] ?? ''));
    const numbered = (line: string) => line.replace(/^\d+/, (n) => String(sent[Number(n)]));
    const hasSpoken = result.back.filter((n) => result.said.some((line) => line.startsWith(`${n} `)));
    expect(hasSpoken, 'given back after it was heard of').toEqual([]);
    said.push(...result.said.map(numbered));
    failed.push(...result.failed.map(numbered));
    isDisposed ||= result.disposed;
    waiting = result.back.map((n) => sent[n] ?? 0);
  }
  return { said, failed, isDisposed };
}

const DO = `module.exports.get = (req, res) => {
  const order = req.query.do;
  if (order === 'loop') for (;;);
  if (order === 'throw') throw new Error('thrown');
  if (order === 'nothing') return;
  if (order === 'next') return arguments[2]();
  if (order === 'log and loop') for (console.log('looping'); ; );
  if (order === 'fill') for (const all = []; ; ) all.push('x'.repeat(100) + all.length);
  res.end(order);
  if (order === 'loop after') for (;;);
  if (order === 'fill after') for (const all = []; ; ) all.push('x'.repeat(100) + all.length);
  if (order === 'throw after') throw new Error('late');
  if (order === 'twice') res.end('again');
};`;
const HANDLER = DO.replace('(req, res) =>', 'function (req, res)');

describe('requests that share an entry', () => {
  it('are answered each, in order', async () => {
    const run = await moduleOf(HANDLER);
    expect(await runAll(run, 'a', 'ü', '𝄞', 'd')).toEqual({
      said: ['0 end a', '1 end ü', '2 end 𝄞', '3 end d'],
      failed: [],
      isDisposed: false,
    });
  });

  it('each have their own error, silence and pass', async () => {
    const run = await moduleOf(HANDLER);
    const all = ['a', 'throw', 'twice', 'nothing', 'next', 'b'];
    const { said, failed } = await runAll(run, ...all);
    expect(said).toEqual([
      '0 end a',
      expect.stringMatching(/^1 error \{"message":"thrown"/),
      '2 end twice',
      '3 silent',
      '4 next {}',
      '5 end b',
    ]);
    expect(failed).toEqual([]);
  });

  it('log each under its own number, also after an answer', async () => {
    const run = await moduleOf(
      'module.exports.get = (req, res) => { console.log("before " + req.query.do); res.end(); console.log("after " + req.query.do); };',
    );
    expect((await runAll(run, 'a', 'b')).said).toEqual([
      '0 log {"level":"info","message":"before a"}',
      '0 end',
      '0 log {"level":"info","message":"after a"}',
      '1 log {"level":"info","message":"before b"}',
      '1 end',
      '1 log {"level":"info","message":"after b"}',
    ]);
  });

  it('draw different random numbers', async () => {
    const run = await moduleOf('module.exports.get = (req, res) => res.end(String(Math.random()));');
    const { said } = await runAll(run, ...'abcdefgh');
    expect(new Set(said.map((line) => line.split(' ').at(-1))).size).toBe(8);
  });

  it('leave no trace for each other', async () => {
    const run = await moduleOf(`let count = 0;
      module.exports.get = function (req, res) {
        count += 1;
        const found = [typeof globalThis.mark, req.mark, res.mark, module.mark, Object.prototype.mark, count];
        for (const object of [globalThis, req, res, module, Object.prototype, Array, Math]) {
          try { object.mark = req.query.do; } catch {}
        }
        res.end(found.join());
      };`);
    const { said } = await runAll(run, 'a', 'b', 'c');
    expect(said).toEqual(['0', '1', '2'].map((n) => `${n} end undefined,,,,,1`));
  });
});

/** What each was answered with or failed with, by its order. */
async function settle(run: Run, orders: readonly string[]) {
  const { said, failed, isDisposed } = await runAll(run, ...orders);
  const outcomes: Record<string, string> = {};
  // What is told of one that has its answer changes nothing.
  for (const line of [...said, ...failed]) {
    const [n, kind = ''] = line.split(' ');
    const order = orders[Number(n)] ?? '';
    if (kind !== 'log') outcomes[order] ??= kind;
  }
  return { outcomes, isDisposed };
}

describe('a neighbour in a shared entry', () => {
  it('that loops is stopped, and those behind it go back', async () => {
    const run = await moduleOf(HANDLER);
    expect(await run('loop', 'b', 'c')).toMatchObject({ said: [], failed: ['0 timeout'], back: [1, 2] });
  });

  it('that loops behind others is the only one that is stopped', async () => {
    const run = await moduleOf(HANDLER);
    const { outcomes } = await settle(run, ['a', 'b', 'loop', 'd', 'e']);
    expect(outcomes).toEqual({ a: 'end', b: 'end', loop: 'timeout', d: 'end', e: 'end' });
  });

  it('that loops after it has logged is the only one that is stopped', async () => {
    const run = await moduleOf(HANDLER);
    const { outcomes } = await settle(run, ['a', 'b', 'log and loop', 'd']);
    expect(outcomes).toEqual({ a: 'end', b: 'end', 'log and loop': 'timeout', d: 'end' });
  });

  it('that answers at the end of its stack silences none of the others', async () => {
    const source = `module.exports.get = function (req, res) {
      const fall = () => { try { fall(); } catch {} res.end(req.query.do); };
      if (req.query.do.startsWith('deep')) fall();
      else res.end(req.query.do);
    };`;
    const run = await moduleOf(source, { cpuMs: 15_000 });
    const orders = ['a', 'deep 1', 'b', 'deep 2', 'c'];
    const { outcomes } = await settle(run, orders);
    expect(outcomes).toMatchObject({ a: 'end', b: 'end', c: 'end' });
  });

  it('that loops after its answer costs nobody an answer', async () => {
    const run = await moduleOf(HANDLER);
    const { outcomes } = await settle(run, ['a', 'loop after', 'c', 'd']);
    expect(outcomes).toEqual({ a: 'end', 'loop after': 'end', c: 'end', d: 'end' });
  });

  it('that throws after its answer changes nothing for the others', async () => {
    const run = await moduleOf(HANDLER);
    const { outcomes } = await settle(run, ['a', 'throw after', 'c']);
    expect(outcomes).toEqual({ a: 'end', 'throw after': 'end', c: 'end' });
  });

  it('that exhausts the heap is the only one that is blamed', async () => {
    const run = await moduleOf(HANDLER, { cpuMs: 15_000 });
    const { outcomes, isDisposed } = await settle(run, ['a', 'fill', 'c']);
    expect(outcomes).toEqual({ a: 'end', fill: 'memory', c: 'end' });
    expect(isDisposed).toBe(true);
  });

  it('that exhausts the heap after its answer costs nobody an answer', async () => {
    const run = await moduleOf(HANDLER, { cpuMs: 15_000 });
    const { outcomes, isDisposed } = await settle(run, ['a', 'fill after', 'c']);
    expect(outcomes).toEqual({ a: 'end', 'fill after': 'end', c: 'end' });
    expect(isDisposed).toBe(true);
  });

  it('cannot hold up answers again after it took long', async () => {
    const run = await moduleOf(HANDLER);
    await run('a', 'loop');
    // Each by itself now: the one that loops is the first of its entry.
    let result = await run('a', 'loop', 'c');
    // On a busy machine `a` may take so long that all behind it go back.
    while (result.back.includes(1)) result = await run('a', 'loop', 'c');
    expect(result).toMatchObject({ said: ['0 end a'], failed: ['1 timeout'], back: [2] });
  });
});

describe('a module whose requests share entries', () => {
  it('cannot reach a promise by any property', async () => {
    const run = await moduleOf(
      `module.exports.get = (req, res) => {
      const name = 'Pro' + 'mise';
      const found = [];
      const seen = new Set();
      const look = (object, path) => {
        if ((typeof object !== 'object' && typeof object !== 'function') || object === null || seen.has(object)) return;
        seen.add(object);
        if (typeof object === 'function' && object.name === name) found.push(path);
        for (const key of Reflect.ownKeys(object)) {
          if (String(key).startsWith('from' + 'As')) found.push(path + '.' + String(key));
          const { value, get, set } = Reflect.getOwnPropertyDescriptor(object, key);
          for (const next of [value, get, set]) look(next, path + '.' + String(key));
        }
        look(Object.getPrototypeOf(object), path + '^');
      };
      [globalThis, req, res, module, arguments].forEach((root, n) => look(root, String(n)));
      for (const key of Reflect.ownKeys(globalThis)) {
        if (typeof globalThis[key] !== 'function') continue;
        try { const made = globalThis[key](); if (typeof made?.then === 'function') found.push(String(key)); } catch {}
      }
      res.json({ found, looked: seen.size > 500 });
    };`.replace('(req, res) =>', 'function (req, res)'),
    );
    expect((await run('a')).said).toEqual(['0 end {"found":[],"looked":true}']);
  });

  it.each([
    ['may require modules', 'module.exports.get = (req, res) => res.end(typeof require);', {}, 'function'],
    ['names promises', 'module.exports.get = (req, res) => res.end(typeof Promise);', {}, 'function'],
    [
      'may call the server',
      'module.exports.get = (req, res) => res.end(typeof fetch);',
      { fetch: true },
      'function',
    ],
  ])('is none that %s', async (_, source, options, text) => {
    const run = await moduleOf(source, options);
    expect((await runAll(run, 'a', 'b')).said).toEqual([`0 end ${text}`, `1 end ${text}`]);
  });
});
