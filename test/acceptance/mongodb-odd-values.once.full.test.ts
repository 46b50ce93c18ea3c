// Values of other programs that JSON has no form for: text that is no UTF-8, numbers beyond every double. They are in nobody's way.
import { Decimal128, ObjectId } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { queryOf } from '../helpers/app/site.ts';
import { createDatabase, describeMongo, rawClient } from '../helpers/store/mongo-servers.ts';
import { insertRaw, NO_UTF8, SHOWN } from '../helpers/store/raw-insert.ts';
import { mongoEnvironment } from '../helpers/temp/workspace.ts';

const THINGS = '/1.0/old/things';
const SPECS: Readonly<Record<string, JsonObject>> = {
  '1.0/old/things': {
    fields: { n: { type: 'Number' }, d: { type: 'Mixed' }, t: { type: 'String' } },
    settings: { storeRevisions: false, index: [{ keys: { t: 1 } }] },
  },
};

function registerOn(server: string): void {
  let database: ReturnType<typeof createDatabase>;
  let app: TestApp;

  beforeEach(async () => {
    database = createDatabase(server);
    app = await startApp({ specs: SPECS, env: mongoEnvironment(database.uri) });
  });
  afterEach(async () => {
    await app.close();
    await database.drop();
  });

  const things = () => rawClient(server).db(database.name).collection('things');
  const list = async (parameters: JsonObject = {}) => {
    const { status, body, text } = await app.inject('GET', `${THINGS}${queryOf(parameters as never)}`);
    expect(status, `${JSON.stringify(parameters)} ${text}`).toBe(200);
    expect(body.metadata.totalCount).toBe(body.results.length);
    return body.results.map(({ n }: JsonObject) => n);
  };

  it('text that is no UTF-8 keeps no other document from being found, sorted and written', async () => {
    const id = new ObjectId('5a1b2c3d4e5f60718293a4b5');
    await things().insertMany([
      { n: 1, d: new Date('2020-01-01T00:00:00.000Z'), t: 'Ann', v: 1 },
      { n: 2, d: new ObjectId('5a1b2c3d4e5f60718293a4b6'), t: 'ann', v: 1 },
      { n: 3, d: { x: 1 }, t: 'b', v: 1 },
    ]);
    const raw = { _id: id, n: 4, d: NO_UTF8, t: NO_UTF8, v: 1 };
    await insertRaw(server, { database: database.name, collection: 'things' }, [raw]);
    expect(await list()).toHaveLength(4);
    expect((await app.inject('GET', `${THINGS}/${id}`)).body.results[0]).toMatchObject({ n: 4, d: SHOWN });
    expect(await list({ sort: 't' })).toEqual([1, 2, 4, 3]);
    expect(await list({ sort: 'd' })).toEqual([1, 2, 4, 3]);
    expect(await list({ sort: { d: -1 } })).toEqual([3, 4, 2, 1]);
    expect(await list({ filter: { d: { $gt: 'a' } } })).toEqual([4]);
    expect(await list({ filter: { d: { $gte: '1' } }, sort: 'd' })).toEqual([1, 2, 4]);
    expect(await list({ filter: { t: 'ANN' }, sort: 'n' })).toEqual([1, 2]);
    expect(await list({ filter: { t: { $regex: 'n' } }, sort: 'n' })).toEqual([1, 2]);
    expect(await list({ filter: { d: { $regex: '^2020' } } })).toEqual([1]);
    expect(await list({ filter: { _id: { $regex: '^5a1b' } } })).toEqual([4]);
    const update = { query: { n: { $gt: 0 } }, update: { n: 9 } };
    expect((await app.inject('PUT', THINGS, { body: update })).status).toBe(200);
    expect((await app.inject('DELETE', `${THINGS}/${id}`)).status).toBe(204);
  });

  it('an id that is no UTF-8 keeps no other document from being found', async () => {
    await things().insertMany([
      { n: 1, d: new Date(), t: 'a' },
      { n: 2, d: new ObjectId(), t: 'b' },
    ]);
    const raw = { _id: NO_UTF8, n: 4, d: 'x', t: 'c' };
    await insertRaw(server, { database: database.name, collection: 'things' }, [raw]);
    for (const parameters of [
      { sort: 'd' },
      { filter: { d: { $gt: 'a' } } },
      { filter: { _id: { $regex: '.' } } },
    ]) {
      const { status } = await app.inject('GET', `${THINGS}${queryOf(parameters as never)}`);
      expect(status, JSON.stringify(parameters)).toBe(200);
    }
  });

  it('numbers that are shown as null are found as null, and are no numbers', async () => {
    const numbers = ['1E+6000', '-1E+6000', '1.7976931348623157E+308', '1.5', 'NaN', 'Infinity'];
    await things().insertMany([
      ...numbers.map((text, n) => ({ n, d: Decimal128.fromString(text) })),
      { n: 6, d: Number.NEGATIVE_INFINITY },
      { n: 7, d: 1e308 },
      { n: 8, d: null },
      { n: 9, d: [Decimal128.fromString('1E+6000'), 'x'] },
      { n: 10, d: 'x' },
      { n: 11 },
    ]);
    const ask = async (test: JsonObject) => list({ filter: { d: test }, sort: 'n' });
    expect(await ask({ $eq: null })).toEqual([0, 1, 4, 5, 6, 8, 9, 11]);
    expect(await list({ filter: { d: null }, sort: 'n' })).toEqual([0, 1, 4, 5, 6, 8, 9, 11]);
    expect(await ask({ $ne: null })).toEqual([2, 3, 7, 10]);
    expect(await ask({ $in: [null, 1.5] })).toEqual([0, 1, 3, 4, 5, 6, 8, 9, 11]);
    expect(await ask({ $type: 'number' })).toEqual([2, 3, 7]);
    expect(await ask({ $type: 'null' })).toEqual([0, 1, 4, 5, 6, 8, 9]);
    expect(await ask({ $type: ['number', 'string'] })).toEqual([2, 3, 7, 9, 10]);
    expect(await ask({ $type: ['null', 'number'] })).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await ask({ $not: { $type: 'number' } })).toEqual([0, 1, 4, 5, 6, 8, 9, 10, 11]);
    expect(await ask({ $elemMatch: { $type: 'null' } })).toEqual([9]);
    expect(await ask({ $elemMatch: { $type: 'number' } })).toEqual([]);
  });
}

describeMongo('Values that JSON has no form for', (servers) => {
  describe.each(Object.entries(servers))('%s', (_kind, server) => registerOn(server));
});
