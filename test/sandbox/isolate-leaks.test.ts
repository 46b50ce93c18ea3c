// Nothing that one request does is seen by another: a program that marks every object it can reach finds no mark of an
// earlier request, however the isolate is shared.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headOf, type Lab, openLab } from './lab/lab.ts';
import { MARKER } from './lab/marker.ts';

let lab: Lab;

beforeAll(async () => {
  lab = await openLab();
});

afterAll(() => lab.close());

type Guest = Awaited<ReturnType<Lab['guest']>>;

const VALUES: Readonly<Record<string, unknown>> = {
  fetch: {
    status: 200,
    headers: [['content-type', 'application/json']],
    body: '{"a":[{}]}',
    encoding: 'text',
  },
  'model.find': { results: [{ title: 'Emma' }], metadata: {} },
  'model.stats': { count: 1 },
  'model.count': { code: 'NOT_PERMITTED', message: 'no' },
  timer: null,
};

/** Runs the program once, every guest call answered, and reads its report. */
async function report(guest: Guest, number: number, id: string) {
  const events = [...(await guest.start(number, headOf({ query: { id } }), '', 10_000)).events];
  for (let index = 0; index < events.length; index += 1) {
    const [, kind, head, body] = events[index]!;
    if (kind === 'end') return JSON.parse(body);
    if (kind !== 'call') continue;
    const { call, name } = JSON.parse(head);
    const answer = { ok: name !== 'model.count', value: VALUES[name] };
    events.push(...(await guest.deliver(number, call, answer, 10_000)).events);
  }
  throw new Error(`no report: ${JSON.stringify(events)}`);
}

describe.each(['realm', 'context', 'isolate'] as const)('isolation %s', (isolation) => {
  it('shows no mark of the request before', async () => {
    const guest = await lab.guest(MARKER, { isolation, loadMs: 5_000 });
    const first = await report(guest, 1, 'one');
    const second = await report(guest, 2, 'two');
    expect(first.reached).toBeGreaterThan(1_000);
    expect(first.marked).toBeGreaterThan(50);
    expect(second.marked).toBeGreaterThan(50);
    expect({ first: first.foreign, second: second.foreign }).toEqual({ first: [], second: [] });
    expect(second.stamped).toEqual([]);
  });
});
