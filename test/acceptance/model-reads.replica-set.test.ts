// Reads by `Model` in endpoints and hooks, and of requests that hooks return, give what HTTP gives: one table of cases for all.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocumentCall, type Outcome, withIds } from '../contracts/document-calls/calls.ts';
import {
  FILTER_CASES,
  OPTION_CASES,
  REFUSED_FILTERS,
  type ReadCase,
} from '../contracts/document-calls/read-cases.ts';
import { addRevisions, fill } from '../contracts/document-calls/site.ts';
import { http, otherWays, startSite, type Way } from '../contracts/document-calls/ways.ts';
import type { TestApp } from '../helpers/app/app.ts';

let app: TestApp;
let ids: ReadonlyMap<string, string>;
let ways: readonly Way[];

beforeAll(async () => {
  app = await startSite();
  ids = await fill(app);
  await addRevisions(app, ids);
  ways = otherWays(app);
});

afterAll(() => app.close());

function assertExpected({ status, body, errors }: Outcome, { finds, shows, refused }: ReadCase): void {
  if (refused !== undefined) {
    const items = (errors ?? []).map(({ code, field }: { code: string; field?: string }) => [code, field]);
    expect([status, items]).toEqual([400, refused]);
    return;
  }
  expect([status, errors]).toEqual([200, undefined]);
  if (finds !== undefined) expect(body.results.map(({ name }: { name: string }) => name)).toEqual(finds);
  expect(body).toMatchObject(shows ?? {});
}

/** Only HTTP tells of a parameter that has no effect: `Model` and hooks may be handed options of their own. */
function withoutParameterWarnings(outcome: Outcome): Outcome {
  const text = JSON.stringify(outcome).replace(
    /,"warnings":\["`\w+` is no parameter and has no effect"\]/,
    '',
  );
  return JSON.parse(text);
}

describe.each([
  ['filters', FILTER_CASES],
  ['filters that are none', REFUSED_FILTERS],
  ['options', OPTION_CASES],
])('%s', (_name, cases) => {
  it('find by HTTP what they are to find', async () => {
    const outcomes = await http(app).run(cases.map(({ call }) => withIds(call, ids)));
    for (const [index, one] of cases.entries()) assertExpected(outcomes[index] as Outcome, one);
  });

  it.each(['find', 'count'] as const)('%s the same on every other way', async (action) => {
    const calls = cases.map(({ call }) => ({ ...withIds(call, ids), action }) as DocumentCall);
    const expected = (await http(app).run(calls)).map(withoutParameterWarnings);
    for (const way of ways) {
      const outcomes = await way.run(calls);
      for (const [index, { title }] of cases.entries()) {
        expect({ way: way.name, title, ...outcomes[index] }).toEqual({
          way: way.name,
          title,
          ...expected[index],
        });
      }
    }
  });
});
