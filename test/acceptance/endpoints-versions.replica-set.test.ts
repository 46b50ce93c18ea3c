// Versions of posted code, going back, and the approval of a reviewer.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';
import { addReviewer } from '../helpers/app/site.ts';

const saying = (text: string) => `module.exports.get = (req, res) => {\n  res.end('${text}');\n};\n`;

interface Version {
  readonly version: number;
  readonly active: boolean;
  readonly sha256: string;
  readonly clientId: string | null;
}

async function secondAdmin(server: EndpointServer): Promise<string> {
  const body = { clientId: 'second', secret: 'a secret of the second', accessType: 'admin' };
  await server.call('POST', '/api/clients', { body });
  return server.token('second', 'a secret of the second');
}

describe('versions', () => {
  let server: EndpointServer;
  const path = '/1.0/told';

  beforeAll(async () => {
    server = await startEndpointServer();
    for (const text of ['one', 'two', 'three']) await server.endpoint('told', saying(text));
  });

  afterAll(() => server.close());

  const versions = async (): Promise<readonly Version[]> =>
    (await server.get(`${path}/versions`)).body.versions;

  it('are all listed, with who, when and what', async () => {
    const { status, body } = await server.get(`${path}/versions`);
    expect([status, Object.keys(body)]).toEqual([200, ['versions']]);
    const all = await versions();
    expect(all.map(({ version }) => version).sort()).toEqual([1, 2, 3]);
    for (const record of all) {
      expect(record).toEqual({
        version: expect.any(Number),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        clientId: 'admin',
        createdAt: expect.any(Number),
        active: record.version === 3,
        part: 'code',
      });
    }
    expect(new Set(all.map(({ sha256 }) => sha256)).size).toBe(3);
  });

  it('are read as text', async () => {
    const first = await server.get(`${path}/versions/1`);
    expect([first.status, first.text, first.headers.get('content-type')]).toEqual([
      200,
      saying('one'),
      'text/plain; charset=utf-8',
    ]);
  });

  it('are compared', async () => {
    const { status, text } = await server.get(`${path}/versions/1/diff/2`);
    expect(status).toBe(200);
    expect(text).toMatch(/^--- .*\n\+\+\+ /m);
    expect(text).toContain("-  res.end('one');\n+  res.end('two');");
    expect((await server.get(`${path}/versions/2/diff/1`)).text).toContain("+  res.end('one');");
  });

  it('that are not there are 404', async () => {
    for (const sub of ['4', '0', '-1', 'x', '1.5', '1/diff/9', '9/diff/1', '1/diff'])
      expect([sub, (await server.get(`${path}/versions/${sub}`)).status]).toEqual([sub, 404]);
    expect((await server.call('POST', `${path}/versions/9/rollback`)).status).toBe(404);
  });

  it('are gone back to by a new version of the old hash, by whoever did it', async () => {
    const token = await secondAdmin(server);
    const back = await server.call('POST', `${path}/versions/1/rollback`, { token });
    expect([back.status, back.body.result]).toEqual([200, 'success']);
    expect((await server.get(path)).text).toBe('one');
    expect((await server.get(`${path}/config`)).text).toBe(saying('one'));
    const all = await versions();
    const [first, fourth] = [1, 4].map((n) => all.find(({ version }) => version === n));
    expect(fourth).toMatchObject({ active: true, sha256: first?.sha256, clientId: 'second' });
    expect(all.filter(({ active }) => active)).toHaveLength(1);
  });

  it('outlive the server', async () => {
    const { workspace } = server;
    const before = await versions();
    await server.app.close();
    const again = await startEndpointServer({ workspace });
    expect((await again.get(`${path}/versions`)).body.versions).toEqual(before);
    expect((await again.get(path)).text).toBe('one');
    await again.app.close();
  });
});

