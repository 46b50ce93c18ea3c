// What writes answer with: what the caller may read, at every depth. And restoring, which needs more than the right to update.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp } from '../helpers/app/app.ts';
import { mayAll, mayAllBut, NOTES, openWritesSite, SHELVES, type WritesSite } from './writes-site.ts';

let site: WritesSite;
beforeAll(async () => {
  site = await openWritesSite({ config: { feedback: { enabled: true } } });
});
afterAll(() => site.close());

describe('the answer to a write', () => {
  test('holds of a document that the caller may not read its id alone', async () => {
    const created = await site.client('POST', NOTES, [mayAllBut('mayRead'), mayAll]);
    expect(created.body.results).toEqual([{ _id: expect.any(String) }, expect.objectContaining({ v: 1 })]);
    const { _id } = await site.add({ ...mayAll, tag: 'answered' });
    const update = { mayRead: false, title: 'gone' };
    const updated = await site.client('PUT', NOTES, { query: { tag: 'answered' }, update });
    expect(updated.body).toMatchObject({ results: [{ _id }], metadata: { totalCount: 1 } });
    expect(Object.keys(updated.body.results[0])).toEqual(['_id']);
  });

  test('has no hidden field, neither of itself nor of what it is composed of', async () => {
    const hidden = { secret: 'hide this', salary: 77_777 };
    const inner = await site.add({ ...mayAll, ...hidden });
    const stored = await site.add({ ...mayAll, ...hidden, next: inner._id });
    const sent = { secret: 'hide this' };
    const ways = [
      await site.client('POST', `${NOTES}?compose=true`, {
        ...mayAll,
        ...sent,
        next: { ...mayAll, ...sent },
      }),
      await site.client('POST', `${NOTES}?compose=all`, { ...mayAll, next: { ...mayAll, next: stored._id } }),
      await site.client('PUT', `${NOTES}/${stored._id}?compose=all`, { title: 'x' }),
      await site.client('POST', SHELVES, { note: { ...mayAll, next: { ...mayAll, ...sent } } }),
    ];
    for (const { status, text } of ways) {
      expect([status, /secret|salary|hide this|77777/.test(text)]).toEqual([200, false]);
      expect(text).toContain('"composed"');
    }
  });

  test('has ids in the place of documents of the same write that the caller may not read', async () => {
    const { body } = await site.client('POST', `${SHELVES}?compose=all`, [
      { note: { ...mayAllBut('mayRead'), title: 'first' } },
      { note: { ...mayAll, title: 'second', next: { ...mayAllBut('mayRead'), title: 'third' } } },
    ]);
    const [first, second] = body.results;
    expect(first.note).toMatch(/^[0-9a-f]{24}$/);
    expect([second.note.title, second.note.next]).toEqual([
      'second',
      expect.stringMatching(/^[0-9a-f]{24}$/),
    ]);
    const { _id } = await site.add({ ...mayAll, title: 'shown' });
    const note = { _id, mayRead: false };
    const updated = await site.client('POST', SHELVES, { note });
    expect(updated.body.results[0].note).toBe(_id);
  });

  test('shows nothing to a client whose permissions name writing without reading, also where there are no rules', async () => {
    const send = await site.clientWith('writer', [], { actions: ['create', 'update', 'delete'] });
    const { _id } = await site.add({ name: 'old' }, SHELVES);
    const isId = { _id: expect.stringMatching(/^[0-9a-f]{24}$/) };
    expect((await send('POST', SHELVES, [{ name: 'a' }, {}])).body.results).toEqual([isId, isId]);
    expect((await send('PUT', `${SHELVES}/${_id}`, {})).body.results).toEqual([{ _id }]);
    const byQuery = await send('PUT', SHELVES, { query: { name: 'old' }, update: { name: 'x' } });
    expect(byQuery.body.results).toEqual([]);
    await send('DELETE', SHELVES, { query: { name: 'old' } });
    const inner = await site.add(mayAll);
    for (const id of [inner._id, 'f'.repeat(24)]) {
      const { status } = await send('POST', SHELVES, { note: { _id: id, title: 'x' } });
      expect(status).toBe(400);
    }
    expect(await site.stored(_id, SHELVES)).toMatchObject({ name: 'old', v: 2 });
  });

  test('counts of what remains only what the caller may read', async () => {
    const own = await site.add({ ...mayAll, tag: 'counted' });
    await site.add({ ...mayAllBut('mayRead'), tag: 'counted' });
    const { body } = await site.client('DELETE', `${NOTES}/${own._id}`);
    const { metadata } = (await site.client('GET', `${NOTES}/count`)).body;
    expect(body).toMatchObject({ deleted: 1, totalCount: metadata.totalCount });
  });
});

