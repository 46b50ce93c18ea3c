import { describe, expect, it } from 'vitest';
import { bodiesOf, CALL, END, type Event, resultsOf } from '../helpers/sandbox/results.ts';
import type { FakeInvocation } from '../helpers/sandbox/sandbox.ts';

describe('a result frame', () => {
  it('settles invocations, each with its own text, in ASCII or not', () => {
    const { receive, invocations, host } = resultsOf(3);
    const limit = receive([
      [1, 'end', END, 'a'],
      [2, 'end', END, 'é😀'],
      [3, 'end', END, 'c'],
    ]);
    expect([limit, bodiesOf(invocations)]).toEqual([null, ['a', 'é😀', 'c']]);
    expect([host.invocations.size, host.frames.length, host.startedCount]).toEqual([0, 0, 0]);
  });

  it('passes large bodies on as bytes', () => {
    const { receive, invocations } = resultsOf(2);
    const large = 'é'.repeat(9000);
    const limit = receive([
      [1, 'end', END, large],
      [2, 'end', END, 'b'],
    ]);
    expect([limit, bodiesOf(invocations)]).toEqual([null, [large, 'b']]);
    expect(invocations[0]?.result()).toMatchObject({ body: expect.any(Buffer) });
  });

  it('may be one of several, the last of which is idle', () => {
    const { receive, invocations, host, wait } = resultsOf(2);
    expect(receive([[1, 'end', END, 'a']], { idle: false })).toBeNull();
    expect([host.frames.length, host.frames.progressAt]).toEqual([1, 10]);
    wait(5);
    expect(receive([[2, 'call', CALL, '{}']])).toBeNull();
    expect(invocations[1]).toMatchObject({ hasStarted: true, startedAt: 15 - 0.1, isSettled: false });
    expect([host.frames.length, host.startedCount, host.frames.progressAt]).toEqual([0, 1, 15]);
  });

  it('gives invocations back that have not started', () => {
    const { receive, requeued, host } = resultsOf(3);
    expect(receive([[1, 'end', END, 'a']], { returned: [2, 3] })).toBeNull();
    expect([requeued, host.invocations.size, host.frames.length]).toEqual([[2, 3], 0, 0]);
  });

  it('tells how long its time slices were', () => {
    const { receive, queue } = resultsOf(1, 1);
    receive([[1, 'end', END, 'a']], { sliceMs: 60 });
    expect([queue.sliceMs, queue.isSlow(6009), queue.isSlow(6010)]).toEqual([0.2, true, false]);
    receive([[2, 'end', END, 'a']], { sliceMs: 0.1 });
    expect(queue.sliceMs).toBeCloseTo(0.15);
  });

  it('may mention invocations that were settled meanwhile, to no effect', () => {
    const { receive, invocations } = resultsOf(1, 1);
    const settled = { kind: 'result', json: '1' } as const;
    (invocations[0] as FakeInvocation).settle(settled);
    const late = { errors: [[1, 'timeout', '']], returned: [1] } as const;
    expect(receive([[1, 'end', END, 'late']], late)).toBeNull();
    expect(invocations[0]?.result()).toBe(settled);
  });

  it('passes log lines on, after the response too, and nothing else after it', () => {
    const { receive, logs, invocations, calls } = resultsOf(1);
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
    const { receive, calls } = resultsOf(1);
    expect(receive([[1, 'call', CALL, '\u4e2d'.repeat(1_000_000)]])).toBeNull();
    expect(calls.map(({ args }) => Buffer.byteLength(args))).toEqual([1_048_578]);
  });

  it('reports a response over its limit as an incident', () => {
    const { receive, invocations, incidents } = resultsOf(1);
    receive([[1, 'error', '{"message":"no","tooLarge":true}']]);
    expect(invocations[0]?.result()).toMatchObject({ code: 'ENDPOINT_RESPONSE_TOO_LARGE' });
    expect(incidents).toMatchObject([{ kind: 'violation', limit: 'responseBytes' }]);
  });

  it('settles invocations by their errors, and reports those that are limits', () => {
    const { receive, invocations, incidents, wait } = resultsOf(1, 1, 1, 1);
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

describe('a compromised host', () => {
  const log = (length: number): Event => [
    1,
    'log',
    JSON.stringify({ level: 'info', message: 'x'.repeat(length) }),
  ];
  // Not complete: that an invocation is left out must not be what breaks the protocol.
  const partial = { idle: false };
  const cases: [string, string, (host: ReturnType<typeof resultsOf>) => string | null][] = [
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
    expect(misbehave(resultsOf(2, 1))).toBe(limit);
  });
});
