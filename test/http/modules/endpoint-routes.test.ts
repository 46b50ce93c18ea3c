// Endpoints in the whole application, with real processes behind them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.close());

const post = (path: string, body: string, method = 'POST') =>
  app.inject(method, path, { body, headers: { 'content-type': 'text/plain' } });

describe('an endpoint', () => {
  it('answers as soon as its code is posted, and until it is removed', async () => {
    const code = `module.exports.model = { settings: { authenticate: false } };
      module.exports.get = (req, res) => res.json({ path: req.path, query: req.query, who: req.client });`;
    const made = await post('/1.0/report/config', code);
    expect([made.status, made.body]).toEqual([
      200,
      { result: 'success', message: 'Endpoint "1.0:report" created', version: 1, warnings: [] },
    ]);
    const answer = await app.inject('GET', '/1.0/report?a=1', { token: null });
    expect([answer.status, answer.body]).toEqual([
      200,
      { path: '/1.0/report', query: { a: '1' }, who: null },
    ]);
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/json/),
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    });
    const read = await app.inject('GET', '/1.0/report/config');
    expect(read.text).toBe(code);
    expect((await app.inject('DELETE', '/1.0/report/config')).status).toBe(200);
    expect((await app.inject('GET', '/1.0/report')).status).toBe(404);
  });

  it('takes a route of its own, and keeps its sub-resources', async () => {
    const code = `module.exports.config = () => ({ route: '/1.0/shop/:shelf/books/:id?' });
      module.exports.get = (req, res) => res.json(req.params);`;
    expect((await post('/1.0/shelves/config', code)).status).toBe(200);
    expect((await app.inject('GET', '/1.0/shop/a%20b/books/7')).body).toEqual({ shelf: 'a b', id: '7' });
    expect((await app.inject('GET', '/1.0/shop/a/books/')).body).toMatchObject({ shelf: 'a' });
    expect((await app.inject('GET', '/1.0/shelves')).status).toBe(404);
    expect((await app.inject('GET', '/1.0/shelves/policy')).body).toEqual({ version: 1 });
    const listed = (await app.inject('GET', '/api/endpoints')).body.endpoints;
    expect(listed).toMatchObject([
      { slug: 'shelves', path: '/1.0/shop/:shelf/books/:id?', methods: ['GET'] },
    ]);
  });

  it('fails in the envelope, and says why in its log', async () => {
    await post('/1.0/thrower/config', `module.exports.get = () => {\n  throw new Error('a secret');\n};`);
    const { status, body, text, headers } = await app.inject('GET', '/1.0/thrower');
    expect([status, body.errors[0].code]).toEqual([500, 'ENDPOINT_ERROR']);
    expect(text).not.toContain('secret');
    const { logs } = (await app.inject('GET', '/1.0/thrower/logs')).body;
    expect(logs).toMatchObject([
      { level: 'error', message: expect.stringContaining('a secret'), requestId: headers['x-request-id'] },
    ]);
    expect(logs[0].stack).toMatch(/:2:/);
  });

  it.each([
    ['module.exports.get = (', 'ENDPOINT_SYNTAX'],
    ['throw new Error("at once")', 'ENDPOINT_LOAD'],
  ])('of %s is refused, and changes nothing', async (code, expected) => {
    const { status, body } = await post('/1.0/broken/config', code);
    expect([status, body.errors[0].code, body.errors[0].line]).toEqual([400, expected, 1]);
    expect((await app.inject('GET', '/1.0/broken')).status).toBe(404);
  });

  it('can be suspended and resumed', async () => {
    await post('/1.0/held/config', 'module.exports.get = (req, res) => res.end("fine")');
    expect((await app.inject('POST', '/1.0/held/suspend')).status).toBe(200);
    const held = await app.inject('GET', '/1.0/held');
    expect([held.status, held.body.errors[0].code, held.headers['retry-after']]).toEqual([
      503,
      'ENDPOINT_SUSPENDED',
      '60',
    ]);
    expect((await app.inject('DELETE', '/1.0/held/suspend')).status).toBe(200);
    expect((await app.inject('GET', '/1.0/held')).text).toBe('fine');
  });

  it('has versions that can be compared and brought back', async () => {
    const say = (word: string) => `module.exports.get = (req, res) => res.end('${word}');\n`;
    await post('/1.0/spoken/config', say('one'));
    await post('/1.0/spoken/config', say('two'));
    expect((await app.inject('GET', '/1.0/spoken')).text).toBe('two');
    expect((await app.inject('GET', '/1.0/spoken/versions/1')).text).toBe(say('one'));
    const diff = (await app.inject('GET', '/1.0/spoken/versions/1/diff/2')).text;
    expect(diff).toContain(`-${say('one')}`);
    const back = await app.inject('POST', '/1.0/spoken/versions/1/rollback');
    expect([back.status, back.body.version]).toEqual([200, 3]);
    expect((await app.inject('GET', '/1.0/spoken')).text).toBe('one');
    const { versions } = (await app.inject('GET', '/1.0/spoken/versions')).body;
    expect(
      versions.map(({ version, active }: { version: number; active: boolean }) => [version, active]),
    ).toEqual(
      expect.arrayContaining([
        [1, false],
        [2, false],
        [3, true],
      ]),
    );
  });

  it('may not be called like a database folder', async () => {
    const { status, body } = await post('/1.0/library/config', 'module.exports.get = () => {}');
    expect([status, body.errors[0].code]).toEqual([409, 'NAME_TAKEN']);
    expect((await app.inject('GET', '/1.0/library/books')).status).toBe(200);
  });
});

describe('a hook', () => {
  it('is posted, replaced and removed', async () => {
    const code = 'module.exports = (obj) => obj;';
    expect((await post('/api/hooks/same/config', code, 'PUT')).status).toBe(404);
    expect((await post('/api/hooks/same/config', code)).status).toBe(200);
    expect((await post('/api/hooks/same/config', code)).status).toBe(409);
    expect((await post('/api/hooks/same/config', `${code}//`, 'PUT')).body.version).toBe(2);
    expect((await app.inject('GET', '/api/hooks')).body.hooks).toMatchObject([{ name: 'same' }]);
    expect((await app.inject('DELETE', '/api/hooks/same/config')).status).toBe(200);
    expect((await app.inject('GET', '/api/hooks/same/config')).status).toBe(404);
  });
});
