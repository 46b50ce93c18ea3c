import { describe, expect, it } from 'vitest';
import type { GuestCall, GuestLogRecord, Incident } from '../../src/sandbox-supervisor/model/sandbox.ts';
import type { ResultMessage } from '../../src/sandbox-supervisor/protocol/host-messages.ts';
import { createResultReader } from '../../src/sandbox-supervisor/result-frames.ts';
import {
  createModuleVersion,
  type FakeInvocation,
  fakeHost,
  fakeInvocation,
  fakeQueue,
  sendTo,
} from '../helpers/sandbox/sandbox.ts';

type Event = readonly [number, ResultMessage['events'][number][1], string, (string | undefined)?];

const END = '[200,[],"text"]';
const CALL = '{"call":1,"name":"fetch"}';

/** A host that was sent frames, and the reader of its results. */
function hostOf(...frames: number[]) {
  const logs: GuestLogRecord[] = [];
  const calls: GuestCall[] = [];
  const limits = { logBytes: 100, responseBytes: 20_000, hostCalls: 1, wallMs: 1000 };
  const unit = createModuleVersion('code', { limits });
  const host = fakeHost();
  const queue = fakeQueue();
  const request = {
    moduleVersion: unit,
    log: (record: GuestLogRecord) => logs.push(record),
    performGuestCall: async (call: GuestCall) => {
      calls.push(call);
      return { ok: true, text: 'null' };
    },
  };
  const invocations = frames.flatMap((count) =>
    sendTo(
      host,
      Array.from({ length: count }, () => fakeInvocation(queue, request)),
      { queue },
    ),
  );
  const incidents: Incident[] = [];
  const requeued: number[] = [];
  let clock = 10;
  const read = createResultReader({
    now: () => clock,
    onIncident: (incident) => incidents.push(incident),
    requeue: (from, returned) => {
      requeued.push(...returned.map(({ number }) => number));
      from.takeBack(returned);
    },
  });
  const receive = (events: readonly Event[], parts: Partial<ResultMessage> = {}) => {
    const texts = events.flatMap(([, , head, body = '']) => [head, body]);
    const sizes = events.map(
      ([number, kind, head, body = '']) =>
        [number, kind, Buffer.byteLength(head), Buffer.byteLength(body)] as const,
    );
    const rest = { errors: [], returned: [], idle: true, sliceMs: 0.1, disposed: false };
    const message: ResultMessage = { t: 'results', moduleNumber: 1, events: sizes, ...rest, ...parts };
    return read(host, message, Buffer.from(texts.join('')))?.limit ?? null;
  };
  const wait = (ms: number) => {
    clock += ms;
  };
  return { host, queue, calls, invocations, incidents, requeued, logs, receive, wait };
}

const bodiesOf = (invocations: readonly FakeInvocation[]) =>
  invocations.map((invocation) => {
    const result = invocation.result();
    return result?.kind === 'response' ? result.body.toString() : result?.kind;
  });

