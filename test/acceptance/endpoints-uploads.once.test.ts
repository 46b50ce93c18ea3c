// Posting code: what is accepted, what is refused with which words, and that a refusal changes nothing.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';

const HELLO = "module.exports.get = (req, res) => res.end('hello');";

let server: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer();
});

afterAll(() => server.close());

const fileOf = (name: string) => join(server.workspace.path, 'endpoints', '1.0', `endpoint.${name}.js`);
const send = (name: string, body: string | Uint8Array, type: string | undefined) =>
  server.call('POST', `/1.0/${name}/config`, {
    body,
    headers: type === undefined ? {} : { 'content-type': type },
  });

describe('code that is accepted', () => {
  it('is said to be created, then updated, and lies in its file', async () => {
    const created = await server.post('accepted', HELLO);
    expect([created.status, created.body]).toEqual([
      200,
      { result: 'success', message: 'Endpoint "1.0:accepted" created', version: 1, warnings: [] },
    ]);
    expect(readFileSync(fileOf('accepted'), 'utf8')).toBe(HELLO);
    const updated = await server.post('accepted', `${HELLO}\n`);
    expect(updated.body).toMatchObject({ message: 'Endpoint "1.0:accepted" updated', version: 2 });
  });

  it.each(['text/plain', 'text/plain; charset=utf-8', 'application/javascript', 'text/javascript'])(
    'may be %s',
    async (type) => {
      expect((await send('typed', HELLO, type)).status).toBe(200);
    },
  );

  it('is in force when the answer is sent', async () => {
    for (const n of [1, 2, 3, 4, 5]) {
      await server.post('swapped', `module.exports.get = (req, res) => res.end('${n}');`);
      expect((await server.get('/1.0/swapped')).text).toBe(`${n}`);
    }
  });

  it('does not disturb requests in flight', async () => {
    const slow = (text: string) =>
      `module.exports.get = (req, res) => { console.log('begun'); setTimeout(() => res.end('${text}'), 300); };`;
    await server.post('inflight', slow('old'));
    const before = server.get('/1.0/inflight');
    while ((await server.logs('inflight')).length === 0) await new Promise(setImmediate);
    await server.post('inflight', slow('new'));
    expect((await server.get('/1.0/inflight')).text).toBe('new');
    expect((await before).text).toBe('old');
  });

  it('is read back as it was sent, byte order mark aside', async () => {
    const odd = '/** äöü 日本 */\r\nmodule.exports.get = (req, res) => res.end("\u{1f600}");\r\n';
    await server.post('odd', `\ufeff${odd}`);
    const read = await server.get('/1.0/odd/config');
    expect([read.status, read.text, read.headers.get('content-type')]).toEqual([
      200,
      odd,
      'text/plain; charset=utf-8',
    ]);
    expect((await server.get('/1.0/odd')).text).toBe('\u{1f600}');
  });

  it('carries warnings for names that nobody declared, with a suggestion', async () => {
    const source = '\n\nmodule.exports.get = (req, res) => {\n  total = 1;\n  res.end();\n};';
    let posted = await server.post('sloppy', source);
    // The search for names is given up after a second, which on a busy machine may go by before its thread has begun.
    await expect
      .poll(async () => {
        posted = await server.post('sloppy', source);
        return [posted.status, posted.body.suggestedIsolation];
      })
      .toEqual([200, 'context']);
    expect(posted.body.warnings).toEqual([expect.stringMatching(/^line 4: `total`.*isolation "context"/)]);
  });

  it('is evaluated once, not for its answer', async () => {
    const counting = "console.log('evaluated'); module.exports.get = (req, res) => res.end();";
    expect((await server.post('counting', counting)).status).toBe(200);
    expect(await server.logs('counting')).toEqual([]);
  });
});