describe('restoring', () => {
  const restore = (id: string, revisionId: string, send = site.client) =>
    send('POST', `${NOTES}/${id}/revisions/${revisionId}/restore`);
  const update = (id: string, body: JsonObject) => site.admin('PUT', `${NOTES}/${id}`, body);
  const remove = (id: string) => site.admin('DELETE', `${NOTES}/${id}`);

  /** A document that has been `first`, then `last`, and may be removed since. */
  const documentThatWas = async (first: JsonObject, last: JsonObject, isRemoved: boolean) => {
    const { _id } = await site.add(first);
    await update(_id, last);
    const revision = await site.revisionOf(_id);
    if (isRemoved) await remove(_id);
    return [_id, revision] as const;
  };

  const CASES: readonly (readonly [
    string,
    first: JsonObject,
    last: JsonObject,
    status: number,
    removed?: number,
  ])[] = [
    ['everything is allowed', mayAll, mayAll, 200],
    ['its present state may not be read', mayAll, mayAllBut('mayRead'), 404],
    ['the state of the revision may not be read', mayAllBut('mayRead'), mayAll, 404],
    ['its present state may not be updated', mayAll, mayAllBut('mayUpdate'), 403],
    ['the new state may not be', mayAllBut('mayUpdate'), mayAll, 403],
    ['its history may not be read', mayAll, mayAllBut('mayHistory'), 403],
    ['the new state may not be created', mayAllBut('mayCreate'), mayAll, 200, 403],
  ];
  for (const isRemoved of [false, true]) {
    const of = isRemoved ? 'a removed document' : 'a document';
    test.for(CASES)(`${of} where %s`, async ([, first, last, status, whenRemoved = status]) => {
      const [id, revision] = await documentThatWas(
        { ...first, title: 'first' },
        { ...last, title: 'last' },
        isRemoved,
      );
      const answer = await restore(id, revision);
      const expected = isRemoved ? whenRemoved : status;
      expect(answer.status, answer.text).toBe(expected);
      const left = isRemoved ? undefined : { title: 'last', v: 2 };
      expect(await site.stored(id)).toEqual(
        expected === 200
          ? expect.objectContaining({ title: 'first', v: 3 })
          : left && expect.objectContaining(left),
      );
    });

    test(`${of} changes no field that the caller may not write`, async () => {
      const changed = await documentThatWas({ ...mayAll, grade: 'A' }, { grade: 'B' }, isRemoved);
      const { status, body } = await restore(...changed);
      expect([status, body.errors[0].field]).toEqual([403, 'grade']);
      const hidden = await documentThatWas({ ...mayAll, salary: 1 }, { salary: 2 }, isRemoved);
      const told = await restore(...hidden);
      expect([told.status, told.body.errors[0].field]).toEqual([403, undefined]);
      const came = await documentThatWas(mayAll, { grade: 'B' }, isRemoved);
      expect((await restore(...came)).status).toBe(403);
      const same = await documentThatWas({ ...mayAll, grade: 'A', salary: 1 }, { title: 'x' }, isRemoved);
      const done = await restore(...same);
      expect([done.status, done.text.includes('salary')]).toEqual([200, false]);
      expect(await site.stored(same[0])).toMatchObject({ grade: 'A', salary: 1, v: 3 });
      expect((await restore(...changed, site.editor)).status).toBe(200);
    });
  }

  test('answers an unknown revision of a readable document with 404', async () => {
    const { _id } = await site.add(mayAll);
    expect((await restore(_id, 'e'.repeat(24))).status).toBe(404);
  });
});

describe('a precondition', () => {
  test.each(['PUT', 'DELETE'])(
    'of a %s tells nothing of a document that the caller may not read',
    async (method) => {
      const open = [{ to: 'clients' }];
      const access = { read: [{ to: 'clients', where: { shown: true } }], update: open, delete: open };
      const spec = { fields: { shown: { type: 'Boolean' }, text: { type: 'String' } }, settings: { access } };
      await using app = Object.assign(await startApp({ specs: { '1.0/post/box': spec } }), {
        [Symbol.asyncDispose]: () => app.close(),
      });
      const token = await app.userToken('ann');
      const send = async (shown: boolean, headers: Readonly<Record<string, string>>) => {
        const { body } = await app.inject('POST', '/1.0/post/box', { body: { shown, text: 'x' } });
        const path = `/1.0/post/box/${body.results[0]._id}`;
        const sent = method === 'PUT' ? { body: { text: 'y' } } : {};
        return (await app.inject(method, path, { token, headers, ...sent })).status;
      };
      const done = method === 'PUT' ? 200 : 204;
      for (const shown of [true, false]) {
        expect(await send(shown, { 'if-match': '"1"' })).toBe(shown ? done : 412);
        expect(await send(shown, { 'if-match': '"9"' })).toBe(412);
        expect(await send(shown, { 'if-none-match': '"1"' })).toBe(shown ? 412 : done);
        expect(await send(shown, { 'if-match': '*' })).toBe(done);
        expect(await send(shown, { 'if-none-match': '*' })).toBe(412);
      }
    },
  );
});
