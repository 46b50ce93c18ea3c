// Every way to write, with a rule that allows nothing of it: what is told, and that nothing was written.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import type { InjectAnswer } from '../helpers/app/app.ts';
import {
  mayAll,
  mayAllBut,
  NOTES,
  openWritesSite,
  SHELVES,
  UNKNOWN,
  type WritesSite,
} from './writes-site.ts';

let site: WritesSite;
beforeAll(async () => {
  site = await openWritesSite();
});
afterAll(() => site.close());

/** The answer without what differs from one request to the next, the id in it replaced. */
function comparable({ status, text, headers }: InjectAnswer, id: string) {
  const { date: _date, 'x-request-id': _id, ...rest } = headers;
  return { status, text: text.replaceAll(id, 'ID').replace(/"requestId":"[^"]*"/, ''), headers: rest };
}

type WriteTo = (send: WritesSite['client'], id: string) => Promise<InjectAnswer>;

const REVISION = 'e'.repeat(24);
const BODIES: readonly unknown[] = [
  { title: 'x' },
  { update: { title: 'x' } },
  { grade: 'A' },
  { salary: 3 },
  { secret: 'y' },
  { unknown: 1 },
  { $unset: ['grade'] },
  { next: { title: 'new', ...mayAllBut('mayCreate') } },
  [],
];

const CONDITIONS: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'if-match': '"1"' },
  { 'if-match': '"99"' },
  { 'if-match': '*' },
  { 'if-none-match': '*' },
];

/** Writes of one document by its id. */
const BY_ID: Readonly<Record<string, readonly WriteTo[]>> = {
  PUT: BODIES.map(
    (body): WriteTo =>
      (send, id) =>
        send('PUT', `${NOTES}/${id}`, body),
  ),
  'PUT with a condition': CONDITIONS.map(
    (headers): WriteTo =>
      (send, id) =>
        send('PUT', `${NOTES}/${id}`, { title: 'x' }, headers),
  ),
  POST: BODIES.map(
    (body): WriteTo =>
      (send, id) =>
        send('POST', `${NOTES}/${id}`, body),
  ),
  DELETE: CONDITIONS.map(
    (headers): WriteTo =>
      (send, id) =>
        send('DELETE', `${NOTES}/${id}`, undefined, headers),
  ),
  restore: CONDITIONS.map(
    (headers): WriteTo =>
      (send, id) =>
        send('POST', `${NOTES}/${id}/revisions/${REVISION}/restore`, undefined, headers),
  ),
};

describe('a write of a document that the caller may not read', () => {
  test.for(Object.entries(BY_ID))('is answered like one of an unknown id: %s', async ([, ways]) => {
    const { _id } = await site.add({ ...mayAllBut('mayRead', 'mayUpdate', 'mayDelete'), title: 'old' });
    for (const write of ways) {
      const [hidden, unknown] = [await write(site.client, _id), await write(site.client, UNKNOWN)];
      expect(comparable(hidden, _id)).toEqual(comparable(unknown, UNKNOWN));
      expect(unknown.status).toBe(404);
    }
    expect(await site.stored(_id)).toMatchObject({ title: 'old', v: 1 });
  });

  test('is answered like one of an unknown id where a revision of it is restored', async () => {
    const { _id } = await site.add(mayAllBut('mayRead'));
    const revision = await site.revisionOf(_id);
    const hidden = await site.client('POST', `${NOTES}/${_id}/revisions/${revision}/restore`);
    const unknown = await site.client('POST', `${NOTES}/${UNKNOWN}/revisions/${revision}/restore`);
    expect(comparable(hidden, _id)).toEqual(comparable(unknown, UNKNOWN));
    expect(hidden.status).toBe(404);
  });

  test('is not found where its new state may not be', async () => {
    const { _id } = await site.add(mayAllBut('mayRead'));
    const { status } = await site.client('PUT', `${NOTES}/${_id}`, { mayUpdate: false });
    expect(status).toBe(404);
    expect(await site.stored(_id)).toMatchObject({ mayUpdate: true, v: 1 });
  });

  test('does not happen by query, whatever the query says', async () => {
    const { _id } = await site.add({ ...mayAllBut('mayRead'), tag: 'unread' });
    const query = { tag: 'unread' };
    const updated = await site.client('PUT', NOTES, { query, update: { title: 'x' } });
    expect(updated.body).toMatchObject({ results: [], metadata: { totalCount: 0 } });
    expect((await site.client('POST', NOTES, { query, update: { title: 'x' } })).body.results).toEqual([]);
    expect((await site.client('DELETE', NOTES, { query })).status).toBe(204);
    expect(await site.stored(_id)).toMatchObject({ v: 1 });
  });
});