describe('a result frame', () => {
  it('settles invocations, each with its own text, in ASCII or not', () => {
    const { receive, invocations, host } = hostOf(3);
    const limit = receive([
      [1, 'end', END, 'a'],
      [2, 'end', END, 'é😀'],
      [3, 'end', END, 'c'],
    ]);
    expect([limit, bodiesOf(invocations)]).toEqual([null, ['a', 'é😀', 'c']]);
    expect([host.invocations.size, host.frames.length, host.startedCount]).toEqual([0, 0, 0]);
  });

  it('passes large bodies on as bytes', () => {
    const { receive, invocations } = hostOf(2);
    const large = 'é'.repeat(9000);
    const limit = receive([
      [1, 'end', END, large],
      [2, 'end', END, 'b'],
    ]);
    expect([limit, bodiesOf(invocations)]).toEqual([null, [large, 'b']]);
    expect(invocations[0]?.result()).toMatchObject({ body: expect.any(Buffer) });
  });

  it('may be one of several, the last of which is idle', () => {
    const { receive, invocations, host, wait } = hostOf(2);
    expect(receive([[1, 'end', END, 'a']], { idle: false })).toBeNull();
    expect([host.frames.length, host.frames.progressAt]).toEqual([1, 10]);
    wait(5);
    expect(receive([[2, 'call', CALL, '{}']])).toBeNull();
    expect(invocations[1]).toMatchObject({ hasStarted: true, startedAt: 15 - 0.1, isSettled: false });
    expect([host.frames.length, host.startedCount, host.frames.progressAt]).toEqual([0, 1, 15]);
  });

  it('gives invocations back that have not started', () => {
    const { receive, requeued, host } = hostOf(3);
    expect(receive([[1, 'end', END, 'a']], { returned: [2, 3] })).toBeNull();
    expect([requeued, host.invocations.size, host.frames.length]).toEqual([[2, 3], 0, 0]);
  });

  it('tells how long its time slices were', () => {
    const { receive, queue } = hostOf(1, 1);
    receive([[1, 'end', END, 'a']], { sliceMs: 60 });
    expect([queue.sliceMs, queue.isSlow(6009), queue.isSlow(6010)]).toEqual([0.2, true, false]);
    receive([[2, 'end', END, 'a']], { sliceMs: 0.1 });
    expect(queue.sliceMs).toBeCloseTo(0.15);
  });

  it('may mention invocations that were settled meanwhile, to no effect', () => {
    const { receive, invocations, host } = hostOf(1, 1);
    const settled = { kind: 'result', json: '1' } as const;
    host.settle(invocations[0] as FakeInvocation, settled);
    const late = { errors: [[1, 'timeout', '']], returned: [1] } as const;
    expect(receive([[1, 'end', END, 'late']], late)).toBeNull();
    expect(invocations[0]?.result()).toBe(settled);
  });

  it('passes log lines on, after the response too, and nothing else after it', () => {
    const { receive, logs, invocations, calls } = hostOf(1);
    const record = '{"level":"info","message":"m"}';
    receive([
      [1, 'log', record],
      [1, 'end', END, 'a'],
      [1, 'log', record],
      [1, 'call', CALL, '{}'],
    ]);
    expect([logs.length, bodiesOf(invocations), calls]).toEqual([2, ['a'], []]);
  });

  it('has arguments read only as far as is needed to see that they are too long', () => {
    const { receive, calls } = hostOf(1);
    expect(receive([[1, 'call', CALL, '\u4e2d'.repeat(1_000_000)]])).toBeNull();
    expect(calls.map(({ args }) => Buffer.byteLength(args))).toEqual([1_048_578]);
  });

  it('reports a response over its limit as an incident', () => {
    const { receive, invocations, incidents } = hostOf(1);
    receive([[1, 'error', '{"message":"no","tooLarge":true}']]);
    expect(invocations[0]?.result()).toMatchObject({ code: 'ENDPOINT_RESPONSE_TOO_LARGE' });
    expect(incidents).toMatchObject([{ kind: 'violation', limit: 'responseBytes' }]);
  });

  it('settles invocations by their errors, and reports those that are limits', () => {
    const { receive, invocations, incidents, wait } = hostOf(1, 1, 1, 1);
    receive([], { errors: [[1, 'timeout', 'x']] });
    receive([], { errors: [[2, 'memory', 'x']], disposed: true });
    receive([], { errors: [[3, 'load', 'Unexpected token']] });
    wait(2000);
    receive([], { errors: [[4, 'timeout', 'x']] });
    const results = invocations.map((invocation) => invocation.result());
    expect(results.map((result) => result?.kind === 'failure' && result.code)).toEqual([
      'ENDPOINT_TIMEOUT',
      'ENDPOINT_MEMORY',
      'ENDPOINT_ERROR',
      'ENDPOINT_TIMEOUT',
    ]);
    expect(incidents.map(({ kind, limit }) => `${kind} ${limit}`)).toEqual([
      'violation cpuMs',
      'violation heapMb',
      'violation wallMs',
    ]);
  });
});

describe('a result frame about a lost isolate', () => {
  const memory = (...numbers: number[]) => ({ errors: numbers.map((n) => [n, 'memory', 'x'] as const) });

  it('reports one that was of a request alone as an incident that counts, also behind its answer', () => {
    const { receive, incidents, invocations } = hostOf(1, 1);
    const [{ moduleVersion }] = invocations as [FakeInvocation];
    const { id: moduleId, version, sha256 } = moduleVersion;
    const counted = { moduleId, version, sha256, kind: 'violation', limit: 'heapMb', counts: true };
    receive([], memory(1));
    expect(incidents).toEqual([counted]);
    expect(receive([[2, 'end', END, 'a']], memory(2))).toBeNull();
    expect([bodiesOf(invocations), incidents]).toEqual([
      ['failure', 'a'],
      [counted, counted],
    ]);
  });

  it('leaves the counting to the end of the process, where that follows', () => {
    const { receive, incidents } = hostOf(1, 1);
    receive([], { ...memory(1), disposed: true });
    receive([[2, 'end', END, 'a']], { ...memory(2), disposed: true });
    expect(incidents.map(({ limit, counts }) => [limit, counts])).toEqual([['heapMb', undefined]]);
  });
});

