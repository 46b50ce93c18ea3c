// How hooks refuse: with a status of their own, with a list of what is wrong with each field, or as the older dialect has it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';

let server: EndpointServer;
let made = 0;

beforeAll(async () => {
  server = await startEndpointServer();
});

afterAll(() => server.close());

const FIELDS = { title: { type: 'String', required: true }, n: { type: 'Number' } };

async function postHook(name: string, source: string, policy?: JsonObject): Promise<void> {
  const headers = { 'content-type': 'text/plain' };
  const posted = await server.call('POST', `/api/hooks/${name}/config`, { body: source, headers });
  expect([posted.status, posted.text]).toEqual([200, expect.any(String)]);
  if (policy === undefined) return;
  const put = await server.call('PUT', `/api/hooks/${name}/policy`, { body: policy });
  expect([put.status, put.text]).toEqual([200, expect.any(String)]);
}

/** A collection of its own, with two documents, and one hook for an event that does this. */
async function hooked(event: string, source: string, policy?: JsonObject): Promise<string> {
  made += 1;
  const [name, path] = [`refusing-${made}`, `/1.0/library/refused-${made}`];
  await server.call('POST', `${path}/config`, { body: { fields: FIELDS, settings: {} } });
  await server.call('POST', path, { body: [{ title: 'a' }, { title: 'b' }] });
  await postHook(name, source, policy);
  const settings = { hooks: { [event]: [name] } };
  await server.call('POST', `${path}/config`, { body: { fields: FIELDS, settings } });
  return path;
}

const send = (method: string, path: string, body?: unknown) =>
  server.call(method, path, body === undefined ? {} : { body });

const REQUESTS: Readonly<Record<string, (path: string) => ReturnType<typeof send>>> = {
  beforeCreate: (path) => send('POST', path, { title: 'c' }),
  beforeUpdate: (path) => send('PUT', path, { query: { title: 'a' }, update: { n: 9 } }),
  beforeDelete: (path) => send('DELETE', path, { query: { title: 'a' } }),
  beforeGet: (path) => send('GET', path),
};

async function refused(event: string, source: string) {
  const path = await hooked(event, `module.exports = () => { ${source} };`);
  const answer = await REQUESTS[event]?.(path);
  if (answer === undefined) throw new Error(`no request for ${event}`);
  return answer;
}

const REFUSALS = ['throw error', 'return Promise.reject(error)', 'return error'];
const errorOf = (members: string) => `const error = Object.assign(new Error('Not today'), ${members});`;

describe.each(Object.keys(REQUESTS))('%s', (event) => {
  it.each(REFUSALS)('refuses with its own status and message: %s', async (refuses) => {
    const { status, body } = await refused(event, `${errorOf('{ statusCode: 409 }')} ${refuses};`);
    expect([status, body]).toEqual([
      409,
      {
        statusCode: 409,
        success: false,
        errors: [{ code: 'API-0002', title: 'Hook Error', details: 'Not today', message: 'Not today' }],
      },
    ]);
  });

  it.each(['200', '399', '500', '451.5', '"403"', '{ valueOf: () => 403 }', 'undefined'])(
    'refuses with 400 and its name where the status is %s',
    async (status) => {
      const answer = await refused(event, `${errorOf(`{ statusCode: ${status} }`)} throw error;`);
      expect([answer.status, answer.body.errors[0].message]).toEqual([400, `refusing-${made} - Not today`]);
    },
  );

  it('lists what is wrong with each field', async () => {
    const errors = [
      { field: 'title', message: 'is taken' },
      { field: 'n', message: 'is odd', code: 'ERROR_ODD' },
    ];
    const list = JSON.stringify(errors);
    for (const source of [
      `throw ${list};`,
      `return Promise.reject(${list});`,
      `throw Object.assign(new Error('x'), { errors: ${list} });`,
    ]) {
      const { status, body } = await refused(event, source);
      expect([status, body]).toEqual([400, { statusCode: 400, success: false, errors }]);
    }
    const both = await refused(event, `throw { statusCode: 422, errors: ${list} };`);
    expect([both.status, both.body]).toEqual([422, { statusCode: 422, success: false, errors }]);
  });

  it('that refuses leaves everything as it was', async () => {
    const path = await hooked(event, 'module.exports = () => { throw { statusCode: 403, message: "no" }; };');
    expect((await REQUESTS[event]?.(path))?.status).toBe(403);
    await server.call('POST', `${path}/config`, { body: { fields: FIELDS, settings: {} } });
    expect((await send('GET', `${path}?sort={"title":1}`)).body.results).toMatchObject([
      { title: 'a', v: 1 },
      { title: 'b', v: 1 },
    ]);
  });
});

