import { describe, expect, it } from 'vitest';
import type { Emit, Guest, SliceEnd } from '../../sandbox/loaded-modules.js';
import { createRequestRunner } from '../../sandbox/request-runner.js';

interface Sent {
  readonly events: readonly (readonly [number, string])[];
  readonly errors: readonly (readonly [number, string, string])[];
  readonly returned: readonly number[];
  readonly idle: boolean;
  readonly sliceMs: number;
  readonly disposed: boolean;
}

const LIMITS = {
  loadMs: 300,
  cpuMs: 100,
  wallMs: 500,
  heapMb: 64,
  responseBytes: 1,
  logBytes: 1,
  logLines: 1,
};
const NONE = { model: false, fetch: false, bcrypt: false };
const POWERS = { ...NONE, hostCalls: 1, timers: 1, timerMs: 1, config: '{}' };
const OPTIONS = {
  t: 'load',
  moduleNumber: 1,
  name: 'a.js',
  kind: 'endpoint',
  isolation: 'realm',
  ...LIMITS,
  ...POWERS,
} as const;
const DONE: SliceEnd = { error: null };

/** A host whose guest does what the head of a request says: `end`, `wait`, or so many milliseconds of work. */
function hostOf({ synchronous = false, cpuMs = LIMITS.cpuMs } = {}) {
  const sent: Sent[] = [];
  const seen: string[] = [];
  const lost: (number | null)[] = [];
  let clock = 0;
  let isDisposed = false;
  const createGuest = (_: unknown, emit: Emit): Guest => ({
    synchronous,
    startAll({ requests, texts, mayGoOn }, ms) {
      let done = 0;
      let at = 0;
      seen.push(`${requests.length} ${texts} ${ms}`);
      for (const [number, headLength, bodyLength] of requests) {
        const head = texts.slice(at, at + headLength);
        at += headLength + bodyLength;
        done += 1;
        if (head.startsWith('work')) clock += Number(head.slice(4));
        if (head === 'loop') {
          clock += ms;
          if (done > 1) return { done: done - 1, end: DONE, of: 0 };
          return { done, end: { error: 'timeout', message: 'too long' }, of: number };
        }
        emit(number, 'end', 'h', 'b');
        if (!mayGoOn()) break;
      }
      return { done, end: DONE, of: 0 };
    },
    start(number, head, body, ms) {
      seen.push(`${number} ${head} ${body} ${ms}`);
      if (head === 'throw') throw new Error('unexpected');
      if (head.startsWith('work')) clock += Number(head.slice(4));
      if (head === 'wait') emit(number, 'call', '{}', '');
      else if (head === 'loop') {
        clock += ms;
        return { error: 'timeout', message: 'too long' };
      } else if (head === 'die') {
        isDisposed = true;
        return { error: 'memory', message: 'too much' };
      } else emit(number, 'end', 'h', 'b');
      return DONE;
    },
    deliver(number, call, ms) {
      seen.push(`${number} #${call.call} ${call.ok} ${call.text} ${ms}`);
      clock += 30;
      if (call.text === 'last') emit(number, 'end', '', '');
      return DONE;
    },
    forget: (number) => seen.push(`forget ${number}`),
    memory: () => ({ used: 4096, held: 0 }),
    dispose: () => undefined,
    get disposed() {
      return isDisposed;
    },
  });
  const runner = createRequestRunner({
    createGuest,
    writer: {
      add: (text: string) => text.length,
      cut: () => undefined,
      pending: () => 0,
      flush: (header) => sent.push(header as never),
    },
    now: () => clock,
    cpu: () => clock,
    peakMb: () => 100,
    lost: (number) => lost.push(number),
  });
  runner.load({ ...OPTIONS, cpuMs }, Buffer.from('code'));
  const run = (heads: readonly string[], { maxInFlight = 16, first = 1 } = {}) => {
    const requests = heads.map((head, n) => [first + n, Buffer.byteLength(head), 1] as const);
    runner.run(
      { t: 'run', moduleNumber: 1, maxInFlight, requests },
      Buffer.from(heads.map((head) => `${head}B`).join('')),
    );
    return sent.splice(0);
  };
  const deliver = (number: number, text: string, moduleNumber = 1) => {
    runner.deliver({ t: 'deliver', moduleNumber, number, call: 1, ok: true }, Buffer.from(text));
    return sent.splice(0);
  };
  return { runner, run, deliver, seen, lost, tick: (ms: number) => (clock += ms) };
}

