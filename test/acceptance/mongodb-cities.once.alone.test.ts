// Twenty thousand cities, imported over HTTP into SQLite and MongoDB, are the same documents in both.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CITIES, COUNTRIES, cityDocuments, countryDocuments } from '../../scripts/example-import/world.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { queryOf } from '../helpers/app/site.ts';
import { type Client, connectClient } from '../helpers/server-process/client.ts';
import { type ServerProcess, spawnServer } from '../helpers/server-process/server-process.ts';
import { createDatabase, describeMongo } from '../helpers/store/mongo-servers.ts';
import { createWorkspace, mongoEnvironment } from '../helpers/temp/workspace.ts';

const WORLD = '/1.0/world';
const MANY = 20_000;
const BATCH = 2000;
const PAGE = 1000;

interface Side {
  readonly client: Client;
  /** The code of a country by the id that this database gave it. */
  readonly codes: ReadonlyMap<string, string>;
}

async function post(client: Client, path: string, body: unknown) {
  const answer = await client.request('POST', path, body);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function fill(server: ServerProcess): Promise<Side> {
  const client = await connectClient(server.url);
  await post(client, `${WORLD}/countries/config`, COUNTRIES);
  await post(client, `${WORLD}/cities/config`, CITIES);
  const { results } = await post(client, `${WORLD}/countries`, countryDocuments());
  const ids = new Map<string, string>(
    results.map(({ code, _id }: { code: string; _id: string }) => [code, _id]),
  );
  const all = cityDocuments(ids);
  // Spread over all countries and sizes.
  const every = Math.floor(all.length / MANY);
  const cities = all.filter((_, index) => index % every === 0).slice(0, MANY);
  for (let from = 0; from < cities.length; from += BATCH) {
    await post(client, `${WORLD}/cities`, cities.slice(from, from + BATCH));
  }
  return { client, codes: new Map([...ids].map(([code, id]) => [id, code])) };
}

/** An answer without what must differ: ids and times. */
function comparable({ codes }: Side, { results, metadata }: { results: JsonObject[]; metadata: unknown }) {
  const documents = results.map(({ _id, createdAt, lastModifiedAt, country, composed, ...rest }) => {
    const { _id: id, createdAt: made, lastModifiedAt: changed, ...fields } = (country ?? {}) as JsonObject;
    return { ...rest, country: typeof country === 'string' ? codes.get(country) : fields };
  });
  return { documents, metadata };
}

const QUERIES: readonly Readonly<Record<string, never | string | number | boolean | object>>[] = [
  {},
  { sort: 'name', count: 200 },
  { sort: { name: -1, geonameId: 1 }, count: 200, page: 3 },
  { sort: { population: -1, geonameId: -1 }, count: 300 },
  { sort: { feature: 1, name: 1, geonameId: 1 }, count: 200, skip: 8000 },
  { filter: { name: 'SPRINGFIELD' }, sort: 'geonameId', count: 1000 },
  { filter: { name: 'BENITO JUÁREZ' }, sort: 'geonameId' },
  { filter: { name: { $regex: '^san ' } }, sort: { name: 1, geonameId: 1 }, count: 1000 },
  { filter: { name: { $regex: 'ö.*ß|ß.*ö' } }, sort: 'geonameId' },
  { filter: { name: { $regex: 'burg$', $options: '' } }, sort: { population: -1, geonameId: 1 } },
  { filter: { population: { $gte: 1_000_000 } }, sort: { population: -1, geonameId: 1 }, count: 1000 },
  {
    filter: { population: { $gt: 1000, $lt: 1100 }, feature: 'PPL' },
    sort: { name: 1, geonameId: 1 },
    count: 1000,
  },
  { filter: { 'country.code': 'NL' }, sort: { population: -1, geonameId: 1 }, count: 1000 },
  { filter: { 'country.name': 'germany' }, sort: { name: 1, geonameId: 1 }, count: 1000, skip: 200 },
  { filter: { 'country.continent': 'OC', population: 0 }, sort: 'geonameId', count: 500, compose: true },
  { filter: { feature: { $in: ['PPLC', 'PPLA'] } }, sort: { name: 1, geonameId: 1 }, count: 1000 },
  { filter: { feature: { $ne: 'PPL' }, name: { $gte: 'Y' } }, sort: { name: 1, geonameId: 1 }, count: 1000 },
  { filter: { 'location.coordinates.1': { $gt: 70 } }, sort: { name: 1, geonameId: 1 }, count: 1000 },
  { filter: { 'location.coordinates': { $elemMatch: { $gt: 178 } } }, sort: 'geonameId', count: 1000 },
  { filter: { $or: [{ name: 'Å' }, { name: 'ÅRHUS' }, { population: { $gte: 2e7 } }] }, sort: 'geonameId' },
  { filter: { geonameId: { $exists: false } } },
  { fields: { name: 1, population: 1 }, sort: 'geonameId', count: 100 },
  { fields: { location: 0 }, sort: { geonameId: -1 }, count: 100 },
];

describeMongo('Twenty thousand cities', ({ standalone }) => {
  const workspaces = [createWorkspace(), createWorkspace()];
  const { uri, drop } = createDatabase(standalone);
  const servers: ServerProcess[] = [];
  let sides: readonly Side[];

  beforeAll(async () => {
    for (const [at, env] of [{}, mongoEnvironment(uri)].entries()) {
      servers.push(await spawnServer({ cwd: workspaces[at]!.cwd, env }));
    }
    sides = await Promise.all(servers.map(fill));
  });

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    for (const workspace of workspaces) workspace.remove();
    await drop();
  });

  const ask = async (path: string) =>
    Promise.all(
      sides.map(async (side) => {
        const { status, body } = await side.client.request('GET', path);
        expect(status, JSON.stringify(body)).toBe(200);
        return comparable(side, body);
      }),
    );

  it('are the same documents', async () => {
    for (let page = 1; page <= MANY / PAGE; page += 1) {
      const [embedded, server] = await ask(
        `${WORLD}/cities${queryOf({ sort: 'geonameId', count: PAGE, page })}`,
      );
      expect(embedded?.documents).toHaveLength(PAGE);
      expect(server).toEqual(embedded);
    }
  });

  it.each(QUERIES.map((query) => [JSON.stringify(query), query]))(
    'are found alike: %s',
    async (_name, query) => {
      const [embedded, server] = await ask(
        `${WORLD}/cities${queryOf(query as Parameters<typeof queryOf>[0])}`,
      );
      expect(server).toEqual(embedded);
    },
  );

  it('are counted alike', async () => {
    const counts = await Promise.all(
      sides.map(({ client }) => client.request('GET', `${WORLD}/cities/stats`)),
    );
    expect(counts.map(({ body }) => [body.count, Object.keys(body.indexSizes).sort()])).toEqual(
      Array(2).fill([MANY, expect.arrayContaining(['_id_', 'geonameId_1', 'name_1', 'population_-1'])]),
    );
  });
});
