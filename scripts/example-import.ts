// `npm run example:import [-- --url URL]`: loads every country and a hundred thousand cities that refer to them into a
// running server, through its HTTP API. May be run again: what is there already stays as it is.
import { parseArgs } from 'node:util';
import { Presets, SingleBar } from 'cli-progress';
import { type Api, connect, ImportError } from './example-import/api.ts';
import { CITIES, COUNTRIES, cityDocuments, countryDocuments } from './example-import/world.ts';

const WORLD = '/1.0/world';
const BATCH = 500;

const query = (parameters: Readonly<Record<string, unknown>>) =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(JSON.stringify(value))}`)
    .join('&');

async function countryIds(api: Api): Promise<Map<string, string>> {
  const { results = [] } = await api.request(
    'GET',
    `${WORLD}/countries?count=1000&${query({ fields: { code: 1 } })}`,
  );
  return new Map(results.map(({ code, _id }) => [String(code), _id]));
}

async function importCountries(api: Api): Promise<Map<string, string>> {
  const known = await countryIds(api);
  const missing = countryDocuments().filter(({ code }) => !known.has(String(code)));
  if (missing.length > 0) await api.request('POST', `${WORLD}/countries`, missing);
  console.log(`countries: ${missing.length} added, ${known.size} there already`);
  return countryIds(api);
}

/** Of these cities, the ones that an earlier run did not bring. */
async function missingOf<T extends { readonly geonameId: number }>(
  api: Api,
  batch: readonly T[],
): Promise<T[]> {
  const filter = { geonameId: { $in: batch.map(({ geonameId }) => geonameId) } };
  const search = query({ filter, fields: { geonameId: 1 } });
  const { results = [] } = await api.request('GET', `${WORLD}/cities?count=${BATCH}&${search}`);
  const known = new Set(results.map(({ geonameId }) => geonameId));
  return batch.filter(({ geonameId }) => !known.has(geonameId));
}

async function importCities(api: Api, countries: ReadonlyMap<string, string>): Promise<void> {
  const cities = cityDocuments(countries);
  const { metadata } = await api.request('GET', `${WORLD}/cities/count`);
  const fresh = metadata?.totalCount === 0;
  const bar = new SingleBar(
    { format: 'cities {bar} {value}/{total} {eta_formatted}' },
    Presets.shades_classic,
  );
  bar.start(cities.length, 0);
  let added = 0;
  try {
    for (let from = 0; from < cities.length; from += BATCH) {
      const batch = cities.slice(from, from + BATCH);
      const missing = fresh ? batch : await missingOf(api, batch);
      if (missing.length > 0) await api.request('POST', `${WORLD}/cities`, missing);
      added += missing.length;
      bar.update(from + batch.length);
    }
  } finally {
    bar.stop();
  }
  console.log(`cities: ${added} added, ${cities.length - added} there already`);
}

function credentials(): { clientId: string; secret: string } {
  const { CLOISTER_ADMIN_ID: clientId, CLOISTER_ADMIN_SECRET: secret } = process.env;
  if (clientId === undefined || secret === undefined) {
    throw new ImportError(
      'Set CLOISTER_ADMIN_ID and CLOISTER_ADMIN_SECRET, as the first start of the server printed them.',
    );
  }
  return { clientId, secret };
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { url: { type: 'string', default: 'http://localhost:8081' } } });
  if (!URL.canParse(values.url))
    throw new ImportError(`--url takes an address such as http://localhost:8081`);
  const api = await connect(values.url.replace(/\/+$/, ''), credentials());
  await api.request('POST', `${WORLD}/countries/config`, COUNTRIES);
  await api.request('POST', `${WORLD}/cities/config`, CITIES);
  await importCities(api, await importCountries(api));
}

try {
  await main();
} catch (error) {
  if (!(error instanceof ImportError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
