// Policies over HTTP: shape, defaults, ceilings, least values, and that they hold at once.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp } from '../helpers/app/app.ts';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';
import { LIBRARY } from '../helpers/fixtures/library.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

const HELLO = "module.exports.get = (req, res) => res.end('hello');";

let server: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer();
  await server.endpoint('hello', HELLO);
});

afterAll(() => server.close());

const put = (policy: unknown) => server.call('PUT', '/1.0/hello/policy', { body: policy });

describe('a policy', () => {
  it('is `{"version":1}` when none was put', async () => {
    const { status, body } = await server.get('/1.0/hello/policy');
    expect([status, body]).toEqual([200, { version: 1 }]);
  });

  it('is answered as it was put, with what the server knows of the code', async () => {
    const policy = { version: 1, limits: { cpuMs: 100 }, grants: { response: { headers: ['x-a'] } } };
    const answer = await put(policy);
    const code = { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect([answer.status, answer.body]).toEqual([200, { ...policy, code }]);
    expect((await server.get('/1.0/hello/policy')).body).toEqual({ ...policy, code });
    expect((await put({ version: 1 })).status).toBe(200);
  });

  it('with a `code` block is refused: that is the server’s', async () => {
    const { status, body } = await put({ version: 1, code: { sha256: 'a' } });
    expect([status, body.errors[0]]).toMatchObject([400, { code: 'POLICY_INVALID', field: 'code' }]);
  });

  it.each([
    ['version', { version: 2 }, 'version'],
    ['a member that there is not', { version: 1, power: true }, 'power'],
    ['a limit that there is not', { version: 1, limits: { gpu: 1 } }, 'limits.gpu'],
    ['isolation', { version: 1, isolation: 'none' }, 'isolation'],
    [
      'an action that there is not',
      grant({ collections: [{ name: '1.0/a/b', actions: ['drop'] }] }),
      'grants.collections.0.actions.0',
    ],
    [
      'a name without its database',
      grant({ collections: [{ name: 'books', actions: ['find'] }] }),
      'grants.collections.0.name',
    ],
    ['text for a number', { version: 1, limits: { cpuMs: '100' } }, 'limits.cpuMs'],
    ['a fraction', { version: 1, limits: { cpuMs: 100.5 } }, 'limits.cpuMs'],
  ])('of the wrong shape is refused with its path: %s', async (_title, policy, field) => {
    const { status, body } = await put(policy);
    expect([status, body.success, body.errors[0]]).toMatchObject([
      400,
      false,
      { code: 'POLICY_INVALID', field },
    ]);
  });

  it.each(['[]', '"text"', 'null', '1'])('%s is none', async (body) => {
    expect((await put(body)).status).toBe(400);
  });

  const LEAST = {
    heapMb: 8,
    cpuMs: 10,
    wallMs: 50,
    responseBytes: 1,
    logBytes: 1,
    hostCalls: 1,
    concurrency: 1,
  };
  const MOST = {
    heapMb: 256,
    cpuMs: 5000,
    wallMs: 30_000,
    responseBytes: 12_582_912,
    hostCalls: 1000,
    concurrency: 64,
  };

  it('may have the least values, and none below', async () => {
    expect((await put({ version: 1, limits: LEAST })).status).toBe(200);
    for (const [name, value] of Object.entries(LEAST)) {
      const { status, body } = await put({ version: 1, limits: { [name]: value - 1 } });
      expect([name, status, body.errors[0].field]).toEqual([name, 400, `limits.${name}`]);
    }
  });

  it('may have the ceilings, and nothing above', async () => {
    expect((await put({ version: 1, limits: MOST })).status).toBe(200);
    for (const [name, value] of Object.entries(MOST)) {
      const { status, body } = await put({ version: 1, limits: { [name]: value + 1 } });
      expect([name, status, body.errors[0].code]).toEqual([name, 400, 'POLICY_INVALID']);
      expect([body.errors[0].field, body.errors[0].message]).toEqual([
        `limits.${name}`,
        expect.stringContaining(String(value)),
      ]);
    }
    expect((await put({ version: 1 })).status).toBe(200);
  });

  it('under the packaged ceilings grants no fetch and no other client', async () => {
    const fetch = [{ origin: 'https://api.example.com', methods: ['GET'], paths: ['/'] }];
    const refused = await put(grant({ fetch }));
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'grants.fetch.0.origin']);
    const loopback = await put(grant({ fetch: [{ ...fetch[0], origin: 'http://127.0.0.1:9000' }] }));
    expect([loopback.status, loopback.body.errors[0].field]).toEqual([400, 'grants.fetch.0.origin']);
    const as = await put(
      grant({ collections: [{ name: '1.0/library/books', actions: ['find'], as: 'client:admin' }] }),
    );
    expect([as.status, as.body.errors[0].field]).toEqual([400, 'grants.collections.0.as']);
  });

  it('may grant a collection that is not there yet', async () => {
    expect(
      (await put(grant({ collections: [{ name: '1.0/library/later', actions: ['find'] }] }))).status,
    ).toBe(200);
  });

  it('holds at once, for the next request', async () => {
    const header = "module.exports.get = (req, res) => { res.setHeader('x-a', '1'); res.end(); };";
    const path = await server.endpoint('at-once', header, grant({ response: { headers: [] } }));
    expect((await server.get(path)).headers.get('x-a')).toBeNull();
    await server.putPolicy('at-once', grant({ response: { headers: ['x-a'] } }));
    expect((await server.get(path)).headers.get('x-a')).toBe('1');
  });

  it('outlives new code', async () => {
    await server.endpoint('at-once', HELLO);
    expect((await server.get('/1.0/at-once/policy')).body).toMatchObject(
      grant({ response: { headers: ['x-a'] } }),
    );
  });

  it('is for admins', async () => {
    const token = await server.userToken('no-admin');
    for (const method of ['GET', 'PUT'])
      expect((await server.call(method, '/1.0/hello/policy', { token })).status).toBe(401);
  });

  it('is reached by GET and PUT only', async () => {
    const { status, headers } = await server.call('DELETE', '/1.0/hello/policy');
    expect([status, headers.get('allow')]).toEqual([405, expect.stringContaining('PUT')]);
  });
});