const ended = ({ events }: Sent) => events.map(([number, kind]) => `${number} ${kind}`);

describe('a batch', () => {
  it('of short runner is answered in one frame, in order', () => {
    const { run, seen, tick } = hostOf();
    const frames = run(['a', 'ü', 'c']);
    expect(frames).toHaveLength(1);
    expect(frames[0]).toMatchObject({ idle: true, returned: [], errors: [], disposed: false, cpuMs: 0 });
    expect(frames.map(ended)).toEqual([['1 end', '2 end', '3 end']]);
    expect(seen).toEqual(['1 a B 100', '2 ü B 100', '3 c B 100']);
    tick(250);
    expect([frames, run(['a'])]).toMatchObject([[{ heapBytes: 0 }], [{ heapBytes: 4096 }]]);
  });

  it('stops after a long turn, and gives the rest back', () => {
    const { run } = hostOf();
    const frames = run(['a', 'work3', 'c', 'd']);
    expect(frames).toHaveLength(1);
    expect(frames[0]).toMatchObject({ returned: [3, 4], idle: true, sliceMs: 3, cpuMs: 3 });
  });

  it('that has become long sends its answers one by one', () => {
    const { run } = hostOf();
    expect(run(['work1.5', 'work1.5', 'c', 'd']).map(ended)).toEqual([
      ['1 end', '2 end'],
      ['3 end'],
      ['4 end'],
    ]);
  });

  it('holds no answer up behind another turn, once a turn was very long', () => {
    const { run, tick } = hostOf();
    run(['loop']);
    expect(run(['a', 'b'], { first: 2 }).map(ended)).toEqual([['2 end'], ['3 end']]);
    tick(10_001);
    expect(run(['a', 'b'], { first: 4 }).map(ended)).toEqual([['4 end', '5 end']]);
  });

  it('gives back what would wait beyond the maxInFlight for it', () => {
    const { run } = hostOf();
    expect(run(['wait', 'a', 'wait', 'b'], { maxInFlight: 2 })[0]).toMatchObject({ returned: [4] });
    expect(run(['c'], { maxInFlight: 2, first: 5 })[0]).toMatchObject({ returned: [5], events: [] });
  });

  it('stops when the isolate is gone', () => {
    const { run } = hostOf();
    expect(run(['die', 'a'])[0]).toMatchObject({
      errors: [[1, 'memory', 'too much']],
      returned: [2],
      disposed: true,
    });
  });

  it('of a moduleNumber that was never loaded ends the host', () => {
    const { runner, lost } = hostOf();
    runner.run({ t: 'run', moduleNumber: 9, maxInFlight: 1, requests: [] }, Buffer.alloc(0));
    expect(lost).toEqual([null]);
  });

  it('says of code that does not compile that it cannot be loaded', () => {
    const sent: unknown[] = [];
    const runner = createRequestRunner({
      createGuest: () => {
        throw new SyntaxError('Unexpected token');
      },
      writer: { add: () => 0, cut: () => undefined, pending: () => 0, flush: (header) => sent.push(header) },
      now: () => 0,
      cpu: () => 0,
      peakMb: () => 0,
      lost: () => undefined,
    });
    runner.load(OPTIONS, Buffer.from('code'));
    runner.run({ t: 'run', moduleNumber: 1, maxInFlight: 1, requests: [[1, 0, 0]] }, Buffer.alloc(0));
    expect(sent).toMatchObject([{ errors: [[1, 'load', 'Unexpected token']], idle: true }]);
  });
});

