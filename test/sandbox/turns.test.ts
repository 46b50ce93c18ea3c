import { describe, expect, it } from 'vitest';
import { createTurns } from '../../sandbox/turns.js';
import type { Emit, Guest, TurnEnd } from '../../sandbox/units.js';

interface Sent {
  readonly events: readonly (readonly [number, string])[];
  readonly faults: readonly (readonly [number, string, string])[];
  readonly back: readonly number[];
  readonly idle: boolean;
  readonly turnMs: number;
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
const POWERS = { hostCalls: 1, timers: 1, timerMs: 1, model: false, fetch: false };
const OPTIONS = {
  t: 'load',
  unit: 1,
  name: 'a.js',
  kind: 'endpoint',
  isolation: 'realm',
  ...LIMITS,
  ...POWERS,
} as const;
const DONE: TurnEnd = { fault: null };

/** A host whose guest does what the head of a request says: `end`, `wait`, or so many milliseconds of work. */
function hostOf({ synchronous = false } = {}) {
  const sent: Sent[] = [];
  const seen: string[] = [];
  const lost: (number | null)[] = [];
  let clock = 0;
  let isDisposed = false;
  const createGuest = (_: unknown, emit: Emit): Guest => ({
    synchronous,
    startAll({ jobs, texts, mayGoOn }, ms) {
      let done = 0;
      let at = 0;
      seen.push(`${jobs.length} ${texts} ${ms}`);
      for (const [job, headLength, bodyLength] of jobs) {
        const head = texts.slice(at, at + headLength);
        at += headLength + bodyLength;
        done += 1;
        if (head.startsWith('work')) clock += Number(head.slice(4));
        if (head === 'loop') {
          clock += ms;
          return { done: Math.max(1, done - 1), end: { fault: 'timeout', message: 'too long' } };
        }
        emit(job, 'end', 'h', 'b');
        if (!mayGoOn()) break;
      }
      return { done, end: DONE };
    },
    start(job, head, body, ms) {
      seen.push(`${job} ${head} ${body} ${ms}`);
      if (head === 'throw') throw new Error('unexpected');
      if (head.startsWith('work')) clock += Number(head.slice(4));
      if (head === 'wait') emit(job, 'call', '{}', '');
      else if (head === 'loop') {
        clock += ms;
        return { fault: 'timeout', message: 'too long' };
      } else if (head === 'die') {
        isDisposed = true;
        return { fault: 'memory', message: 'too much' };
      } else emit(job, 'end', 'h', 'b');
      return DONE;
    },
    deliver(job, call, ms) {
      seen.push(`${job} #${call.call} ${call.ok} ${call.text} ${ms}`);
      clock += 30;
      if (call.text === 'last') emit(job, 'end', '', '');
      return DONE;
    },
    forget: (job) => seen.push(`forget ${job}`),
    heapBytes: () => 0,
    dispose: () => undefined,
    get disposed() {
      return isDisposed;
    },
  });
  const turns = createTurns({
    createGuest,
    writer: {
      add: (text: string) => text.length,
      cut: () => undefined,
      pending: () => 0,
      flush: (header) => sent.push(header as never),
    },
    now: () => clock,
    cpu: () => clock,
    lost: (job) => lost.push(job),
  });
  turns.load(OPTIONS, Buffer.from('code'));
  const run = (heads: readonly string[], { room = 16, first = 1 } = {}) => {
    const jobs = heads.map((head, n) => [first + n, Buffer.byteLength(head), 1] as const);
    turns.run({ t: 'run', unit: 1, room, jobs }, Buffer.from(heads.map((head) => `${head}B`).join('')));
    return sent.splice(0);
  };
  const deliver = (job: number, text: string, unit = 1) => {
    turns.deliver({ t: 'deliver', unit, job, call: 1, ok: true }, Buffer.from(text));
    return sent.splice(0);
  };
  return { turns, run, deliver, seen, lost, tick: (ms: number) => (clock += ms) };
}

const ended = ({ events }: Sent) => events.map(([job, kind]) => `${job} ${kind}`);

describe('a batch', () => {
  it('of short turns is answered in one frame, in order', () => {
    const { run, seen } = hostOf();
    const frames = run(['a', 'ü', 'c']);
    expect(frames).toHaveLength(1);
    expect(frames[0]).toMatchObject({ idle: true, back: [], faults: [], disposed: false });
    expect(frames.map(ended)).toEqual([['1 end', '2 end', '3 end']]);
    expect(seen).toEqual(['1 a B 100', '2 ü B 100', '3 c B 100']);
  });

  it('stops after a long turn, and gives the rest back', () => {
    const { run } = hostOf();
    const frames = run(['a', 'work3', 'c', 'd']);
    expect(frames).toHaveLength(1);
    expect(frames[0]).toMatchObject({ back: [3, 4], idle: true, turnMs: 3 });
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

  it('gives back what would wait beyond the room for it', () => {
    const { run } = hostOf();
    expect(run(['wait', 'a', 'wait', 'b'], { room: 2 })[0]).toMatchObject({ back: [4] });
    expect(run(['c'], { room: 2, first: 5 })[0]).toMatchObject({ back: [5], events: [] });
  });

  it('stops when the isolate is gone', () => {
    const { run } = hostOf();
    expect(run(['die', 'a'])[0]).toMatchObject({
      faults: [[1, 'memory', 'too much']],
      back: [2],
      disposed: true,
    });
  });

  it('of a unit that was never loaded ends the host', () => {
    const { turns, lost } = hostOf();
    turns.run({ t: 'run', unit: 9, room: 1, jobs: [] }, Buffer.alloc(0));
    expect(lost).toEqual([null]);
  });

  it('says of code that does not compile that it cannot be loaded', () => {
    const sent: unknown[] = [];
    const turns = createTurns({
      createGuest: () => {
        throw new SyntaxError('Unexpected token');
      },
      writer: { add: () => 0, cut: () => undefined, pending: () => 0, flush: (header) => sent.push(header) },
      now: () => 0,
      cpu: () => 0,
      lost: () => undefined,
    });
    turns.load(OPTIONS, Buffer.from('code'));
    turns.run({ t: 'run', unit: 1, room: 1, jobs: [[1, 0, 0]] }, Buffer.alloc(0));
    expect(sent).toMatchObject([{ faults: [[1, 'load', 'Unexpected token']], idle: true }]);
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
    expect(frames[0]).toMatchObject({ back: [3, 4], idle: true, turnMs: 3 });
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

  it('gives back one that ran out of time behind another', () => {
    const { run } = loaded();
    expect(run(['a', 'loop', 'c'])).toMatchObject([
      { events: [[1, 'end', 1, 1]], faults: [[1, 'timeout', 'too long']], back: [2, 3], idle: true },
    ]);
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
    expect(deliver(1, 'e')).toMatchObject([{ faults: [[1, 'timeout', 'no time is left']], idle: true }]);
    expect(seen.at(-1)).toBe('forget 1');
    expect(deliver(1, 'f')).toMatchObject([{ faults: [], events: [] }]);
  });

  it('runs no longer than its wall time', () => {
    const { run, deliver, seen, tick } = hostOf();
    run(['wait']);
    tick(460);
    deliver(1, 'a');
    expect(seen.at(-1)).toBe('1 #1 true a 40');
  });

  it('is forgotten when told, and with its unit', () => {
    const { turns, run, deliver, seen } = hostOf();
    run(['wait', 'wait']);
    turns.forget({ t: 'forget', unit: 1, job: 1 });
    turns.forget({ t: 'forget', unit: 1, job: 7 });
    turns.forget({ t: 'forget', unit: 7, job: 1 });
    expect(seen.filter((line) => line.startsWith('forget'))).toEqual(['forget 1']);
    turns.drop({ t: 'drop', unit: 1 });
    expect(deliver(2, 'last')).toMatchObject([{ events: [], idle: true }]);
  });
});