function grant(grants: object) {
  return { version: 1, grants: grants as never };
}

describe('an endpoint without a policy', () => {
  it('has no capabilities', async () => {
    const source = `module.exports.get = (req, res) => {
      let required; try { require('@dadi/api'); required = true; } catch (error) { required = error.code; }
      res.json([typeof Model, typeof fetch, required]);
    };`;
    const path = await server.endpoint('bare', source);
    expect((await server.get(path)).body).toEqual(['undefined', 'undefined', 'MODULE_NOT_FOUND']);
  });

  it('are one second of CPU, ten megabytes of answer', async () => {
    const path = await server.endpoint('loop', 'module.exports.get = () => { for (;;); };');
    const from = performance.now();
    expect((await server.get(path)).status).toBe(504);
    expect(performance.now() - from).toBeGreaterThan(900);
    const body = `module.exports.get = (req, res) => res.end('x'.repeat(+req.query.n));`;
    const large = await server.endpoint('large', body);
    expect((await server.get(`${large}?n=10485760`)).text).toHaveLength(10_485_760);
    expect((await server.get(`${large}?n=10485761`)).body.errors[0].code).toBe('ENDPOINT_RESPONSE_TOO_LARGE');
  });

  it.each(['realm', 'context', 'isolate'])('isolation %s: no state outlives a request', async (isolation) => {
    const source = `let calls = 0;
      module.exports.get = (req, res) => {
        calls += 1;
        try { globalThis.marks = (globalThis.marks || 0) + 1; } catch {}
        res.json([calls, globalThis.marks ?? 0]);
      };`;
    const path = await server.endpoint(`fresh-${isolation}`, source, { version: 1, isolation });
    const first = (await server.get(path)).body;
    expect(first[0]).toBe(1);
    for (let n = 0; n < 3; n += 1) expect((await server.get(path)).body).toEqual(first);
  });
});

describe('the ceilings file', () => {
  it('of the operator bounds policies that are put, and those that are there', async () => {
    const workspace = createWorkspace(LIBRARY, { sandbox: { policyFile: 'ceilings.json' } });
    const ceilings = {
      version: 1,
      limits: { cpuMs: 200 },
      grants: {
        collections: [],
        response: { headers: ['x-*'] },
        fetch: [
          { origin: 'http://10.0.0.5:9200', methods: ['GET'], paths: ['/search/'] },
          { origin: 'http://*', headers: { authorization: 'secret:TOKEN' } },
        ],
      },
      egress: { allow: ['10.0.0.5:9200', '10.0.0.6:9200'] },
    };
    writeFileSync(join(workspace.cwd, 'ceilings.json'), JSON.stringify(ceilings));
    const strict = await startEndpointServer({ workspace });
    try {
      const path = await strict.endpoint('loop', 'module.exports.get = () => { for (;;); };');
      expect((await strict.get(path)).status).toBe(504);
      expect((await strict.logs('loop')).at(-1)?.message).toContain('more than 200 ms');
      const fields = async (policy: object) =>
        (await strict.putPolicy('loop', { version: 1, ...policy })).body.errors?.[0].field;
      expect(await fields({ limits: { cpuMs: 201 } })).toBe('limits.cpuMs');
      expect(
        await fields({ grants: { collections: [{ name: '1.0/library/books', actions: ['find'] }] } }),
      ).toMatch(/^grants\.collections\.0/);
      expect(await fields({ grants: { response: { headers: ['set-cookie'] } } })).toBe(
        'grants.response.headers.0',
      );
      expect(await fields({ limits: { cpuMs: 200 } })).toBeUndefined();
      const fetching = (grant: object) => fields({ grants: { fetch: [grant] } });
      const search = { origin: 'http://10.0.0.5:9200', paths: ['/search/'] };
      expect(await fetching(search)).toBeUndefined();
      expect(await fetching({ ...search, paths: ['/'] })).toBe('grants.fetch.0.paths');
      expect(await fetching({ ...search, paths: ['/search/..;/x'] })).toBe('grants.fetch.0.paths.0');
      expect(await fetching({ ...search, methods: ['DELETE'] })).toBe('grants.fetch.0.methods');
      expect(await fetching({ ...search, origin: 'http://10.0.0.6:9200' })).toBe('grants.fetch.0.origin');
      const headers = { authorization: 'secret:TOKEN' };
      expect(await fetching({ ...search, headers })).toBe('grants.fetch.0.headers');
      expect(await fetching({ origin: 'http://example.com', headers })).toBe('grants.fetch.0.headers');
    } finally {
      await strict.close();
      workspace.remove();
    }
  });

  it('that is wrong stops the start, with its path', async () => {
    const workspace = createWorkspace(LIBRARY, { sandbox: { policyFile: 'ceilings.json' } });
    writeFileSync(join(workspace.cwd, 'ceilings.json'), '{"version":1,"limits":{"cpuMs":"all"}}');
    await expect(startApp({ workspace })).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
    workspace.remove();
  });
});