describe('a result frame about an isolate that several may have exhausted', () => {
  const lost = { disposed: true };

  it('leaves what it did not answer, or gave back, to the end of the host', () => {
    const { receive, host, requeued, invocations, incidents } = hostOf(4);
    expect(receive([[1, 'end', END, 'a']], { ...lost, returned: [3, 4] })).toBeNull();
    expect([bodiesOf(invocations), requeued, incidents]).toEqual([
      ['a', undefined, undefined, undefined],
      [],
      [],
    ]);
    expect(host.invocations.values()).toEqual(invocations.slice(1));
  });

  it('is still checked', () => {
    expect(hostOf(2, 1).receive([], { ...lost, returned: [3] })).toBe('protocol');
    expect(hostOf(2, 1).receive([[3, 'end', END, 'a']], lost)).toBe('protocol');
  });
});

describe('a compromised host', () => {
  const log = (length: number): Event => [
    1,
    'log',
    JSON.stringify({ level: 'info', message: 'x'.repeat(length) }),
  ];
  // Not complete: that an invocation is left out must not be what breaks the protocol.
  const partial = { idle: false };
  const cases: [string, string, (host: ReturnType<typeof hostOf>) => string | null][] = [
    [
      'sends results without a frame',
      'protocol',
      ({ receive, host }) => {
        host.frames.clear();
        return receive([]);
      },
    ],
    [
      'sends results of another module',
      'protocol',
      ({ receive }) => receive([], { moduleNumber: 2, ...partial }),
    ],
    [
      'answers an invocation that it was never sent',
      'protocol',
      ({ receive }) => receive([[9, 'end', END, 'a']], partial),
    ],
    ['answers invocation 0', 'protocol', ({ receive }) => receive([[0, 'end', END, 'a']], partial)],
    [
      'answers an invocation of a later frame',
      'protocol',
      ({ receive }) => receive([[3, 'end', END, 'a']], partial),
    ],
    [
      'errors an invocation of a later frame',
      'protocol',
      ({ receive }) => receive([], { errors: [[3, 'timeout', '']], ...partial }),
    ],
    [
      'errors an invocation that it was never sent',
      'protocol',
      ({ receive }) => receive([], { errors: [[9, 'timeout', '']], ...partial }),
    ],
    [
      'gives back what is of a later frame',
      'protocol',
      ({ receive }) => receive([], { returned: [3], ...partial }),
    ],
    [
      'gives back what it was never sent',
      'protocol',
      ({ receive }) => receive([], { returned: [9], ...partial }),
    ],
    [
      'gives back what it has started',
      'protocol',
      ({ receive }) =>
        receive([[1, 'log', '{"level":"info","message":""}']], { returned: [1, 2], ...partial }),
    ],
    [
      'gives one invocation back twice',
      'protocol',
      ({ receive }) => receive([], { returned: [1, 2, 1], ...partial }),
    ],
    [
      'sends three partial results of two invocations',
      'protocol',
      ({ receive }) => [1, 2, 3].map(() => receive([], partial)).at(-1) ?? null,
    ],
    ['leaves an invocation out', 'protocol', ({ receive }) => receive([[1, 'end', END, 'a']])],
    ['sends a broken head', 'protocol', ({ receive }) => receive([[1, 'end', '[1]', 'a']], partial)],
    ...(['end', 'error', 'next', 'log', 'call'] as const).flatMap((kind): typeof cases => [
      [
        `sends ${kind} with too many members`,
        'protocol',
        ({ receive }) => receive([[1, kind, `[${'{},'.repeat(5000)}1]`]], partial),
      ],
      [
        `sends ${kind} that is too deep`,
        'protocol',
        ({ receive }) => receive([[1, kind, '['.repeat(10_000)]], partial),
      ],
    ]),
    ['sends a broken call', 'protocol', ({ receive }) => receive([[1, 'call', '{}', 'a']], partial)],
    ['sends a broken log line', 'protocol', ({ receive }) => receive([[1, 'log', '{}']], partial)],
    [
      'responds with too many bytes',
      'responseBytes',
      ({ receive }) => receive([[1, 'end', END, 'x'.repeat(20_001)]]),
    ],
    [
      'makes too many guest calls',
      'hostCalls',
      ({ receive }) => receive([1, 2].map((n) => [1, 'call', `{"call":${n},"name":"fetch"}`, '{}'])),
    ],
    ['logs too many bytes', 'logBytes', ({ receive }) => receive([log(1000), log(1200)])],
    ['logs too many lines', 'logLines', ({ receive }) => receive(Array.from({ length: 102 }, () => log(0)))],
  ];
  it.each(cases)('is found when it %s', (_, limit, misbehave) => {
    expect(misbehave(hostOf(2, 1))).toBe(limit);
  });
});
