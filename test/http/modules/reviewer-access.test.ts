// Review over HTTP, on the whole application: the right comes from the machine alone, and one person is never enough.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../../helpers/app/endpoint-server.ts';
import { addReviewer, REVIEWER_SECRET, setReviewer } from '../../helpers/app/site.ts';

const OTHER_SECRET = 'a secret of another admin';
const saying = (text: string) => `module.exports.get = (req, res) => res.end('${text}');`;
const books = { collections: [{ name: '1.0/library/books', actions: ['find'] }] };

let server: EndpointServer;
let other: string;
let reviewer: string;
let both: string;

async function start(review: 'grants' | 'all'): Promise<void> {
  server = await startEndpointServer({ config: { sandbox: { review } } });
  await server.call('POST', '/api/clients', {
    body: { clientId: 'other', secret: OTHER_SECRET, accessType: 'admin' },
  });
  other = await server.token('other', OTHER_SECRET);
  reviewer = await addReviewer(server, 'reviewer');
  both = await addReviewer(server, 'both', true);
}

const TEXT = { 'content-type': 'text/plain' };
const post = (name: string, body: string, token?: string) =>
  server.call('POST', `/1.0/${name}/config`, {
    body,
    headers: TEXT,
    ...(token === undefined ? {} : { token }),
  });
const put = (path: string, policy: object, token?: string) =>
  server.call('PUT', `${path}/policy`, { body: policy, ...(token === undefined ? {} : { token }) });
const approve = (name: string, version: number, token?: string) =>
  server.call('POST', `/1.0/${name}/versions/${version}/approve`, token === undefined ? {} : { token });
const refused = async (answer: Promise<{ status: number; body: { errors: { code: string }[] } }>) => {
  const { status, body } = await answer;
  return [status, body.errors?.[0]?.code];
};

