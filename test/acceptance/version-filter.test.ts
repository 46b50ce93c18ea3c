// `query.useVersionFilter` over the whole application: each version of a collection has the documents that were written under it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';

const SPEC = {
  fields: { t: { type: 'String' }, n: { type: 'Number' }, friend: { type: 'Reference' } },
  settings: { storeRevisions: true, cache: false },
};
const SPECS = { '1.0/library/vf': SPEC, '2.0/library/vf': SPEC };
const SETTINGS = [true, false];

describe.each(SETTINGS)('with query.useVersionFilter: %s, a request', (separate) => {
  let app: TestApp;
  let first: JsonObject;
  let second: JsonObject;

  const at = (version: string, below = '') => `/${version}/library/vf${below}`;
  const find = async (version: string, query = '') =>
    (await app.inject('GET', at(version, query))).body.results.map(({ t }: JsonObject) => t);
  const status = async (method: string, path: string, body?: JsonObject) =>
    (await app.inject(method, path, body === undefined ? {} : { body })).status;
  /** What holds of a document of another version. */
  const unseen = separate ? 404 : 200;

  beforeAll(async () => {
    app = await startApp({ specs: SPECS, config: { query: { useVersionFilter: separate } } });
    const add = async (version: string) => {
      const { body } = await app.inject('POST', at(version), { body: { t: `from ${version}` } });
      return body.results[0];
    };
    first = await add('1.0');
    second = await add('2.0');
  });

  afterAll(() => app.close());

  it('reads and counts', async () => {
    const both = ['from 1.0', 'from 2.0'];
    expect(await find('1.0')).toEqual(separate ? ['from 1.0'] : both);
    expect(await find('2.0')).toEqual(separate ? ['from 2.0'] : both);
    expect(await find('2.0', '?filter={"t":{"$regex":"from"}}')).toEqual(separate ? ['from 2.0'] : both);
    expect(await find('1.0', '?filter={"$or":[{"t":"from 2.0"},{"apiVersion":"2.0"}]}')).toEqual(
      separate ? [] : ['from 2.0'],
    );
    const { body } = await app.inject('GET', at('1.0', '/count'));
    expect(body.metadata.totalCount).toBe(separate ? 1 : 2);
    expect(await status('GET', at('1.0', `/${second['_id']}`))).toBe(unseen);
    expect(await status('GET', at('1.0', `/${second['_id']}/history`))).toBe(unseen);
    expect(await status('GET', at('2.0', `/${second['_id']}/history`))).toBe(200);
  });

  it('follows references, in composition and filters', async () => {
    const { body } = await app.inject('POST', at('1.0'), { body: { t: 'pair', friend: second['_id'] } });
    const id = body.results[0]._id;
    const composed = await app.inject('GET', at('1.0', `/${id}?compose=true`));
    const { friend } = composed.body.results[0];
    expect(friend).toEqual(separate ? second['_id'] : expect.objectContaining({ t: 'from 2.0' }));
    expect(await find('1.0', '?filter={"friend.t":"from 2.0"}')).toEqual(separate ? [] : ['pair']);
    const nested = { friend: { _id: second['_id'] ?? null, n: 7 } };
    expect((await status('PUT', at('1.0', `/${id}`), nested)) === 200).toBe(!separate);
    expect(await status('DELETE', at('1.0', `/${id}`))).toBe(204);
  });

  it('updates and removes', async () => {
    expect(await status('PUT', at('1.0', `/${second['_id']}`), { n: 1 })).toBe(unseen);
    const put = await app.inject('PUT', at('1.0'), {
      body: { query: { t: { $regex: 'from' } }, update: { n: 2 } },
    });
    expect(put.body.results).toHaveLength(separate ? 1 : 2);
    if (separate) expect(await status('DELETE', at('1.0', `/${second['_id']}`))).toBe(404);
    const all = { query: {}, all: true };
    expect(await status('DELETE', at('1.0'), all)).toBe(204);
    expect(await find('2.0')).toEqual(separate ? ['from 2.0'] : []);
    expect(await status('GET', at('2.0', `/${first['_id']}/history`))).toBe(unseen);
    expect(await status('GET', at('1.0', `/${first['_id']}/history`))).toBe(200);
  });
});
