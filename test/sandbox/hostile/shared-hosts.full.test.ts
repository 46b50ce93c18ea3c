// Modules that come one after the other to the same process: what some leave behind must not be missing to the next.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Arena, startArena } from './arena.ts';
import { PATIENT } from './attack.ts';
import { problemsOf } from './endings.ts';
import { endpointAt, type Place } from './places.ts';

/** Modules that leave as much as they may, and the times that all of it is done. */
const LEAVING = 3;
const TIMES = 3;

const source = (make: string) => `module.exports.get = (req, res) => res.end('made ' + (${make}));`;

/** What is left behind is dead as soon as the answer is out: nothing but a collection, which is not due yet, would free it. */
const KINDS = {
  'dead buffers of ninety megabytes': 'new Uint8Array(90e6).fill(1).length / 1e6',
  'dead arrays of ninety megabytes': 'Array.from({ length: 90 }, () => new Array(131072).fill(1)).length',
  'dead texts of ninety megabytes':
    "Array.from({ length: 90 }, (_, n) => JSON.stringify([n, 'x'.repeat(1e6)])).length",
  'dead formatters outside of any heap':
    "(Array.from({ length: 6000 }, () => new Intl.NumberFormat('de', { style: 'currency', currency: 'EUR' }).format(1)), 90)",
};
/** Of the sixty-four megabytes that it may have. */
const NEEDED = {
  buffers: source('new Uint8Array(40e6).fill(1).length / 1e6'),
  arrays: source('Array.from({ length: 40 }, () => new Array(131072).fill(1)).length'),
};

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
});

afterAll(() => arena?.close());

interface Posted {
  readonly heapMb: number;
  readonly isolation: string;
}

async function post(name: string, code: string, { heapMb, isolation }: Posted): Promise<Place> {
  const place = endpointAt(name);
  const posted = await arena.post(place, code);
  // By no clock: it is about memory.
  const put = await arena.putPolicy(place, { version: 1, isolation, limits: { ...PATIENT, heapMb } });
  expect([posted.status, put.status]).toEqual([200, 200]);
  return place;
}

async function problemsOfCall(place: Place, megabytes: number): Promise<readonly string[]> {
  const problems = problemsOf(await arena.call(place, {}), { status: 200, body: `made ${megabytes}` });
  return problems.map((problem) => `${place.call}: ${problem}`);
}

describe.each(['realm', 'context', 'isolate'])('modules with isolation %s', (isolation) => {
  it.each(Object.entries(KINDS))('have their memory after others that left %s', async (left, make) => {
    const name = `${isolation}-${left.split(' ')[1]}`;
    const leaving: Place[] = [];
    for (let n = 0; n < LEAVING; n += 1) {
      leaving.push(await post(`${name}-${n}`, source(make), { heapMb: 256, isolation }));
    }
    const victims: Place[] = [];
    for (const [kind, code] of Object.entries(NEEDED)) {
      victims.push(await post(`${name}-needs-${kind}`, code, { heapMb: 64, isolation }));
    }
    const problems: string[] = [];
    for (let n = 0; n < TIMES; n += 1) {
      for (const place of leaving) problems.push(...(await problemsOfCall(place, 90)));
      for (const place of victims) problems.push(...(await problemsOfCall(place, 40)));
    }
    expect(problems).toEqual([]);
  });
});
