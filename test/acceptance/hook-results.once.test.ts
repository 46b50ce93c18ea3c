// What hooks may return, what becomes of it, and that each event refuses in the same words.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';

let server: EndpointServer;
let made = 0;

beforeAll(async () => {
  server = await startEndpointServer({ config: { cache: true } });
});

afterAll(() => server.close());

/** A collection of its own with one hook for an event; two documents lie in it. */
async function hooked(event: string, source: string): Promise<string> {
  made += 1;
  const [name, path] = [`hook-${made}`, `/1.0/library/hooked-${made}`];
  const fields = { title: { type: 'String' }, n: { type: 'Number' } };
  await server.call('POST', `${path}/config`, { body: { fields, settings: { storeRevisions: true } } });
  await server.call('POST', path, {
    body: [
      { title: 'a', n: 1 },
      { title: 'b', n: 2 },
    ],
  });
  const headers = { 'content-type': 'text/plain' };
  const posted = await server.call('POST', `/api/hooks/${name}/config`, { body: source, headers });
  expect([posted.status, posted.text]).toEqual([200, expect.any(String)]);
  const settings = { storeRevisions: true, hooks: { [event]: [name] } };
  await server.call('POST', `${path}/config`, { body: { fields, settings } });
  return path;
}

const send = (method: string, path: string, body?: JsonObject) =>
  server.call(method, path, body === undefined ? {} : { body });
const titles = ({ body }: { readonly body: { readonly results: readonly { title: string }[] } }) =>
  body.results.map(({ title }) => title);

describe('each event that stands before', () => {
  const DOES: Readonly<Record<string, (path: string) => ReturnType<typeof send>>> = {
    beforeCreate: (path) => send('POST', path, { title: 'c' }),
    beforeUpdate: (path) => send('PUT', path, { query: { title: 'a' }, update: { n: 9 } }),
    beforeDelete: (path) => send('DELETE', path, { query: { title: 'a' } }),
    beforeGet: (path) => send('GET', path),
    afterGet: (path) => send('GET', path),
  };

  it.each(Object.keys(DOES))('%s refuses by null, a throw and a rejection: 400 API-0002', async (event) => {
    for (const [body, details] of [
      ['=> null', 'returned null'],
      ["=> { throw new Error('not today'); }", 'not today'],
      ["=> Promise.reject(new Error('later'))", 'later'],
    ] as const) {
      const path = await hooked(event, `module.exports = () ${body};`);
      const answer = await DOES[event]?.(path);
      expect([answer?.status, answer?.body]).toMatchObject([
        400,
        { success: false, errors: [{ code: 'API-0002', title: 'Hook Error', hookName: `hook-${made}` }] },
      ]);
      expect(answer?.body.errors[0].details).toBe(`hook-${made} - ${details}`);
    }
  });

  it.each(['beforeCreate', 'beforeUpdate', 'beforeDelete'])(
    '%s that refuses leaves everything as it was',
    async (event) => {
      const path = await hooked(event, "module.exports = () => { throw new Error('no'); };");
      await DOES[event]?.(path);
      const { results } = (await send('GET', `${path}?sort={"title":1}&cache=false`)).body;
      expect(results).toMatchObject([
        { title: 'a', n: 1, v: 1 },
        { title: 'b', n: 2, v: 1 },
      ]);
    },
  );

  it.each(Object.keys(DOES))('%s that returns nothing, or what it got, changes nothing', async (event) => {
    for (const body of ['() => undefined', '(obj) => obj', 'async (obj) => obj']) {
      const path = await hooked(event, `module.exports = ${body};`);
      const status = (await DOES[event]?.(path))?.status;
      expect([event, status]).toEqual([event, event === 'beforeDelete' ? 204 : 200]);
    }
  });
});

describe('the result of a before-hook', () => {
  it.each([
    ['an unknown field', '({ ...obj, other: 1 })', 'other'],
    ['a wrong type', "({ ...obj, n: 'many' })", 'n'],
  ])('is validated like what a client sends: %s', async (_title, result, field) => {
    for (const event of ['beforeCreate', 'beforeUpdate']) {
      const path = await hooked(event, `module.exports = (obj) => ${result};`);
      const answer =
        event === 'beforeCreate'
          ? await send('POST', path, { title: 'c' })
          : await send('PUT', path, { query: { title: 'a' }, update: { n: 3 } });
      expect([event, answer.status, answer.body.errors[0].field]).toEqual([event, 400, field]);
    }
  });

  it.each(['[1]', '"text"', '1', 'true', '[]'])('that is no document is refused: %s', async (result) => {
    const path = await hooked('beforeCreate', `module.exports = () => (${result});`);
    const answer = await send('POST', path, { title: 'c' });
    expect([answer.status, answer.body.success]).toEqual([400, false]);
    expect(titles(await send('GET', `${path}?cache=false`))).toHaveLength(2);
  });

  it('cannot set what the server writes itself, nor a prototype', async () => {
    const path = await hooked(
      'beforeCreate',
      `module.exports = (obj) => JSON.parse('{"title":"c","createdBy":"boss","v":9,"_id":"0123456789abcdef01234567"}');`,
    );
    const { status, body } = await send('POST', path, { title: 'c' });
    if (status === 200) {
      expect(body.results[0]).toMatchObject({ createdBy: 'admin', v: 1 });
      expect(body.results[0]._id).not.toBe('0123456789abcdef01234567');
    } else expect(status).toBe(400);
    const polluting = await hooked(
      'beforeCreate',
      `module.exports = () => JSON.parse('{"title":"c","__proto__":{"n":1}}');`,
    );
    expect((await send('POST', polluting, { title: 'c' })).status).toBe(400);
  });

  it('of beforeGet is held against the rules for filters', async () => {
    const narrow = "module.exports = (obj) => ({ ...obj, filter: { ...obj.filter, title: 'b' } });";
    expect(titles(await send('GET', await hooked('beforeGet', narrow)))).toEqual(['b']);
    for (const filter of ['{ $where: "1" }', '{ title: { $function: 1 } }', '[{ $match: {} }]']) {
      const path = await hooked('beforeGet', `module.exports = (obj) => ({ ...obj, filter: ${filter} });`);
      const answer = await send('GET', path);
      expect([filter, answer.status, answer.body.success]).toEqual([filter, 400, false]);
    }
  });

  it('of beforeGet may set options', async () => {
    const path = await hooked(
      'beforeGet',
      'module.exports = (obj) => ({ ...obj, options: { limit: 1, sort: { title: -1 } } });',
    );
    expect(titles(await send('GET', path))).toEqual(['b']);
  });

  it('of afterGet is what the client gets', async () => {
    const path = await hooked(
      'afterGet',
      "module.exports = ({ results, metadata }) => ({ results: results.map((d) => ({ ...d, title: d.title + '!' })), metadata });",
    );
    expect(titles(await send('GET', path))).toEqual(['a!', 'b!']);
    for (const odd of ['1', '[]', '({})', '({ results: 1 })']) {
      const answer = await send('GET', await hooked('afterGet', `module.exports = () => ${odd};`));
      expect([odd, answer.status, answer.body.success]).toEqual([odd, 400, false]);
    }
  });
});

describe('hooks and access', () => {
  it('are admin’s alone: code, policy, versions, log, list', async () => {
    const token = await server.userToken('no-admin');
    for (const sub of ['', '/hook-1/config', '/hook-1/policy', '/hook-1/versions', '/hook-1/logs'])
      for (const who of [null, token])
        expect([sub, (await server.get(`/api/hooks${sub}`, { token: who })).status]).toEqual([sub, 401]);
  });
});
