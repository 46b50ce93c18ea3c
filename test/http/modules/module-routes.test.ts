import { beforeEach, describe, expect, it } from 'vitest';
import { liveEndpoint } from '../../modules/module-versions.ts';
import { type EndpointApp, startEndpointApp } from './endpoint-app.ts';
import { actorCalled } from './fake-modules.ts';

const HOOK = liveEndpoint('x', { address: { kind: 'hook', name: 'slugify' }, path: '/api/hooks/slugify' });
const PLACES = ['/1.0/report', '/api/hooks/slugify'];

/** Of all tests: none changes the modules, and each notes what it asks for from the beginning. */
const app: EndpointApp = startEndpointApp({
  endpoints: [liveEndpoint('report', { state: 'suspended' })],
  hooks: [HOOK],
});
beforeEach(() => {
  app.acts.length = 0;
});

const RESOURCES: readonly (readonly [method: string, sub: string, act: readonly unknown[]])[] = [
  ['GET', 'policy', ['policy']],
  ['GET', 'versions', ['versions']],
  ['GET', 'versions/3', ['versionSource', 3]],
  ['GET', 'versions/3/policy', ['versionPolicy', 3]],
  ['GET', 'versions/3/diff/4', ['diff', 3, 4]],
  ['POST', 'versions/3/rollback', ['rollback', 3, actorCalled('boss')]],
  ['GET', 'logs?limit=5&after=7', ['logs', { limit: 5, after: 7 }]],
  ['POST', 'suspend', ['suspend', actorCalled('boss')]],
  ['DELETE', 'suspend', ['resume', actorCalled('boss')]],
  ['GET', 'config', ['source']],
  ['DELETE', 'config', ['remove', actorCalled('boss')]],
];