describe('code that is refused', () => {
  const SYNTAX = 'ENDPOINT_SYNTAX';
  const LOAD = 'ENDPOINT_LOAD';

  it.each([
    ['a syntax error', 'const a = 1;\nconst b = ;\n', SYNTAX, 2, 11],
    ['one in the first line', 'const a = ;', SYNTAX, 1, 11],
    ['a brace that would end a wrapper', '}); process.exit(); (function () {', SYNTAX, 1, 1],
    ['an open comment', 'const a = 1; /*', SYNTAX, 1, undefined],
    ['an import', "const a = 1;\nimport fs from 'fs';", SYNTAX, 2, 1],
    ['an export', 'const a = 1;\nexport default a;', SYNTAX, 2, 1],
    ['await outside functions', '\nawait null;', SYNTAX, 2, undefined],
    ['a throw while loading', "const a = 1;\n\n  throw new Error('at load');", LOAD, 3, 9],
    ['a package that is not there', "const fs = require('fs');", LOAD, 1, 12],
    ['a loop while loading', 'for (;;);', LOAD, undefined, undefined],
    [
      'memory eaten while loading',
      'const a = []; for (;;) a.push(new Array(1e5).fill(1.5));',
      LOAD,
      undefined,
      undefined,
    ],
    [
      'an odd `authenticate`',
      "module.exports.model = { settings: { authenticate: 'no' } };",
      LOAD,
      undefined,
      undefined,
    ],
    [
      'a route that throws',
      "module.exports.config = () => { throw new Error('a'); };",
      LOAD,
      undefined,
      undefined,
    ],
    ['no handler', 'const a = 1;', LOAD, undefined, undefined],
    ['handlers that are no functions', 'module.exports.get = 1;', LOAD, undefined, undefined],
    ['no code', '  \n ', SYNTAX, undefined, undefined],
    ['NUL', 'const a = 1;\n const b = "\0";', SYNTAX, 2, 13],
  ])('%s: 400 with line and column', async (_title, source, code, line, column) => {
    const { status, body } = await server.post('accepted', source);
    expect([status, body.success]).toEqual([400, false]);
    const [error] = body.errors;
    expect([error.code, typeof error.message]).toEqual([code, 'string']);
    if (line !== undefined) expect([error.line, error.column]).toEqual([line, column ?? expect.anything()]);
    expect(error.message).not.toMatch(/node:|\/work|file:|\.node/);
  });

  it('changes nothing', async () => {
    const before = (await server.get('/1.0/accepted/config')).text;
    const versions = (await server.get('/1.0/accepted/versions')).text;
    await server.post('accepted', 'const a = ;');
    expect((await server.get('/1.0/accepted/config')).text).toBe(before);
    expect((await server.get('/1.0/accepted/versions')).text).toBe(versions);
    expect(readFileSync(fileOf('accepted'), 'utf8')).toBe(before);
    expect((await server.get('/1.0/accepted')).text).toBe('hello');
    await server.post('refused', 'const a = ;');
    expect(existsSync(fileOf('refused'))).toBe(false);
    expect((await server.get('/1.0/refused')).status).toBe(404);
    expect((await server.get('/1.0/refused/config')).status).toBe(404);
  });

  it.each(["import fs from 'fs';", 'export const get = 1;', 'export default () => {};'])(
    'ES module syntax is told of CommonJS: %s',
    async (source) => {
      const { status, body } = await server.post('module', source);
      expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining('CommonJS')]);
    },
  );

  it('is 415 for other types, 413 over the size, 400 when it is not UTF-8', async () => {
    for (const type of ['application/json', 'text/html', 'application/x-www-form-urlencoded', undefined]) {
      const body = new TextEncoder().encode(HELLO);
      expect([type, (await send('typed', body, type)).status]).toEqual([type, 415]);
    }
    const form = await send('typed', HELLO, 'application/x-www-form-urlencoded');
    expect(form.body.errors[0].message).toContain('text/plain');
    const large = `${HELLO}//${'x'.repeat(1_048_576)}`;
    expect((await server.post('typed', large)).status).toBe(413);
    const broken = await send('typed', new Uint8Array([47, 47, 255, 254]), 'text/plain');
    expect(broken.status).toBe(400);
  });
});

describe('names', () => {
  it.each(['a', 'A-b_9', 'config', '__proto__', 'constructor', 'x'.repeat(100)])(
    '%s may be one',
    async (name) => {
      expect((await server.post(name, HELLO)).status).toBe(200);
      expect((await server.get(`/1.0/${name}`)).text).toBe('hello');
    },
  );

  it.each(['x'.repeat(101), 'a.b', 'a%20b', 'a%2Fb', '%C3%A4', '..%2Fa', 'search', 'a$'])(
    '%s may not',
    async (name) => {
      const { status, body } = await server.post(name, HELLO);
      expect([name, status, body.success]).toEqual([name, 400, false]);
    },
  );

  it('are of a version of the form that collections have', async () => {
    const at = (version: string) =>
      server.call('POST', `/${version}/hello/config`, {
        body: HELLO,
        headers: { 'content-type': 'text/plain' },
      });
    expect((await at('2.0')).status).toBe(200);
    expect((await at('token')).status).toBeGreaterThanOrEqual(400);
    expect((await at('docs')).status).toBeGreaterThanOrEqual(400);
  });

  it('of database folders of the version are 409, and the reverse', async () => {
    const taken = await server.post('library', HELLO);
    expect([taken.status, taken.body.errors[0].code]).toEqual([409, 'NAME_TAKEN']);
    expect(
      (
        await server.call('POST', '/2.0/library/config', {
          body: HELLO,
          headers: { 'content-type': 'text/plain' },
        })
      ).status,
    ).toBe(200);
    const specification = { fields: { a: { type: 'String' } }, settings: {} };
    const reverse = await server.call('POST', '/1.0/accepted/books/config', { body: specification });
    expect([reverse.status, reverse.body.errors[0].code]).toEqual([409, 'NAME_TAKEN']);
  });
});

it('code is read, posted and removed by admins alone', async () => {
  const token = await server.userToken('no-admin');
  for (const method of ['GET', 'POST', 'DELETE']) {
    for (const who of [null, token]) {
      const answer = await server.call(method, '/1.0/accepted/config', { token: who });
      expect([method, answer.status, answer.headers.has('www-authenticate')]).toEqual([method, 401, true]);
    }
  }
});