/** Bodies that hold a sub-document, and where it is sent. */
const NESTED: Readonly<
  Record<string, (send: WritesSite['client'], inner: JsonObject) => Promise<InjectAnswer>>
> = {
  'a create': (send, next) => send('POST', NOTES, { ...mayAll, next }),
  'a create in a list': (send, next) => send('POST', NOTES, [mayAll, { ...mayAll, next: [next] }]),
  'a create in a collection without rules': (send, note) => send('POST', SHELVES, { note }),
  'an update': async (send, next) => send('PUT', `${NOTES}/${(await site.add(mayAll))._id}`, { next }),
  'an update by query': async (send, next) => {
    const tag = `of ${Math.random()}`;
    await site.add({ ...mayAll, tag });
    return send('PUT', NOTES, { query: { tag }, update: { next } });
  },
  'an update in two levels': async (send, next) =>
    send('PUT', `${NOTES}/${(await site.add(mayAll))._id}`, { next: { ...mayAll, next } }),
};

const INNER: readonly JsonObject[] = [
  { title: 'x' },
  { title: 'old' },
  { title: 'old', v: 1 },
  { title: 'x', v: 0 },
  { title: 'x', v: 7 },
  { grade: 'A' },
  { grade: 'B', v: 1 },
  { secret: 'ss' },
  { salary: 1 },
  { unknown: 1 },
  { mayRead: false },
];

describe('a sub-document that the caller may not read', () => {
  test.for(Object.entries(NESTED))('is treated as one of an unknown id in %s', async ([, send]) => {
    const inner = { ...mayAllBut('mayRead'), title: 'old', grade: 'A', secret: 'ss', salary: 1 };
    const { _id } = await site.add(inner);
    for (const body of INNER) {
      const hidden = await send(site.client, { ...body, _id });
      const unknown = await send(site.client, { ...body, _id: UNKNOWN });
      expect(comparable(hidden, _id)).toEqual(comparable(unknown, UNKNOWN));
      expect([400, 409]).toContain(hidden.status);
    }
    expect(await site.stored(_id)).toMatchObject({ ...inner, v: 1 });
  });

  test('is just its id where it comes without fields, as an unknown one is', async () => {
    const { _id } = await site.add(mayAllBut('mayRead'));
    for (const id of [_id, UNKNOWN]) {
      const { status, body } = await site.client('POST', NOTES, { ...mayAll, next: { _id: id } });
      expect([status, body.results[0].next]).toEqual([200, id]);
    }
  });
});

/** Ways to store something that the rules do not allow, each with the status and the place that the error names. */
const FORBIDDEN: Readonly<
  Record<string, readonly [write: () => Promise<InjectAnswer>, place?: Readonly<Record<string, unknown>>]>
