// Writes by `Model` in endpoints and hooks, and of documents that hooks return, do what HTTP does: one table of cases for all.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Outcome, withIds, withoutIds } from '../contracts/document-calls/calls.ts';
import {
  DELETES,
  REFUSED_DELETES,
  REFUSED_UPDATES,
  UPDATES,
} from '../contracts/document-calls/change-cases.ts';
import { contents, fill } from '../contracts/document-calls/site.ts';
import { http, otherWays, RETURNED, startSite, type Way } from '../contracts/document-calls/ways.ts';
import {
  CREATES,
  REFUSED_CREATES,
  UNIQUE_CASES,
  type WriteCase,
} from '../contracts/document-calls/write-cases.ts';
import type { TestApp } from '../helpers/app/app.ts';

let app: TestApp;
let ways: readonly Way[];

beforeAll(async () => {
  app = await startSite();
  ways = otherWays(app);
});

afterAll(() => app.close());

function assertExpected({ status, body, errors }: Outcome, { answers, refused }: WriteCase): void {
  if (refused === undefined) {
    expect([status, errors]).toEqual([200, undefined]);
    expect(body).toMatchObject(answers ?? {});
    return;
  }
  const items = (errors ?? []).map(({ code, field, index }: Record<string, unknown>) => [code, field, index]);
  expect(items).toEqual(refused.map(([code, field, index]) => [code, field, index]));
  expect(status).toBe(refused[0]?.[0] === 'DOCUMENT_CHANGED' ? 409 : 400);
}

/** What the call answers and leaves, on documents that are the same for every way. */
async function done(way: Way, { call }: WriteCase) {
  const ids = await fill(app);
  const [outcome] = await way.run([withIds(call, ids)]);
  return { outcome: outcome as Outcome, seen: withoutIds({ outcome, contents: await contents(app) }) };
}

describe.each([
  ['creates', CREATES],
  ['updates', UPDATES],
  ['deletes', DELETES],
])('%s', (_name, cases) => {
  it.each(cases)('$title', async (one) => {
    const { outcome, seen } = await done(http(app), one);
    assertExpected(outcome, one);
    for (const way of ways) {
      expect({ way: way.name, ...(await done(way, one)).seen }).toEqual({ way: way.name, ...seen });
    }
  });
});

/** They change nothing: all are made on the same documents. */
describe.each([
  ['refused creates', REFUSED_CREATES],
  ['refused updates', REFUSED_UPDATES],
  ['refused deletes', REFUSED_DELETES],
  ['unique indexes', UNIQUE_CASES],
])('%s', (_name, cases) => {
  it('are refused alike, and change nothing', async () => {
    const ids = await fill(app);
    const before = await contents(app);
    const calls = cases.map(({ call }) => withIds(call, ids));
    const expected = await http(app).run(calls);
    for (const [index, one] of cases.entries()) assertExpected(expected[index] as Outcome, one);
    for (const way of ways) {
      const outcomes = await way.run(calls);
      for (const [index, { title, isUnreturnable }] of cases.entries()) {
        if (isUnreturnable && way.name === RETURNED) continue;
        expect({ way: way.name, title, ...outcomes[index] }).toEqual({
          way: way.name,
          title,
          ...expected[index],
        });
      }
    }
    expect(await contents(app)).toEqual(before);
  });
});