describe('the answer to a refusal', () => {
  it('with 401 and 405 has the headers of these, and no challenge on which clients fetch a token', async () => {
    const unauthorized = await refused('beforeCreate', `${errorOf('{ statusCode: 401 }')} throw error;`);
    expect([unauthorized.status, unauthorized.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    const notAllowed = await refused('beforeDelete', `${errorOf('{ statusCode: 405 }')} throw error;`);
    expect([notAllowed.status, notAllowed.headers.get('allow')]).toEqual([
      405,
      'GET, HEAD, POST, PUT, OPTIONS',
    ]);
  });

  it.each([404, 412, 429])('with %i is as plain as any', async (status) => {
    const { body, headers } = await refused(
      'beforeGet',
      `${errorOf(`{ statusCode: ${status} }`)} throw error;`,
    );
    expect(Object.keys(body).sort()).toEqual(['errors', 'statusCode', 'success']);
    expect([headers.get('www-authenticate'), headers.get('retry-after'), headers.get('x-cache')]).toEqual([
      ...[null, null, null],
    ]);
  });

  it('names the document of a batch, whatever index the author gives', async () => {
    const path = await hooked(
      'beforeCreate',
      'module.exports = (obj) => { if (obj.n === 2) throw [{ field: "n", message: "is two", index: 9 }]; };',
    );
    const { status, body } = await send('POST', path, [
      { title: 'c', n: 1 },
      { title: 'd', n: 2 },
    ]);
    expect([status, body.errors]).toEqual([400, [{ field: 'n', message: 'is two', index: 1 }]]);
  });

  it('has texts on one line of a bounded length, and no stack', async () => {
    const source = `
      const error = new Error('no\\r\\nx: y\\u0000\\u202e' + 'x'.repeat(1e6));
      throw Object.assign(error, { statusCode: 403, code: 'a\\nb' });`;
    const { status, text, body } = await refused('beforeCreate', source);
    expect([status, body.errors[0].code, text.length < 1000]).toEqual([403, 'API-0002', true]);
    expect(body.errors[0].message).toMatch(/^no x: y x+$/);
    expect(text).not.toMatch(/stack|\.js|refusing-/);
  });

  it('is that of a single document, a count and HEAD too', async () => {
    const path = await hooked(
      'beforeGet',
      `module.exports = () => { ${errorOf('{ statusCode: 403 }')} throw error; };`,
    );
    for (const at of [`${path}/${'a'.repeat(24)}`, `${path}/count`]) {
      const { status, body } = await send('GET', at);
      expect([at, status, body.errors[0].message]).toEqual([at, 403, 'Not today']);
    }
    expect((await send('HEAD', path)).status).toBe(403);
  });
});

describe('hooks behind reads and writes', () => {
  it('afterGet refuses with 400 and its name, or with its list', async () => {
    const path = await hooked(
      'afterGet',
      `module.exports = () => { ${errorOf('{ statusCode: 403 }')} throw error; };`,
    );
    const { status, body } = await send('GET', path);
    expect([status, body.errors[0].message]).toEqual([400, `refusing-${made} - Not today`]);
    const listing = await hooked(
      'afterGet',
      'module.exports = () => { throw [{ field: "n", message: "is odd" }]; };',
    );
    expect((await send('GET', listing)).body.errors).toEqual([{ field: 'n', message: 'is odd' }]);
  });

  it.each(['afterCreate', 'afterUpdate', 'afterDelete'])('%s cannot refuse', async (event) => {
    const path = await hooked(
      event,
      `module.exports = () => { ${errorOf('{ statusCode: 403 }')} throw error; };`,
    );
    const status = (await REQUESTS[event.replace('after', 'before')]?.(path))?.status;
    expect(status).toBe(event === 'afterDelete' ? 204 : 200);
  });
});

describe('a failed call of Model that a hook lets through', () => {
  const policy = (name: string) => ({
    version: 1,
    grants: { collections: [{ name: `1.0/library/${name}`, actions: ['create'] }] },
  });

  it('is answered with what is wrong with each field', async () => {
    await server.call('POST', '/1.0/library/notes/config', { body: { fields: FIELDS, settings: {} } });
    const source = "module.exports = (obj) => Model('notes').create({ n: 'many' }).then(() => obj);";
    const path = await hooked('beforeCreate', source, policy('notes'));
    const direct = await send('POST', '/1.0/library/notes', { n: 'many' });
    const { status, body } = await send('POST', path, { title: 'c' });
    expect([status, body]).toEqual([direct.status, direct.body]);
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(['title', 'n']);
  });

  it('has the status and the words of the hook that refused inside it', async () => {
    const inner = await hooked(
      'beforeCreate',
      `module.exports = () => { ${errorOf('{ statusCode: 409, code: "TAKEN" }')} throw error; };`,
    );
    const name = inner.slice(inner.lastIndexOf('/') + 1);
    const source = `module.exports = (obj) => Model('${name}').create({ title: 'x' }).then(() => obj);`;
    const path = await hooked('beforeCreate', source, policy(name));
    const { status, body } = await send('POST', path, { title: 'c' });
    expect([status, body.errors]).toMatchObject([409, [{ code: 'TAKEN', message: 'Not today' }]]);
  });
});
