import { beforeEach, describe, expect, it } from 'vitest';
import { liveEndpoint } from '../../modules/module-versions.ts';
import { type EndpointApp, startEndpointApp } from './endpoint-app.ts';
import { actorCalled } from './fake-modules.ts';

const CODE = 'module.exports.get = (req, res) => res.end("ü")';
const HOOK = liveEndpoint('x', { address: { kind: 'hook', name: 'slugify' }, path: '/api/hooks/slugify' });

let app: EndpointApp;
beforeEach(() => {
  app = startEndpointApp({
    endpoints: [liveEndpoint('report')],
    hooks: [HOOK],
    config: { 'limits.endpointCodeBytes': 2000 },
  });
});

const send = (method: string, path: string, more: object = {}) =>
  app.ask(method, path, { as: 'admin', type: 'text/plain', body: CODE, ...more });

describe('POST /{version}/{endpoint}/config', () => {
  it('makes an endpoint', async () => {
    const { status, body } = await send('POST', '/1.0/fresh/config');
    expect(status).toBe(200);
    expect(body).toEqual({
      result: 'success',
      message: 'Endpoint "1.0:fresh" created',
      version: 4,
      warnings: ['a warning'],
    });
    expect(app.acts).toEqual([['post', '/1.0/fresh', CODE, actorCalled('boss')]]);
  });

  it('replaces one', async () => {
    const { status, body } = await send('POST', '/1.0/report/config/');
    expect([status, body.message]).toEqual([200, 'Endpoint "1.0:report" updated']);
  });

  it('answers 202 while a reviewer has to look', async () => {
    const { status, body } = await send('POST', '/1.0/report/config', { body: '// pending' });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      result: 'success',
      message: 'Endpoint "1.0:report" waits for the approval of a reviewer',
    });
  });

  it('suggests a stricter isolation where the code seems to need it', async () => {
    const { body } = await send('POST', '/1.0/report/config', { body: '// leak' });
    expect(body.suggestedIsolation).toBe('context');
  });

  it.each(['text/plain', 'application/javascript', 'text/javascript', 'text/plain; charset=UTF-8'])(
    'takes %s',
    async (type) => {
      expect((await send('POST', '/1.0/fresh/config', { type })).status).toBe(200);
      expect(app.acts[0]?.[2]).toBe(CODE);
    },
  );

  it.each(['application/json', 'application/x-www-form-urlencoded', 'text/html', 'application/typescript'])(
    'refuses %s with 415',
    async (type) => {
      for (const path of ['/1.0/fresh/config', '/1.0/report/config']) {
        expect((await send('POST', path, { type })).status).toBe(415);
      }
      expect(app.acts).toEqual([]);
    },
  );

  it.each(['/1.0/fresh/config', '/1.0/report/config'])(
    'takes so much code and no more at %s',
    async (path) => {
      expect((await send('POST', path, { body: 'x'.repeat(2000) })).status).toBe(200);
      expect((await send('POST', path, { body: 'x'.repeat(2001) })).status).toBe(413);
    },
  );

  it('refuses what is not UTF-8', async () => {
    expect((await send('POST', '/1.0/fresh/config', { body: Buffer.from([255]) })).status).toBe(400);
  });

  it('leaves the judgement of an empty text to the code’s rules', async () => {
    await app.ask('POST', '/1.0/fresh/config', { as: 'admin' });
    expect(app.acts).toEqual([['post', '/1.0/fresh', '', actorCalled('boss')]]);
  });

  it('is for admins, before anything is read', async () => {
    const odd = { type: 'application/xml', body: 'x'.repeat(5000) };
    for (const path of ['/1.0/fresh/config', '/1.0/report/config', '/api/hooks/slugify/config']) {
      expect((await app.ask('POST', path, odd)).status).toBe(401);
      const denied = await app.ask('POST', path, { ...odd, as: 'user' });
      expect([denied.status, denied.headers['www-authenticate']]).toEqual([401, `Bearer realm="${path}"`]);
    }
    expect(app.acts).toEqual([]);
  });

  it.each(['PUT', 'PATCH'])('does not answer to %s', async (method) => {
    const answer = await send(method, '/1.0/report/config');
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD, POST, DELETE, OPTIONS']);
  });
});

describe('GET and DELETE /{version}/{endpoint}/config', () => {
  it('read and remove the code', async () => {
    const read = await app.ask('GET', '/1.0/report/config', { as: 'admin' });
    expect([read.status, read.text]).toEqual([200, 'the source']);
    const removed = await app.ask('DELETE', '/1.0/report/config', { as: 'admin' });
    expect([removed.status, removed.body]).toEqual([
      200,
      { result: 'success', message: 'Endpoint "1.0:report" removed' },
    ]);
  });

  it.each(['GET', 'DELETE'])('%s of a missing one is 404', async (method) => {
    expect((await app.ask(method, '/1.0/missing/config', { as: 'admin' })).status).toBe(404);
  });
});

describe('/api/hooks/{name}/config', () => {
  it('is made by POST', async () => {
    const made = await send('POST', '/api/hooks/fresh/config');
    expect([made.status, made.body.message]).toEqual([200, 'Hook "fresh" created']);
    expect((await send('POST', '/api/hooks/slugify/config')).status).toBe(409);
  });

  it('is replaced by PUT', async () => {
    const put = await send('PUT', '/api/hooks/slugify/config');
    expect([put.status, put.body.message]).toEqual([200, 'Hook "slugify" updated']);
    expect((await send('PUT', '/api/hooks/fresh/config')).status).toBe(404);
  });

  it('takes code only', async () => {
    const odd = { type: 'application/json', body: '{}' };
    expect((await send('PUT', '/api/hooks/slugify/config', odd)).status).toBe(415);
    expect((await send('PUT', '/api/hooks/slugify/config', { body: 'x'.repeat(2001) })).status).toBe(413);
  });
});

describe('while custom code is switched off', () => {
  it.each([
    ['POST', '/1.0/fresh/config'],
    ['POST', '/1.0/report/config'],
    ['PUT', '/api/hooks/slugify/config'],
  ])('%s %s is 503', async (method, path) => {
    app = startEndpointApp({ endpoints: [liveEndpoint('report')], hooks: [HOOK], enabled: false });
    const answer = await send(method, path);
    expect([answer.status, answer.body.errors[0].code]).toEqual([503, 'SANDBOX_DISABLED']);
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    expect(app.acts).toEqual([]);
  });
});