describe('review: "all"', () => {
  beforeAll(() => start('all'));
  afterAll(() => server.close());

  describe('the right to approve', () => {
    it('is given by no request', async () => {
      const client = { clientId: 'new', secret: OTHER_SECRET };
      for (const [body, field] of [
        [{ ...client, reviewer: true }, 'reviewer'],
        [{ ...client, accessType: 'reviewer' }, 'accessType'],
        [{ ...client, permissions: { reviewer: true } }, 'permissions.reviewer'],
        [{ ...client, roles: ['admin'] }, 'roles.0'],
      ] as const) {
        const { status, body: answer } = await server.call('POST', '/api/clients', { body });
        expect([status, answer.errors[0].field]).toEqual([400, field]);
      }
      // A role of this name is one for rules of collections, and gives no right to approve.
      const namesake = { ...client, clientId: 'namesake', roles: ['reviewer'] };
      const { body: made } = await server.call('POST', '/api/clients', { body: namesake });
      expect(made.results).toEqual([{ clientId: 'namesake', accessType: 'user', roles: ['reviewer'] }]);
      await post('named', saying('one'));
      expect((await approve('named', 1, await server.token('namesake', OTHER_SECRET))).status).toBe(401);
      for (const reviewer of [true, false, null]) {
        const change = { body: { reviewer } };
        const { status, body } = await server.call('PUT', '/api/clients/other', change);
        expect([status, body.errors[0].field]).toEqual([400, 'reviewer']);
      }
      expect((await server.get('/api/clients/reviewer')).body.results[0]).toEqual({
        clientId: 'reviewer',
        accessType: 'user',
        reviewer: true,
      });
    });

    it('is taken over by no request: a reviewer has its own secret in hand, and nothing else', async () => {
      const changes = [
        ['PUT', '/api/clients/reviewer/secret', { secret: OTHER_SECRET }],
        ['PUT', '/api/clients/reviewer/secret', undefined],
        ['PUT', '/api/clients/reviewer', { accessType: 'admin' }],
        ['PUT', '/api/clients/reviewer', { permissions: { collections: [] } }],
        ['DELETE', '/api/clients/reviewer', undefined],
        ['PUT', '/api/clients/both', { accessType: 'user' }],
      ] as const;
      for (const token of [await server.adminToken(), both]) {
        for (const [method, path, body] of changes)
          expect(await refused(server.call(method, path, { body, token }))).toEqual([
            403,
            'CLIENT_PROTECTED',
          ]);
      }
      const secret = 'my own new secret';
      expect((await server.call('PUT', '/api/clients/reviewer', { body: {}, token: reviewer })).status).toBe(
        401,
      );
      const changed = await server.call('PUT', '/api/clients/reviewer/secret', {
        body: { secret },
        token: reviewer,
      });
      expect(changed.status).toBe(200);
      reviewer = await server.token('reviewer', secret);
    });

    it('comes with no power over clients, under whose name its owner could post', async () => {
      const body = { clientId: 'sock', secret: OTHER_SECRET, accessType: 'admin' };
      for (const [method, path, given] of [
        ['POST', '/api/clients', body],
        ['PUT', '/api/clients/other/secret', { secret: OTHER_SECRET }],
        ['PUT', '/api/clients/other', { permissions: null }],
        ['DELETE', '/api/clients/other', undefined],
      ] as const) {
        expect(await refused(server.call(method, path, { body: given, token: both }))).toEqual([
          403,
          'CLIENT_PROTECTED',
        ]);
      }
    });

    it('is asked of admins too, and follows the client, not its token', async () => {
      await post('right', saying('one'));
      const admin = await approve('right', 1, other);
      expect([admin.status, admin.text]).toEqual([403, expect.stringContaining('Only a reviewer approves')]);
      const brief = await addReviewer(server, 'brief');
      expect((await approve('right', 7, brief)).status).toBe(404);
      await setReviewer(server, 'brief', false);
      await expect.poll(async () => (await approve('right', 7, brief)).status).toBe(401);
      await setReviewer(server, 'brief', true);
      expect((await approve('right', 1, reviewer)).status).toBe(200);
      const { audit } = (await server.get('/api/audit')).body;
      const entries = audit.map(({ action, target }: Record<string, string>) => `${action} ${target}`);
      for (const entry of ['create.reviewer', 'reviewer.take', 'reviewer.give'])
        expect(entries).toContain(`client.${entry} brief`);
    });

    it('lets its owner read what waits, and nothing beyond', async () => {
      await post('read', saying('one'));
      await put('/1.0/read', { version: 1, grants: books });
      const get = async (path: string) => (await server.get(path, { token: reviewer })).status;
      const read = ['policy', 'versions', 'versions/1', 'versions/2/policy', 'versions/1/diff/2'];
      for (const sub of read) expect([sub, await get(`/1.0/read/${sub}`)]).toEqual([sub, 200]);
      const { body } = await server.get('/1.0/read/versions/2/policy', { token: reviewer });
      expect(body).toMatchObject({ grants: books });
      expect(await get('/api/hooks')).toBe(200);
      for (const path of ['/api/clients', '/api/config', '/api/audit', '/1.0/read/logs'])
        expect([path, await get(path)]).toEqual([path, 401]);
      const { endpoints } = (await server.get('/api/endpoints', { token: reviewer })).body;
      expect(endpoints.find(({ slug }: { slug: string }) => slug === 'read').pending).toEqual([
        { version: 1, part: 'code', by: 'admin', at: expect.any(Number) },
        { version: 2, part: 'policy', by: 'admin', at: expect.any(Number) },
      ]);
      for (const sub of ['versions/1/rollback', 'suspend'])
        expect((await server.call('POST', `/1.0/read/${sub}`, { token: reviewer })).status).toBe(401);
      expect((await post('read', saying('two'), reviewer)).status).toBe(401);
      expect((await put('/1.0/read', { version: 1 }, reviewer)).status).toBe(401);
    });

    it('does not come back with the name of a reviewer who is gone', async () => {
      await addReviewer(server, 'leaving');
      await setReviewer(server, 'leaving', false);
      expect((await server.call('DELETE', '/api/clients/leaving')).status).toBe(204);
      const body = { clientId: 'leaving', secret: REVIEWER_SECRET, accessType: 'admin' };
      expect((await server.call('POST', '/api/clients', { body })).status).toBe(201);
      await post('left', saying('one'));
      const token = await server.token('leaving', REVIEWER_SECRET);
      expect(await refused(approve('left', 1, token))).toEqual([403, 'APPROVAL_REFUSED']);
    });
  });

  describe('an approval', () => {
    it('is never of one’s own code, whoever else has posted it too', async () => {
      await post('own', saying('one'), both);
      expect(await refused(approve('own', 1, both))).toEqual([403, 'APPROVAL_REFUSED']);
      await post('own', saying('one'));
      expect(await refused(approve('own', 2, both))).toEqual([403, 'APPROVAL_REFUSED']);
      await server.call('DELETE', '/1.0/own/config');
      await post('own', saying('one'));
      expect(await refused(approve('own', 3, both))).toEqual([403, 'APPROVAL_REFUSED']);
      expect((await approve('own', 3, reviewer)).status).toBe(200);
    });

    it('is never of one’s own policy, nor of the code of the other part', async () => {
      await post('parts', saying('one'));
      await put('/1.0/parts', { version: 1, grants: books }, both);
      expect(await refused(approve('parts', 2, both))).toEqual([403, 'APPROVAL_REFUSED']);
      expect((await approve('parts', 2, reviewer)).status).toBe(200);
      await post('parts', saying('two'));
      expect(await refused(approve('parts', 3, both))).toEqual([403, 'APPROVAL_REFUSED']);
      await post('mixed', saying('one'), both);
      await put('/1.0/mixed', { version: 1, grants: books });
      expect(await refused(approve('mixed', 2, both))).toEqual([403, 'APPROVAL_REFUSED']);
    });

    it('is never of one’s own policy beside other code, whoever else has posted it too', async () => {
      await post('again', saying('one'));
      await approve('again', 1, reviewer);
      await put('/1.0/again', { version: 1, grants: books }, both);
      await post('again', saying('two'));
      await approve('again', 3, reviewer);
      await put('/1.0/again', { version: 1, grants: books });
      expect(await refused(approve('again', 4, both))).toEqual([403, 'APPROVAL_REFUSED']);
      expect((await approve('again', 4, reviewer)).status).toBe(200);
    });

    it('is of the code together with the policy that was read with it', async () => {
      await post('pair', saying('one'));
      await approve('pair', 1, reviewer);
      await put('/1.0/pair', { version: 1, grants: books });
      await post('pair', saying('two'));
      expect((await approve('pair', 2, reviewer)).status).toBe(200);
      expect(await refused(approve('pair', 3, reviewer))).toEqual([409, 'VERSION_OUTDATED']);
      expect((await server.get('/1.0/pair')).text).toBe('one');
    });

    it('of code without grants does not let it come back with grants', async () => {
      await post('back', saying('one'));
      await approve('back', 1, reviewer);
      await post('back', saying('two'));
      await approve('back', 2, reviewer);
      await put('/1.0/back', { version: 1, grants: books });
      await approve('back', 3, reviewer);
      expect((await server.call('POST', '/1.0/back/versions/1/rollback')).status).toBe(202);
      expect((await server.get('/1.0/back')).text).toBe('two');
    });
  });
});

