// How answers look over the whole application: composed writes, tags, shared folders, patterns that need a worker.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createTestCollection, queryOf } from '../helpers/app/site.ts';

const friend = { type: 'Reference', settings: { collection: 'friends' } };

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ specs: {} });
  await createTestCollection(app, '/1.0/library/friends', {
    fields: { name: {} },
    settings: { fieldLimiters: { _id: 0 } },
  });
});

afterAll(() => app.close());

async function addFriend(name: string): Promise<string> {
  const { body } = await app.inject('POST', '/1.0/library/friends', { body: { name } });
  return body.results[0]._id;
}

describe('answers to writes', () => {
  const rows = [
    [false, undefined, false],
    [false, true, true],
    [true, undefined, true],
    [true, false, false],
  ] as const;

  it.each(rows)(
    'with `settings.compose` %s and `compose=%s` are composed: %s',
    async (setting, asked, composed) => {
      const shelf = await createTestCollection(app, '/1.0/library/composing', {
        fields: { name: {}, friend },
        settings: { compose: setting },
      });
      const id = await addFriend('Ann');
      const query = asked === undefined ? '' : queryOf({ compose: asked });
      const expected = composed ? expect.objectContaining({ name: 'Ann', _id: id }) : id;
      const created = await app.inject('POST', shelf.path + query, { body: { name: 'x', friend: id } });
      expect(created.body.results[0].friend).toEqual(expected);
      expect(created.body.results[0].composed).toEqual(composed ? { friend: id } : undefined);
      const path = `${shelf.path}/${created.body.results[0]._id}${query}`;
      expect((await app.inject('PUT', path, { body: {} })).body.results[0].friend).toEqual(expected);
      const body = { query: { friend: id }, update: { name: 'y' } };
      const many = await app.inject('PUT', shelf.path + query, { body });
      expect(many.body.results[0].friend).toEqual(expected);
    },
  );

  it('can be sent back also where a limiter hides the ids of what they refer to', async () => {
    const shelf = await createTestCollection(app, '/1.0/library/returning', { fields: { friend } });
    const id = await addFriend('Bob');
    const [{ _id }] = await shelf.add({ friend: id });
    const fetched = (await shelf.get({ compose: true }, `/${_id}`)).body.results[0];
    const { status, body } = await app.inject('PUT', `${shelf.path}/${_id}?compose=false`, { body: fetched });
    expect([status, body.results[0].friend]).toEqual([200, id]);
  });
});

describe('entity tags', () => {
  it('belong to one representation of one state', async () => {
    const shelf = await createTestCollection(app, '/1.0/library/tagged', { fields: { name: {}, friend } });
    const [{ _id }] = await shelf.add({ name: 'a', friend: await addFriend('Cid') });
    const tagOf = async (parameters = {}, below = `/${_id}`) => {
      const { headers } = await shelf.get(parameters, below);
      return String(headers['etag']);
    };
    const views = [{}, { fields: { name: 1 } }, { compose: true }, { callback: 'cb' }];
    const tags = await Promise.all([...views.map((view) => tagOf(view)), tagOf({}, ''), tagOf({}, '/count')]);
    expect(new Set(tags).size).toBe(tags.length);
    expect(await tagOf()).toBe(tags[0]);
    const again = await app.inject('GET', `${shelf.path}/${_id}`, {
      headers: { 'if-none-match': `"x", W/${tags[0]}` },
    });
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', tags[0]]);
    const update = (tag: string) =>
      app.inject('PUT', `${shelf.path}/${_id}`, { body: { name: 'b' }, headers: { 'if-match': tag } });
    expect((await update(String(tags[2]))).status).toBe(200);
    expect((await update(String(tags[1]))).status).toBe(412);
    expect(await tagOf()).not.toBe(tags[0]);
  });
});

describe('one collection name in two folders', () => {
  it('means the same documents', async () => {
    const one = await createTestCollection(app, '/1.0/left/same', { fields: { name: {} } });
    const two = await createTestCollection(app, '/1.0/right/same', { fields: { name: {}, more: {} } });
    await one.add({ name: 'a' });
    await two.add({ name: 'b', more: 'c' });
    expect(await one.find({})).toEqual(['a', 'b']);
    expect(await two.find({})).toEqual(['a', 'b']);
  });
});

describe('letters', () => {
  const names = [
    '\u017fet',
    'SET',
    '\u212aelvin',
    'kelvin',
    '\u0130',
    'i',
    '\u03c3\u03c2',
    '\u{10400}',
    'Ǆ',
    'ﬁ',
  ];
  const pairs = [
    ['set', ['\u017fet', 'SET']],
    ['KELVIN', ['\u212aelvin', 'kelvin']],
    ['I', ['i']],
    ['\u03a3\u03a3', ['\u03c3\u03c2']],
    ['\u{10428}', ['\u{10400}']],
    ['ǅ', ['Ǆ']],
    ['fi', []],
  ] as const;

  it.each([{}, { index: [{ keys: { name: 1 } }] }])('fold one by one, with %j', async (settings) => {
    const path = `/1.0/library/folded${Object.keys(settings).length}`;
    const shelf = await createTestCollection(app, path, { fields: { name: {} }, settings });
    await shelf.add(...names.map((name) => ({ name })));
    for (const [asked, found] of pairs) expect(await shelf.find({ name: asked })).toEqual(found);
    for (const name of names) expect(await shelf.find({ name: { $eq: name } })).toEqual([name]);
  });
});

describe('a pattern beyond the linear-time engine', () => {
  it('judges, and fails what takes too long', async () => {
    const pattern = '^(?=a)(a+)+$';
    const shelf = await createTestCollection(app, '/1.0/library/slow', {
      fields: { name: { validation: { regex: { pattern } } } },
    });
    // A thread that starts late on a busy machine is 503, as a thread behind hostile texts is: come again.
    const post = async (name: string) => {
      for (;;) {
        const answer = await app.inject('POST', shelf.path, { body: { name } });
        if (answer.status !== 503) return answer;
      }
    };
    expect((await post('aaa')).status).toBe(200);
    const message = `should match the pattern ${pattern}`;
    // Left alone, the second would outlive this test by years.
    for (const name of ['b', `${'a'.repeat(60)}b`]) {
      const { status, body } = await post(name);
      expect([status, body.errors]).toEqual([400, [{ field: 'name', message, code: 'ERROR_REGEX' }]]);
    }
    expect((await post('a')).status).toBe(200);
    expect(await shelf.find({})).toEqual(['aaa', 'a']);
  });
});

describe('documents as plain text', () => {
  it('are JSON all the same', async () => {
    const shelf = await createTestCollection(app, '/1.0/library/texts', { fields: { name: {} } });
    const send = (method: string, path: string, body: string, type = 'text/plain') =>
      app.inject(method, path, { body, headers: { 'content-type': type } });
    const created = await send('POST', shelf.path, '{"name":"a"}');
    const path = `${shelf.path}/${created.body.results[0]._id}`;
    expect((await send('PUT', path, '{"name":"b"}')).body.results[0].name).toBe('b');
    expect((await send('POST', shelf.path, 'name=a')).status).toBe(400);
    expect((await send('POST', shelf.path, 'name=a', 'application/x-www-form-urlencoded')).status).toBe(415);
    expect((await send('DELETE', shelf.path, '{"query":{"name":"B"}}')).status).toBe(204);
    expect(await shelf.find({})).toEqual([]);
  });
});