describe.each(PLACES)('below %s', (place) => {
  it.each(RESOURCES)('%s %s is done for an admin', async (method, sub, [act, ...more]) => {
    const answer = await app.ask(method, `${place}/${sub}`, { as: 'admin' });
    expect(answer.status).toBe(200);
    expect(app.acts).toEqual([[act, place, ...more]]);
  });

  it.each(RESOURCES)('%s %s is refused to anyone else', async (method, sub) => {
    const url = `${place}/${sub}`;
    expect((await app.ask(method, url)).status).toBe(401);
    const denied = await app.ask(method, url, { as: 'user' });
    const realm = `Bearer realm="${url.replace(/\?.*/, '')}"`;
    expect([denied.status, denied.headers['www-authenticate']]).toEqual([401, realm]);
    expect(app.acts).toEqual([]);
  });

  it('POST versions/3/approve is done for a reviewer, and refused to anyone else', async () => {
    const approve = `${place}/versions/3/approve`;
    expect((await app.ask('POST', approve)).status).toBe(401);
    expect((await app.ask('POST', approve, { as: 'user' })).status).toBe(401);
    const { status, body } = await app.ask('POST', approve, { as: 'admin' });
    expect([status, body.errors[0].code]).toEqual([403, 'APPROVAL_REFUSED']);
    expect(app.acts).toEqual([]);
    expect((await app.ask('POST', approve, { as: 'reviewer' })).status).toBe(200);
    expect(app.acts).toEqual([['approve', place, 3, actorCalled('user')]]);
  });

  describe('POST versions/3/refuse', () => {
    const url = `${place}/versions/3/refuse`;
    const refuse = (as: string | undefined, body: string) =>
      app.ask('POST', url, { ...(as !== undefined && { as }), type: 'application/json', body });
    const GIVEN = '{"reason":"  It sends all\\nof it  "}';

    it('is done for a reviewer, and refused to anyone else', async () => {
      expect((await refuse(undefined, GIVEN)).status).toBe(401);
      expect((await refuse('user', GIVEN)).status).toBe(401);
      const { status, body } = await refuse('admin', GIVEN);
      expect([status, body.errors[0].code]).toEqual([403, 'APPROVAL_REFUSED']);
      expect(body.errors[0].message).toContain('Only a reviewer refuses');
      expect(app.acts).toEqual([]);
      const done = await refuse('reviewer', GIVEN);
      expect([done.status, done.body.message]).toEqual([200, expect.stringContaining('version 3 refused')]);
      expect(app.acts).toEqual([
        ['reject', place, 3, { actor: actorCalled('user'), reason: 'It sends all\nof it' }],
      ]);
    });

    it.each([
      '{}',
      '{"reason":""}',
      '{"reason":" \\n\\t"}',
      '{"reason":7}',
      '{"reason":null}',
      '{"reason":["no"]}',
      JSON.stringify({ reason: 'x'.repeat(1001) }),
    ])('with %s is 400 and says what a reason is', async (body) => {
      const answer = await refuse('reviewer', body);
      expect([answer.status, answer.body.errors]).toEqual([
        400,
        [
          expect.objectContaining({
            field: 'reason',
            message: expect.stringContaining('1 to 1,000 characters'),
          }),
        ],
      ]);
      expect(app.acts).toEqual([]);
    });

    it('takes a thousand characters, of whatever kind', async () => {
      const reason = '😀'.repeat(1000);
      expect((await refuse('reviewer', JSON.stringify({ reason }))).status).toBe(200);
    });

    it.each([
      ['{"reason":"no","because":"x"}', 'because'],
      ['["no"]', undefined],
      ['', undefined],
      ['{', undefined],
    ])('with the body %s is 400', async (body, field) => {
      const answer = await refuse('reviewer', body);
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
      expect(app.acts).toEqual([]);
    });

    it('takes no other method and no other type', async () => {
      const wrong = await app.ask('GET', url, { as: 'admin' });
      expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'POST, OPTIONS']);
      const text = await app.ask('POST', url, { as: 'reviewer', type: 'text/plain', body: 'no' });
      expect(text.status).toBe(415);
    });
  });

  it('a policy is put as JSON and answered bare', async () => {
    const put = { as: 'admin', type: 'application/json', body: '{"version":1,"limits":{}}' };
    const answer = await app.ask('PUT', `${place}/policy`, put);
    expect([answer.status, answer.body]).toEqual([200, { version: 1 }]);
    expect(app.acts.at(-1)).toEqual(['putPolicy', place, { version: 1, limits: {} }, actorCalled('boss')]);
    expect((await app.ask('PUT', `${place}/policy`, { ...put, body: '{' })).status).toBe(400);
    expect((await app.ask('PUT', `${place}/policy`, { ...put, type: 'text/yaml' })).status).toBe(415);
  });

  it('sources and differences are plain text', async () => {
    for (const [sub, text] of [
      ['config', 'the source'],
      ['versions/1', 'an old source'],
      ['versions/1/diff/2', '-a\n+b\n'],
    ]) {
      const answer = await app.ask('GET', `${place}/${sub}`, { as: 'admin' });
      expect([answer.headers['content-type'], answer.text]).toEqual(['text/plain; charset=utf-8', text]);
    }
  });

  it('lists have their names', async () => {
    const ask = async (sub: string) => (await app.ask('GET', `${place}/${sub}`, { as: 'admin' })).body;
    expect(await ask('versions')).toEqual({ versions: [] });
    const record = { at: 5, level: 'info', message: 'hello', version: 3, requestId: 'r', seq: 1 };
    expect(await ask('logs')).toEqual({ logs: [record] });
    expect(app.acts.at(-1)).toEqual(['logs', place, { limit: 1000, after: 0 }]);
  });

  it.each(['limit=-1', 'limit=x', 'after=1.5', 'limit=1&limit=2', 'after='])(
    'logs with %s are 400',
    async (query) => {
      const answer = await app.ask('GET', `${place}/logs?${query}`, { as: 'admin' });
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, query.split('=')[0]]);
    },
  );

  it('at most 1,000 records are asked for', async () => {
    await app.ask('GET', `${place}/logs?limit=999999`, { as: 'admin' });
    expect(app.acts).toEqual([['logs', place, { limit: 1000, after: 0 }]]);
  });

  it.each(['0', '-1', '1.5', 'x', '1e3', '9999999999', '%31%2F2'])(
    'there is no version %s',
    async (version) => {
      expect((await app.ask('GET', `${place}/versions/${version}`, { as: 'admin' })).status).toBe(404);
      expect(app.acts).toEqual([]);
    },
  );

  it.each([
    ['PATCH', 'policy', 'GET, HEAD, PUT, OPTIONS'],
    ['GET', 'suspend', 'POST, DELETE, OPTIONS'],
    ['POST', 'versions', 'GET, HEAD, OPTIONS'],
    ['GET', 'versions/1/rollback', 'POST, OPTIONS'],
  ])('%s %s is 405', async (method, sub, allow) => {
    const answer = await app.ask(method, `${place}/${sub}`, { as: 'admin' });
    expect([answer.status, answer.headers['allow']]).toEqual([405, allow]);
  });

  it('a rollback says what is in force', async () => {
    const { body } = await app.ask('POST', `${place}/versions/3/rollback`, { as: 'admin' });
    expect(body).toMatchObject({ result: 'success', version: 4, warnings: ['a warning'] });
    expect(body.message).toMatch(/^(Endpoint "1.0:report"|Hook "slugify") rolled back to version 3$/);
  });
});

describe.each(['/1.0/missing', '/api/hooks/missing'])('below the unknown %s', (place) => {
  it.each(['policy', 'versions', 'versions/1', 'logs', 'suspend', 'config'])('%s is 404', async (sub) => {
    expect((await app.ask('GET', `${place}/${sub}`, { as: 'admin' })).status).toBe(404);
    expect((await app.ask('GET', `${place}/${sub}`)).status).toBe(401);
  });
});
