// Hidden fields beside settings that name them: field limiters, the default sort, references with a list of fields.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';

const text = { type: 'String' };
const hidden = { access: { read: ['staff'] } };
const fields = {
  title: text,
  secret: { ...text, ...hidden },
  inner: { type: 'Object', ...hidden },
  friend: { type: 'Reference', settings: { collection: 'open', fields: ['title', 'secret', 'inner.deep'] } },
  enemy: { type: 'Reference', settings: { collection: 'open', fields: ['secret'] }, ...hidden },
};
const spec = (settings: JsonObject): JsonObject => ({
  fields,
  settings: { authenticate: false, storeRevisions: true, ...settings },
});
const NAMES = ['open', 'showing', 'hiding', 'nested', 'sorted'];
const SPECIFICATIONS = {
  '1.0/notes/open': spec({ compose: true }),
  '1.0/notes/showing': spec({ fieldLimiters: { secret: 1 } }),
  '1.0/notes/hiding': spec({ fieldLimiters: { secret: 0 } }),
  '1.0/notes/nested': spec({ fieldLimiters: { title: 1, 'inner.deep': 1, enemy: 1 } }),
  '1.0/notes/sorted': spec({ sort: 'secret', sortOrder: -1 }),
};

let app: TestApp;
const ids: Record<string, string> = {};
const ask = (path: string) => app.inject('GET', `/1.0/notes/${path}`, { token: null });

beforeAll(async () => {
  app = await startApp({ specs: SPECIFICATIONS });
  const add = async (collection: string, body: JsonObject) => {
    const answer = await app.inject('POST', `/1.0/notes/${collection}`, { body });
    return (answer.body as { results: [{ _id: string }] }).results[0]._id;
  };
  const values = { title: 'A', secret: 'hush', inner: { deep: 'hush' } };
  const other = await add('open', values);
  const between = await add('open', { ...values, friend: other, enemy: other });
  for (const name of NAMES) ids[name] = await add(name, { ...values, friend: between, enemy: between });
});
afterAll(() => app.close());

test.each(NAMES)(
  'a caller whom a field does not name never gets it from the collection `%s`',
  async (name) => {
    expect((await app.inject('GET', `/1.0/notes/${name}?compose=all`)).text).toContain('hush');
    const queries = [
      '',
      '?compose=all',
      '?includeHistory=true&compose=3',
      '?callback=call&compose=all',
    ].concat(
      [{ secret: 1 }, { 'inner.deep': 1 }, { title: 1, enemy: 1 }, { composed: 1 }, { history: 1 }].flatMap(
        (one) => [
          `?fields=${JSON.stringify(one)}`,
          `?compose=all&fields=${JSON.stringify(one)}`,
          `?includeHistory=true&fields=${JSON.stringify(one)}`,
        ],
      ),
    );
    for (const path of [name, `${name}/${ids[name]}`, `${name}/${ids[name]}/history`]) {
      for (const query of queries.filter((one) => !(one.includes('callback') && path.endsWith('history')))) {
        const answer = await ask(path + encodeURI(query));
        expect([path, query, answer.text.match(/hush|"enemy":\[?[{"]|"deep"|"secret":"/)]).toEqual([
          path,
          query,
          null,
        ]);
        if (query === '' || query.includes('compose=all'))
          expect([path, query, answer.status]).toEqual([path, query, 200]);
      }
    }
  },
);