> = {
  'a create': [() => site.client('POST', NOTES, mayAllBut('mayCreate'))],
  'a create in a list': [
    () => site.client('POST', NOTES, [mayAll, mayAllBut('mayCreate'), mayAll]),
    { index: 1 },
  ],
  'a nested create': [
    () => site.client('POST', SHELVES, { note: mayAllBut('mayCreate') }),
    { field: 'note' },
  ],
  'a nested create in a list': [
    () => site.client('POST', SHELVES, [{}, { note: [mayAll, mayAllBut('mayCreate')] }]),
    { field: 'note.1', index: 1 },
  ],
  'an update of a stored state': [
    async () =>
      site.client('PUT', `${NOTES}/${(await site.add(mayAllBut('mayUpdate')))._id}`, { title: 'x' }),
  ],
  'an update with a stale condition': [
    async () => {
      const { _id } = await site.add(mayAllBut('mayUpdate'));
      return site.client('PUT', `${NOTES}/${_id}`, { title: 'x' }, { 'if-match': '"9"' });
    },
  ],
  'an update to a new state': [
    async () => site.client('PUT', `${NOTES}/${(await site.add(mayAll))._id}`, { mayUpdate: false }),
  ],
  'an update that removes what the rule asks for': [
    async () => site.client('PUT', `${NOTES}/${(await site.add(mayAll))._id}`, { $unset: ['mayUpdate'] }),
  ],
  'an update by query': [
    async () => {
      const tag = `t${Math.random()}`;
      await site.add({ ...mayAll, tag });
      return site.client('PUT', NOTES, { query: { tag }, update: { mayUpdate: false } });
    },
  ],
  'a nested update of a stored state': [
    async () => {
      const { _id } = await site.add(mayAllBut('mayUpdate'));
      return site.client('POST', SHELVES, { note: { _id, title: 'x' } });
    },
    { field: 'note' },
  ],
  'a nested update of a stored state that is older': [
    async () => {
      const { _id } = await site.add(mayAllBut('mayUpdate'));
      return site.client('POST', SHELVES, { note: { _id, title: 'x', v: 0 } });
    },
    { field: 'note' },
  ],
  'a nested update to a new state': [
    async () => {
      const { _id } = await site.add(mayAll);
      return site.client('POST', SHELVES, [{ note: { _id, mayUpdate: false } }]);
    },
    { field: 'note', index: 0 },
  ],
  'a removal': [
    async () => site.client('DELETE', `${NOTES}/${(await site.add(mayAllBut('mayDelete')))._id}`),
  ],
};

describe('what the rules do not allow of a readable document', () => {
  test.for(Object.entries(FORBIDDEN))('is 403, and writes nothing: %s', async ([, [write, place = {}]]) => {
    const before = await site.counts();
    const { status, body } = await write();
    expect([status, body.errors]).toEqual([
      403,
      [{ ...place, code: 'NOT_PERMITTED', message: expect.any(String) }],
    ]);
    const after = await site.counts();
    // What the test itself has added is there, and nothing else.
    expect(after[0]! - before[0]!).toBeLessThanOrEqual(1);
    expect(after[1]! - before[1]!).toBe(after[0]! - before[0]!);
    expect(after.slice(2)).toEqual(before.slice(2));
  });

  test('is 401 with the challenge for the anonymous', async () => {
    const { _id } = await site.add(mayAll);
    for (const [method, path, body] of [
      ['POST', NOTES, mayAll],
      ['PUT', `${NOTES}/${_id}`, {}],
      ['DELETE', `${NOTES}/${_id}`],
    ] as const) {
      const { status, headers } = await site.anonymous(method, path, body);
      expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining('Bearer')]);
    }
  });
});

describe('a write by query', () => {
  test('leaves alone what it may not write in its stored state', async () => {
    const [own, other] = [
      await site.add({ ...mayAll, tag: 'q' }),
      await site.add({ ...mayAllBut('mayUpdate', 'mayDelete'), tag: 'q' }),
    ];
    const { body } = await site.client('PUT', NOTES, { query: { tag: 'q' }, update: { title: 'x' } });
    expect(body.results.map(({ _id }: JsonObject) => _id)).toEqual([own._id]);
    expect((await site.client('DELETE', NOTES, { query: { tag: 'q' } })).status).toBe(204);
    expect([await site.stored(own._id), await site.stored(other._id)]).toMatchObject([undefined, { v: 1 }]);
  });

  test('is refused whole where one new state is not allowed', async () => {
    const notes = [await site.add({ ...mayAll, tag: 'w' }), await site.add({ ...mayAll, tag: 'w' })];
    const update = { mayUpdate: false };
    expect((await site.client('PUT', NOTES, { query: { tag: 'w' }, update })).status).toBe(403);
    for (const { _id } of notes) expect(await site.stored(_id)).toMatchObject({ mayUpdate: true, v: 1 });
  });
});

test('a document that may be updated and not read is updated, and only its id is answered', async () => {
  const { _id } = await site.add(mayAllBut('mayRead'));
  const { status, body } = await site.client('PUT', `${NOTES}/${_id}`, { title: 'blind' });
  expect([status, body.results]).toEqual([200, [{ _id }]]);
  expect(await site.stored(_id)).toMatchObject({ title: 'blind', v: 2 });
  const stale = await site.client('PUT', `${NOTES}/${_id}`, { title: 'x' }, { 'if-match': '"1"' });
  expect(stale.status).toBe(412);
});
