// Fields that a caller may not write, or not read, on every way to write.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import type { InjectAnswer } from '../helpers/app/app.ts';
import { mayAll, mayAllBut, NOTES, openWritesSite, SHELVES, type WritesSite } from './writes-site.ts';

let site: WritesSite;
beforeAll(async () => {
  site = await openWritesSite();
});
afterAll(() => site.close());

const STORED = { ...mayAll, title: 'old', grade: 'A', level: 'high', salary: 5, secret: 'ss' };

/** Ways to send a field, each with the path at which the error names it. */
const WAYS: Readonly<
  Record<
    string,
    (send: WritesSite['client'], sent: JsonObject) => Promise<[InjectAnswer, prefix: string, index?: number]>
  >
> = {
  create: async (send, sent) => [await send('POST', NOTES, { ...mayAll, ...sent }), ''],
  'create in a list': async (send, sent) => [
    await send('POST', NOTES, [mayAll, { ...mayAll, ...sent }]),
    '',
    1,
  ],
  'nested create': async (send, sent) => [
    await send('POST', SHELVES, { note: { ...mayAll, ...sent } }),
    'note.',
  ],
  'nested create in a list': async (send, sent) => [
    await send('POST', SHELVES, [{ note: [{ ...mayAll, next: { ...mayAll, ...sent } }] }]),
    'note.0.next.',
    0,
  ],
  update: async (send, sent) => [await send('PUT', `${NOTES}/${(await site.add(STORED))._id}`, sent), ''],
  'update as old clients send it': async (send, sent) => [
    await send('POST', `${NOTES}/${(await site.add(STORED))._id}`, { update: sent }),
    '',
  ],
  'update by query': async (send, sent) => {
    const tag = `t${Math.random()}`;
    await site.add({ ...STORED, tag });
    return [await send('PUT', NOTES, { query: { tag }, update: sent }), ''];
  },
  'update by query that finds nothing': async (send, sent) => [
    await send('POST', NOTES, { query: { tag: 'none' }, update: sent }),
    '',
  ],
  'nested update': async (send, sent) => {
    const { _id } = await site.add(STORED);
    return [await send('POST', SHELVES, { note: { ...sent, _id } }), 'note.'];
  },
  'nested update in an update': async (send, sent) => {
    const [{ _id: outer }, { _id }] = [await site.add(mayAll), await site.add(STORED)];
    return [await send('PUT', `${NOTES}/${outer}`, { next: [{ ...sent, _id }] }), 'next.0.'];
  },
};

const statusOf = async (way: (typeof WAYS)[string], send: WritesSite['client'], sent: JsonObject) =>
  (await way(send, sent))[0].status;