describe('review: "grants"', () => {
  beforeAll(() => start('grants'));
  afterAll(() => server.close());

  const request = (...headers: readonly string[]) => ({ version: 1, grants: { request: { headers } } });
  const response = (...headers: readonly string[]) => ({ version: 1, grants: { response: { headers } } });
  const HOOK = 'module.exports = (obj) => obj;';

  it.each(['/1.0/headers', '/api/hooks/headers'])(
    'at %s holds headers back that carry credentials, or speak for more than the answer',
    async (path) => {
      const body = path.startsWith('/api/hooks') ? HOOK : saying('one');
      await server.call('POST', `${path}/config`, { body, headers: TEXT });
      for (const weak of [request('accept', 'content-type'), response('x-*', 'etag'), { version: 1 }])
        expect((await put(path, weak)).status).toBe(200);
      const powerful = ['authorization', 'cookie', 'x-api-key', 'x-auth-token', 'x-access-token', 'x-*'];
      for (const name of powerful)
        expect([name, (await put(path, request(name))).status]).toEqual([name, 202]);
      for (const name of ['set-cookie', 'content-security-policy', 'access-control-allow-origin'])
        expect([name, (await put(path, response(name))).status]).toEqual([name, 202]);
      const pending = (await server.get(`${path}/policy`)).body.code.pending;
      const last = `${path}/versions/${pending.at(-1)}/approve`;
      expect((await server.call('POST', last, { token: other })).status).toBe(403);
      expect((await server.call('POST', last, { token: reviewer })).status).toBe(200);
      expect((await server.get(`${path}/policy`)).body.grants.response.headers).toEqual([
        'access-control-allow-origin',
      ]);
    },
  );

  it('is told to whoever has to wait', async () => {
    await post('told', saying('one'));
    const { status, body } = await put('/1.0/told', { version: 1, grants: books });
    expect([status, body.message]).toEqual([202, 'The policy waits for the approval of a reviewer']);
  });
});

it('the server says at the start, and to whoever waits, that there is no reviewer and how to make one', async () => {
  const log: string[] = [];
  server = await startEndpointServer({ config: { sandbox: { review: 'all' } }, log });
  expect(log.filter((line) => line.includes('clients add <id> --reviewer'))).toHaveLength(1);
  const { status, body } = await server.post('alone', saying('one'));
  expect([status, body.message]).toEqual([202, expect.stringContaining('clients add <id> --reviewer')]);
  await server.close();
});
