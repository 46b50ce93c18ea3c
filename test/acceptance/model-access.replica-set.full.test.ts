// What a caller may do by `Model` in endpoints and hooks, and where hooks return something, is what it may do over HTTP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { type DocumentCall, type Outcome, withIds, withoutIds } from '../contracts/document-calls/calls.ts';
import { contents, fill } from '../contracts/document-calls/site.ts';
import {
  asCaller,
  EVENTS,
  endpoint,
  http,
  otherWays,
  startSite,
  type Way,
} from '../contracts/document-calls/ways.ts';
import type { TestApp } from '../helpers/app/app.ts';

let app: TestApp;
let limited: TestApp;
let anonymous: TestApp;

beforeAll(async () => {
  app = await startSite();
  const open = ['items', 'answers', ...EVENTS.map((event) => event.toLowerCase())];
  const collections = open.map((path) => ({ path }));
  limited = asCaller(app, await app.userToken('limited', { collections, endpoints: [{ path: 'calls' }] }));
  anonymous = asCaller(app, null);
});

afterAll(() => app.close());

const call = (action: string, query: Json, more: JsonObject = {}) =>
  ({ action, query, ...more }) as DocumentCall;

const REFUSED: readonly DocumentCall[] = [
  ...['people', 'coded'].flatMap((collection) => [
    call('find', {}, { collection }),
    call('count', { name: 'Ada' }, { collection }),
    { action: 'create', documents: { name: 'x', rank: 9 }, collection } as const,
    call('update', { name: 'Ada' }, { collection, update: { name: 'x' }, hasNoTarget: true }),
    call('delete', { name: 'Ada' }, { collection }),
    call('delete', { nobody: 'Ada' }, { collection }),
  ]),
];

const ON_ITEMS: readonly DocumentCall[] = [
  call('find', { n: 1 }, { options: { compose: 'all' } }),
  call('find', { 'author.name': 'Ada' }),
  call('count', { readers: { $elemMatch: { born: 1815 } } }),
  call('find', {}, { options: { sort: { 'author.name': 1 } } }),
  { action: 'create', documents: { name: 'e', author: { name: 'Cy' } } },
  { action: 'create', documents: { name: 'e', author: { _id: 'id of Ada', born: 1 } } },
  { action: 'create', documents: { name: 'e', author: 'id of Ada' }, options: { compose: true } },
  call('update', { name: 'a' }, { update: { readers: [{ name: 'Cy' }] } }),
  call('update', { 'author.name': 'Ada' }, { update: { n: 9 }, hasNoTarget: true }),
  call('update', { name: 'a' }, { update: { n: 9 }, options: { compose: true } }),
  call('delete', { 'author.born': { $gt: 0 } }),
];

async function done(way: Way, one: DocumentCall) {
  const ids = await fill(app);
  const [outcome] = await way.run([withIds(one, ids)]);
  return { outcome: outcome as Outcome, seen: withoutIds({ outcome, contents: await contents(app) }) };
}

describe('a client that may use one collection', () => {
  it('is refused the others on every way', async () => {
    const expected = await http(limited).run(REFUSED);
    expect(expected.map(({ status }) => status)).toEqual(REFUSED.map(() => 401));
    for (const way of otherWays(limited)) {
      expect({ way: way.name, outcomes: await way.run(REFUSED) }).toEqual({
        way: way.name,
        outcomes: expected,
      });
    }
  });

  it.each(ON_ITEMS)('reaches nothing else through it: %j', async (one) => {
    const { seen } = await done(http(limited), one);
    for (const way of otherWays(limited)) {
      expect({ way: way.name, ...(await done(way, one)).seen }).toEqual({ way: way.name, ...seen });
    }
  });
});

describe('a caller without a token', () => {
  it('is refused by Model as over HTTP', async () => {
    const calls = [...REFUSED, ...ON_ITEMS].map((one) => withIds(one, new Map([['Ada', '0'.repeat(24)]])));
    const expected = await http(anonymous).run(calls);
    expect(expected.map(({ status }) => status)).toEqual(calls.map(() => 401));
    const outcomes = await endpoint(anonymous, 0).run(calls);
    expect(outcomes).toEqual(expected);
  });
});