describe('a batch of a synchronous module', () => {
  const loaded = () => {
    const host = hostOf({ synchronous: true });
    host.run(['first'], { first: 100 });
    host.seen.length = 0;
    return host;
  };

  it('runs in one entry under the time of the first request, once the module is loaded', () => {
    const host = hostOf({ synchronous: true });
    expect(host.run(['a', 'ü', 'c']).map(ended)).toEqual([['1 end', '2 end', '3 end']]);
    expect(host.seen).toEqual(['1 a B 100', '2 üBcB 100']);
    expect(host.run(['d', 'e'], { first: 4 }).map(ended)).toEqual([['4 end', '5 end']]);
    expect(host.seen.at(-1)).toBe('2 dBeB 100');
  });

  it('stops behind a long request, and gives the rest back', () => {
    const { run } = loaded();
    const frames = run(['a', 'work3', 'c', 'd']);
    expect(frames.map(ended)).toEqual([['1 end', '2 end']]);
    expect(frames[0]).toMatchObject({ returned: [3, 4], idle: true, sliceMs: 3, cpuMs: 3 });
  });

  it('that has become long sends its answers before it goes on', () => {
    const { run, seen } = loaded();
    expect(run(['work1.5', 'work1.5', 'c', 'd']).map(ended)).toEqual([
      ['1 end', '2 end'],
      ['3 end'],
      ['4 end'],
    ]);
    expect(seen[0]).toBe('4 work1.5Bwork1.5BcBdB 100');
  });

  it('gives back one that ran out of time behind another, and blames nobody', () => {
    const { run } = loaded();
    expect(run(['a', 'loop', 'c'])).toMatchObject([
      { events: [[1, 'end', 1, 1]], errors: [], returned: [2, 3], idle: true },
    ]);
  });

  it('is shared by as many as have 64 KB of text together', () => {
    const { run, seen } = loaded();
    const large = 'x'.repeat(30_000);
    expect(run([large, large, large, 'd']).map(ended)).toEqual([['1 end', '2 end', '3 end', '4 end']]);
    expect(seen.map((line) => line.slice(0, 2))).toEqual(['2 ', '2 ']);
    seen.length = 0;
    run(['x'.repeat(70_000), 'b'], { first: 5 });
    expect(seen.map((line) => line.slice(0, 3))).toEqual(['5 x', '6 b']);
  });

  it('runs one by one once a request took long', () => {
    const { run, seen, tick } = loaded();
    run(['loop', 'b']);
    seen.length = 0;
    run(['a', 'b'], { first: 3 });
    expect(seen).toEqual(['3 a B 100', '4 b B 100']);
    tick(60_001);
    run(['a', 'b'], { first: 5 });
    expect(seen.at(-1)).toBe('2 aBbB 100');
  });
});

describe('a request that waits', () => {
  it('goes on under what is left of its CPU time', () => {
    const { run, deliver, seen } = hostOf();
    run(['wait']);
    expect(deliver(1, 'first')).toMatchObject([{ events: [], idle: true }]);
    expect(deliver(1, 'last')).toMatchObject([{ events: [[1, 'end', 0, 0]], idle: true }]);
    expect(seen.slice(1)).toEqual(['1 #1 true first 100', '1 #1 true last 70']);
    expect(deliver(1, 'late')).toMatchObject([{ events: [], idle: true }]);
    expect(seen).toHaveLength(3);
  });

  it('ends when its CPU time is used up', () => {
    const { run, deliver, seen } = hostOf();
    run(['wait']);
    for (const text of ['a', 'b', 'c', 'd']) deliver(1, text);
    expect(deliver(1, 'e')).toMatchObject([{ errors: [[1, 'timeout', 'no time is left']], idle: true }]);
    expect(seen.at(-1)).toBe('forget 1');
    expect(deliver(1, 'f')).toMatchObject([{ errors: [], events: [] }]);
  });

  it('runs hardly longer than its wall time, and has some of it however late it is its turn', () => {
    const { run, deliver, seen, tick } = hostOf({ cpuMs: 10_000 });
    run(['wait', 'wait']);
    tick(200);
    deliver(1, 'a');
    expect(seen.at(-1)).toBe('1 #1 true a 300');
    tick(460);
    deliver(2, 'a');
    expect(seen.at(-1)).toBe('2 #1 true a 200');
  });

  it('is forgotten when told, and with its moduleNumber', () => {
    const { runner, run, deliver, seen } = hostOf();
    run(['wait', 'wait']);
    runner.forget({ t: 'forget', moduleNumber: 1, number: 1 });
    runner.forget({ t: 'forget', moduleNumber: 1, number: 7 });
    runner.forget({ t: 'forget', moduleNumber: 7, number: 1 });
    expect(seen.filter((line) => line.startsWith('forget'))).toEqual(['forget 1']);
    runner.drop({ t: 'drop', moduleNumber: 1 });
    expect(deliver(2, 'last')).toMatchObject([{ events: [], idle: true }]);
  });
});