describe('review: "all"', () => {
  let server: EndpointServer;
  let second: string;
  const path = '/1.0/reviewed';

  beforeAll(async () => {
    server = await startEndpointServer({ config: { sandbox: { review: 'all' } } });
    second = await addReviewer(server, 'second');
  });

  afterAll(() => server.close());

  it('holds a new endpoint back: 202, and 503 until it is approved', async () => {
    const posted = await server.post('reviewed', saying('one'));
    expect([posted.status, posted.body]).toMatchObject([202, { result: 'success', version: 1 }]);
    const call = await server.get(path);
    expect([call.status, call.body.errors[0].code, call.headers.has('retry-after')]).toEqual([
      503,
      'ENDPOINT_SUSPENDED',
      true,
    ]);
    const { endpoints } = (await server.get('/api/endpoints')).body;
    expect(endpoints).toMatchObject([{ slug: 'reviewed', state: 'pending' }]);
  });

  it('is approved neither by an admin nor by anybody else without the right', async () => {
    const approve = `${path}/versions/1/approve`;
    const own = await server.call('POST', approve);
    expect([own.status, own.body.errors[0].code]).toEqual([403, 'APPROVAL_REFUSED']);
    const token = await server.userToken('nobody-special');
    expect((await server.call('POST', approve, { token })).status).toBe(401);
    expect((await server.get(path)).status).toBe(503);
  });

  it('is in force once a reviewer approved it', async () => {
    const approved = await server.call('POST', `${path}/versions/1/approve`, { token: second });
    expect([approved.status, approved.body.result]).toEqual([200, 'success']);
    expect((await server.get(path)).text).toBe('one');
    expect((await server.call('POST', `${path}/versions/1/approve`, { token: second })).status).toBe(409);
    expect((await server.call('POST', `${path}/versions/9/approve`, { token: second })).status).toBe(404);
  });

  it('leaves the old code in force while the new waits', async () => {
    expect((await server.post('reviewed', saying('two'))).status).toBe(202);
    expect((await server.get(path)).text).toBe('one');
    const { versions } = (await server.get(`${path}/versions`)).body;
    expect(versions.find(({ active }: Version) => active).version).toBe(1);
    await server.call('POST', `${path}/versions/2/approve`, { token: second });
    expect((await server.get(path)).text).toBe('two');
  });

  it('lets code that was approved before come back', async () => {
    const back = await server.call('POST', `${path}/versions/1/rollback`);
    expect(back.status).toBe(200);
    expect((await server.get(path)).text).toBe('one');
  });

  it('is refused with a reason that its author reads, while what is in force goes on', async () => {
    await server.post('reviewed', saying('worse'));
    const listed = (await server.get('/api/endpoints')).body.endpoints[0];
    expect(listed).toMatchObject({ state: 'active', pending: [{ part: 'code', by: 'admin' }] });
    const { version } = listed.pending[0];
    const decide = (what: string) =>
      server.call('POST', `${path}/versions/${version}/${what}`, {
        token: second,
        ...(what === 'refuse' && { body: { reason: 'It is worse' } }),
      });
    // Of several decisions at the same time one is taken.
    const answers = await Promise.all(['refuse', 'refuse', 'refuse'].map(decide));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await decide('approve')).body.errors[0].code).toBe('VERSION_REFUSED');
    expect((await server.get(path)).text).toBe('one');
    const { versions } = (await server.get(`${path}/versions`)).body;
    expect(versions.find((one: Version) => one.version === version)).toMatchObject({
      refused: { by: 'second', at: expect.any(Number), reason: 'It is worse' },
    });
    expect((await server.get('/api/endpoints')).body.endpoints[0].pending).toEqual([]);
  });

  it('still refuses bad code at once', async () => {
    expect((await server.post('reviewed', 'const a = ;')).status).toBe(400);
  });

  it('tells the audit log who posted and who approved', async () => {
    const { audit } = (await server.get('/api/audit')).body;
    const approvals = audit.filter(({ action }: { action: string }) => action === 'endpoint.approve');
    expect(approvals).toMatchObject([{ clientId: 'second' }, { clientId: 'second' }]);
  });
});

describe('review: "grants"', () => {
  let server: EndpointServer;
  let second: string;

  beforeAll(async () => {
    server = await startEndpointServer({ config: { sandbox: { review: 'grants' } } });
    second = await addReviewer(server, 'second');
  });

  afterAll(() => server.close());

  it('lets pure functions through, and holds back what gives power', async () => {
    const source = 'module.exports.get = (req, res) => res.end(typeof Model);';
    expect((await server.post('powerful', source)).status).toBe(200);
    expect((await server.putPolicy('powerful', { version: 1, limits: { cpuMs: 4000 } })).status).toBe(200);
    const collections = [{ name: '1.0/library/books', actions: ['find'] }];
    const put = await server.putPolicy('powerful', { version: 1, grants: { collections } });
    expect(put.status).toBe(202);
    expect((await server.get('/1.0/powerful')).text).toBe('undefined');
    const { versions } = (await server.get('/1.0/powerful/versions')).body;
    const newest = Math.max(...versions.map(({ version }: Version) => version));
    await server.call('POST', `/1.0/powerful/versions/${newest}/approve`, { token: second });
    expect((await server.get('/1.0/powerful')).text).toBe('function');
    expect((await server.post('powerful', `${source}\n`)).status).toBe(202);
  });
});