describe('a field that the caller may not write', () => {
  test.for(Object.entries(WAYS))('is 403 and named: %s', async ([, way]) => {
    for (const [name, value] of [
      ['grade', 'B'],
      ['level', 'low'],
      ['grade', null],
      ['salary', 6],
    ] as const) {
      const before = await site.counts();
      const [{ status, body }, prefix, index] = await way(site.client, { title: 'x', [name]: value });
      const place = { field: `${prefix}${name}`, ...(index !== undefined && { index }) };
      expect([status, body.errors]).toEqual([
        403,
        [expect.objectContaining({ ...place, code: 'NOT_PERMITTED' })],
      ]);
      const after = await site.counts();
      expect(after[1]! - before[1]!).toBe(after[0]! - before[0]!);
    }
    expect(await statusOf(way, site.editor, { grade: 'B', salary: 6 })).toBe(200);
  });

  test('is 401 for the anonymous, and decides in a collection without rules', async () => {
    const { _id } = await site.add({ name: 'a', grade: 'A' }, SHELVES);
    const { status, body } = await site.client('PUT', `${SHELVES}/${_id}`, { grade: 'B' });
    expect([status, body.errors[0].field]).toEqual([403, 'grade']);
    expect((await site.anonymous('PUT', `${SHELVES}/${_id}`, { grade: 'B' })).status).toBe(401);
    expect((await site.client('PUT', `${SHELVES}/${_id}`, { name: 'b', grade: 'A' })).status).toBe(200);
  });

  test('may not be removed either', async () => {
    const { _id } = await site.add({ ...STORED, tag: 'unset' });
    for (const name of ['grade', 'salary', 'level', 'chosen']) {
      const byId = await site.client('PUT', `${NOTES}/${_id}`, { $unset: ['title', name] });
      const update = { $unset: [name] };
      const byQuery = await site.client('PUT', NOTES, { query: { tag: 'unset' }, update });
      for (const { status, body } of [byId, byQuery])
        expect([status, body.errors[0].field]).toEqual([403, name]);
    }
    expect(await site.stored(_id)).toMatchObject({ ...STORED, v: 1 });
  });

  test('gets its default', async () => {
    const { body } = await site.client('POST', NOTES, mayAll);
    expect(body.results[0].level).toBe('low');
  });

  test('is left alone where a fetched document is sent back as it is', async () => {
    const inner = await site.add(STORED);
    const { _id } = await site.add({ ...STORED, chosen: [null, inner._id], next: inner._id });
    const { body } = await site.client('GET', `${NOTES}/${_id}?compose=true`);
    const [fetched] = body.results;
    expect(fetched.chosen[0].title).toBe('old');
    const sent = await site.client('PUT', `${NOTES}/${_id}`, { ...fetched, title: 'new' });
    expect([sent.status, sent.body.results?.[0].v]).toEqual([200, 2]);
    expect(await site.stored(_id)).toMatchObject({
      ...STORED,
      title: 'new',
      chosen: [null, inner._id],
      v: 2,
    });
    expect(await site.stored(inner._id)).toMatchObject({ ...STORED, v: 1 });
    // What is in the document that such a field refers to is not the field.
    const changed = { ...fetched, chosen: [{ ...fetched.chosen[0], title: 'inner' }] };
    expect((await site.client('PUT', `${NOTES}/${_id}`, changed)).status).toBe(200);
    expect(await site.stored(inner._id)).toMatchObject({ title: 'inner', v: 2 });
    for (const chosen of [[], fetched.chosen[0]._id, [{ ...mayAll }], [UNRELATED], null]) {
      const { status, body: told } = await site.client('PUT', `${NOTES}/${_id}`, { chosen });
      expect([status, told.errors?.[0].field]).toEqual([403, 'chosen']);
    }
  });

  test('is left alone in a fetched sub-document that is sent back', async () => {
    const inner = await site.add(STORED);
    const { _id } = await site.add({ note: inner._id }, SHELVES);
    const { body } = await site.client('GET', `${SHELVES}/${_id}?compose=true`);
    const { note } = body.results[0];
    const { status } = await site.client('PUT', `${SHELVES}/${_id}`, { note: { ...note, title: 'new' } });
    expect([status, await site.stored(inner._id)]).toMatchObject([200, { ...STORED, title: 'new', v: 2 }]);
  });

  test('is no oracle where the caller may not read the document, or the field', async () => {
    const { _id } = await site.add({ ...mayAllBut('mayRead'), grade: 'A', salary: 5 });
    for (const sent of [{ grade: 'A' }, { grade: 'B' }, { salary: 5 }, { salary: 6 }]) {
      expect((await site.client('PUT', `${NOTES}/${_id}`, sent)).status).toBe(403);
    }
    const readable = await site.add({ ...mayAll, salary: 5 });
    for (const salary of [5, 6]) {
      const sent = { salary };
      expect((await site.client('PUT', `${NOTES}/${readable._id}`, sent)).status).toBe(403);
      const nested = await site.client('POST', SHELVES, { note: { ...sent, _id: readable._id } });
      expect(nested.status).toBe(403);
    }
  });
});

