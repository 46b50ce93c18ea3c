// The collections that document calls are made on, and the documents in them.
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { TestApp } from '../../helpers/app/app.ts';

const PEOPLE = { fields: { name: { required: true }, born: { type: 'Number' } }, settings: {} };

const reference = { type: 'Reference', settings: { collection: 'people', fields: ['name', 'born'] } };

const ITEMS: JsonObject = {
  name: { required: true, message: 'is what the item is called' },
  n: { type: 'Number' },
  ok: { type: 'Boolean' },
  day: { type: 'DateTime' },
  text: { validation: { maxLength: 20 } },
  exact: { matchType: 'exact' },
  code: { validation: { regex: { pattern: '^[a-z]+$' } } },
  slug: {},
  box: { type: 'Object' },
  any: { type: 'Mixed' },
  oid: { type: 'ObjectID' },
  author: reference,
  readers: reference,
};

/** In both versions: they show the same documents. Those of `2.0` have the hooks that a test gives them. */
export function specifications(hooks: JsonObject = {}): Record<string, JsonObject> {
  const index = { keys: { slug: 1 }, options: { unique: true, sparse: true } };
  const settings = { index, storeRevisions: true };
  const coded = {
    fields: { name: {}, rank: { type: 'Number' } },
    settings: { index: { keys: { rank: 1 }, options: { unique: true } } },
  };
  const items = { fields: ITEMS, settings };
  return {
    '1.0/library/people': PEOPLE,
    '1.0/library/items': items,
    '1.0/library/coded': coded,
    '2.0/library/people': PEOPLE,
    '2.0/library/coded': { ...coded, settings: { ...coded.settings, hooks } },
    '2.0/library/items': { fields: ITEMS, settings: { ...settings, hooks } },
    '1.0/library/answers': { fields: { key: {}, answer: {} }, settings: {} },
  };
}

const COLLECTIONS = ['items', 'people', 'coded'];
const ITEMS_PATH = '/1.0/library/items';

async function send(app: TestApp, method: string, path: string, body?: unknown) {
  const answer = await app.inject(method, path, body === undefined ? {} : { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Removes every document, and puts the same ones in again. Resolves with their ids by name. */
export async function fill(app: TestApp): Promise<ReadonlyMap<string, string>> {
  const everything = { query: {}, all: true };
  await Promise.all(COLLECTIONS.map((name) => send(app, 'DELETE', `/1.0/library/${name}`, everything)));
  const people = await send(app, 'POST', '/1.0/library/people', [
    { name: 'Ada', born: 1815 },
    { name: 'Bo', born: 1950 },
  ]);
  const [ada, bo] = people.results.map(({ _id }: { _id: string }) => _id);
  const items = await send(app, 'POST', ITEMS_PATH, [
    {
      name: 'a',
      n: 1,
      ok: true,
      day: '2020-01-01T00:00:00.000Z',
      text: 'Ford',
      exact: 'Ford',
      slug: 'a',
      box: { x: 1, list: [1, 2] },
      any: 'text',
      author: ada,
      readers: [ada, bo],
      oid: ada,
    },
    {
      name: 'b',
      n: 2,
      ok: false,
      day: '2021-06-01T12:00:00.000Z',
      text: 'fordham',
      exact: 'ford',
      slug: 'b',
      box: { x: 2 },
      any: [5, 'five'],
      author: bo,
      readers: [bo],
    },
    { name: 'c', n: 10, text: 'Été', exact: null, any: { k: [{ z: 1 }, { z: 2 }] }, author: null },
    { name: 'd', n: 9007199254740991, text: ['red', 'Blue'], any: 9007199254740992 },
  ]);
  const ids = [...people.results, ...items.results].map(({ name, _id }) => [name, _id] as const);
  const coded = await send(app, 'POST', '/1.0/library/coded', [{ name: 'one', rank: 1 }, { name: 'none' }]);
  return new Map([
    ...ids,
    ...coded.results.map(({ name, _id }: { name: string; _id: string }) => [name, _id]),
  ]);
}

/** Updates `a` twice, so that it has revisions. */
export async function addRevisions(app: TestApp, ids: ReadonlyMap<string, string>): Promise<void> {
  for (const text of ['second', 'Ford']) await send(app, 'PUT', `${ITEMS_PATH}/${ids.get('a')}`, { text });
}

/** Everything that is stored. */
export function contents(app: TestApp): Promise<readonly unknown[]> {
  const query = `?includeHistory=true&cache=false&sort=${encodeURIComponent('{"_id":1}')}`;
  return Promise.all(
    COLLECTIONS.map(async (name) => (await send(app, 'GET', `/1.0/library/${name}${query}`)).results),
  );
}
