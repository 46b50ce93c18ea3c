// Integers that a number cannot hold, over the whole application: refused wherever JSON comes in, never changed.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createTestCollection, type TestCollection } from '../helpers/app/site.ts';

const PATH = '/1.0/library/items';
const FIELDS = {
  name: { type: 'String' },
  n: { type: 'Number' },
  box: { type: 'Object' },
  any: { type: 'Mixed' },
};

let app: TestApp;
let items: TestCollection;

beforeAll(async () => {
  app = await startApp({ specs: {} });
  items = await createTestCollection(app, PATH, { fields: FIELDS, settings: { storeRevisions: true } });
});

beforeEach(() => app.inject('DELETE', PATH, { body: { query: {}, all: true } }));

afterAll(() => app.close());

/** Sends a text as it is. */
const send = (method: string, path: string, text: string) => app.inject(method, path, { body: text });

const LARGE = '9007199254740993';
/** So long that it is parsed in slices. */
const LONG_LIST = `[${`{"name":"${'x'.repeat(80)}"},`.repeat(6000)}{"box":{"a":[0,${LARGE}]}}]`;

describe('an integer that a number cannot hold', () => {
  it.each([
    ['POST', `{"n":${LARGE}}`, 'n'],
    ['POST', `{"n":12345678901234567890}`, 'n'],
    ['POST', `{"any":[1,{"id":-${LARGE}}]}`, 'any.1.id'],
    ['POST', `[{"n":1},{"n":${LARGE}}]`, '1.n'],
    ['POST', LONG_LIST, '6000.box.a.1'],
    ['PUT', `{"query":{"n":${LARGE}},"update":{"n":1}}`, 'query.n'],
    ['PUT', `{"query":{"n":1},"update":{"n":${LARGE}}}`, 'update.n'],
    ['DELETE', `{"query":{"n":{"$in":[1,${LARGE}]}}}`, 'query.n.$in.1'],
  ])('is refused in %s', async (method, text, path) => {
    const { status, body } = await send(method, PATH, text);
    expect([status, body.errors[0].field]).toEqual([400, path]);
    expect(body.errors[0].message).toContain('cannot be held exactly as a number: send it as text');
    expect(await items.find({})).toEqual([]);
  });

  it.each(['filter', 'historyFilters', 'sort', 'fields'])('is refused in `%s`', async (name) => {
    for (const below of ['', '/count']) {
      const text = encodeURIComponent(`{"n":${LARGE}}`);
      const { status, body } = await app.inject('GET', `${PATH}${below}?${name}=${text}`);
      expect([status, body.errors[0].message]).toEqual([
        400,
        `\`n\` in the \`${name}\` parameter ${LARGE} cannot be held exactly as a number: send it as text`,
      ]);
    }
  });

  it('is refused as an operand in text, too', async () => {
    await items.add({ name: 'a', n: 2 ** 53 });
    const { status, body } = await items.get({ filter: { n: LARGE } });
    expect([status, body.errors[0].field]).toEqual([400, 'n']);
    expect(await items.find({ n: '9007199254740992' })).toEqual(['a']);
  });

  it('is none where the digits are those that the number has', async () => {
    for (const literal of [
      '9007199254740992',
      '123456789012345680000',
      '-9007199254740994',
      '1e300',
      '0.1',
    ]) {
      const { status, body } = await send('POST', PATH, `{"name":"a","n":${literal},"any":[${literal}]}`);
      expect([literal, status]).toEqual([literal, 200]);
      const [{ _id }] = body.results;
      const fetched = await app.inject('GET', `${PATH}/${_id}`);
      const sentBack = JSON.stringify(fetched.body.results[0]);
      expect((await send('PUT', `${PATH}/${_id}`, sentBack)).status).toBe(200);
      const found = await app.inject('GET', `${PATH}/count?filter={"n":${literal},"any":${literal}}`);
      expect(found.body.metadata.totalCount).toBe(1);
    }
  });

  it('is named as infinite where it is beyond every number', async () => {
    const { status, body } = await app.inject('GET', `${PATH}?filter={"n":1e400}`);
    expect([status, body.errors[0].message]).toEqual([
      400,
      '`n` in the `filter` parameter is not a finite number',
    ]);
  });
});