const UNRELATED = 'e'.repeat(24);

describe('a field that the caller may not read', () => {
  test.for(Object.entries(WAYS))(
    'may be written where nothing forbids that, and is not answered: %s',
    async ([, way]) => {
      const [{ status, text }] = await way(site.client, { secret: 'a new one' });
      expect([status, text.includes('secret'), text.includes('a new one')]).toEqual([200, false, false]);
    },
  );

  test('is not answered by a collection without rules either', async () => {
    const created = await site.client('POST', SHELVES, { name: 'a', price: 4711 });
    const { _id } = created.body.results[0];
    const updated = await site.client('PUT', `${SHELVES}/${_id}`, { name: 'b' });
    for (const { status, text } of [created, updated])
      expect([status, text.includes('4711')]).toEqual([200, false]);
    expect(await site.stored(_id, SHELVES)).toMatchObject({ name: 'b', price: 4711 });
  });

  test('is written whatever it was: a nested write does not tell whether it is a change', async () => {
    for (const secret of ['ss', 'tt']) {
      const { _id } = await site.add(STORED);
      expect((await site.client('POST', SHELVES, { note: { _id, secret } })).status).toBe(200);
      expect(await site.stored(_id)).toMatchObject({ secret, v: 2 });
    }
  });

  test('has its issues told the same whether or not it is stored like that', async () => {
    // The specification has become stricter since.
    const { fields, settings } = (await site.admin('GET', `${NOTES}/config`)).body;
    const { _id } = await site.add(STORED);
    const strict = { ...fields, secret: { ...fields.secret, validation: { minLength: 3 } } };
    await site.admin('POST', `${NOTES}/config`, { fields: strict, settings });
    const told = [];
    for (const secret of ['ss', 'tt'])
      told.push((await site.client('PUT', `${NOTES}/${_id}`, { secret })).text);
    expect(told[0]).toBe(told[1]);
    expect(told[0]).toContain('too short');
    await site.admin('POST', `${NOTES}/config`, { fields, settings });
  });

  test('is not named where the caller did not send it: a required one, and one that a restore brings back', async () => {
    const specification = {
      fields: { name: {}, key: { type: 'String', required: true, access: { read: ['editors'] } } },
      settings: {},
    };
    await site.admin('POST', '/1.0/library/locks/config', specification);
    const { status, text } = await site.client('POST', '/1.0/library/locks', [
      { name: 'a', key: 'k' },
      { name: 'b' },
    ]);
    expect([status, JSON.parse(text).errors]).toEqual([
      400,
      [{ message: expect.any(String), code: 'ERROR_REQUIRED', index: 1 }],
    ]);
    expect((await site.editor('POST', '/1.0/library/locks', { name: 'b' })).body.errors[0].field).toBe('key');
  });

  test('is not named by an index that it breaks, and neither is its value', async () => {
    await site.add({ ...mayAll, pin: 'taken', code: 'used' });
    const sent = { ...mayAll, pin: 'taken' };
    const whole = await site.client('POST', NOTES, [mayAll, sent]);
    const item = { message: 'must be unique', code: 'ERROR_UNIQUE' };
    expect([whole.status, whole.body.errors]).toEqual([400, [{ ...item, index: 1 }]]);
    const nested = await site.client('POST', SHELVES, { note: sent });
    expect(nested.body.errors).toEqual([{ ...item, field: 'note' }]);
    const { _id } = await site.add(mayAll);
    const updated = await site.client('PUT', `${NOTES}/${_id}`, { pin: 'taken' });
    expect([updated.status, updated.body.errors]).toEqual([400, [item]]);
    expect((await site.editor('POST', NOTES, sent)).body.errors).toEqual([{ ...item, field: 'pin' }]);
    const visible = await site.client('POST', NOTES, { ...mayAll, code: 'used' });
    expect(visible.body.errors).toEqual([{ ...item, field: 'code' }]);
  });
});
