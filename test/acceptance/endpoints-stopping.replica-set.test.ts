// The kill switch: what runs when an endpoint or a hook is suspended, and what its author can do about it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';

const SOON = { timeout: 15_000 };
const HELLO = "module.exports.get = (req, res) => res.end('hello');";
const WRITER = `const { Model } = require('@dadi/api');
module.exports.get = async () => {
  for (;;) await Model('things').create({ n: 1 });
};`;
const HUNGRY = 'module.exports.get = () => { const a = []; for (;;) a.push(new Array(1000).fill(a)); };';
const PATIENT = `module.exports = async (obj) => {
  console.log('begun');
  await new Promise((go) => setTimeout(go, 30000));
  return obj;
};`;

let server: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer();
  for (const [name, hooks] of [
    ['things', {}],
    ['hooked', { beforeCreate: ['patient'] }],
  ] as const) {
    const body = { fields: { n: { type: 'Number' } }, settings: { hooks } };
    await server.call('POST', `/1.0/library/${name}/config`, { body });
  }
});

afterAll(() => server.close());

const count = async (name: string): Promise<number> =>
  (await server.get(`/1.0/library/${name}/count`)).body.metadata.totalCount;
const codeOf = ({ status, body }: { status: number; body: { errors?: { code: string }[] } }) =>
  `${status} ${body.errors?.[0]?.code}`;

async function actionsOn(path: string): Promise<readonly string[]> {
  const { audit } = (await server.get('/api/audit')).body;
  return audit
    .filter(({ target }: { target: string }) => target.split('#')[0] === path)
    .map(({ action, target }: { action: string; target: string }) =>
      `${action} ${target.split('#')[1] ?? ''}`.trim(),
    );
}

describe('a suspension', () => {
  it('ends what runs, and nothing is written after its answer', async () => {
    const collections = [{ name: '1.0/library/things', actions: ['create'], as: 'caller', maxResults: 10 }];
    const path = await server.endpoint('writer', WRITER, {
      version: 1,
      grants: { collections },
      limits: { wallMs: 30_000, hostCalls: 1000, concurrency: 8 },
    });
    const calls = Array.from({ length: 8 }, () => server.get(path));
    await expect.poll(() => count('things'), SOON).toBeGreaterThan(5);
    expect((await server.call('POST', `${path}/suspend`)).status).toBe(200);
    const written = await count('things');
    const codes = new Set((await Promise.all(calls)).map(codeOf));
    // Busy only where the machine stalls for the second that a call waits for a host.
    codes.delete('503 ENDPOINT_BUSY');
    expect([...codes]).toEqual(['503 ENDPOINT_SUSPENDED']);
    expect(await count('things')).toBe(written);
    await expect.poll(() => actionsOn(path)).toContain('host.killed suspended');
  });

  it('says who did it and when, to admins', async () => {
    const listed = async (token?: string) => {
      const { endpoints } = (await server.get('/api/endpoints', token === undefined ? {} : { token })).body;
      return endpoints.find(({ slug }: { slug: string }) => slug === 'writer');
    };
    const shown = { by: 'admin', clientId: expect.any(String), at: expect.any(Number) };
    expect((await listed()).suspension).toEqual(shown);
    const other = await listed(await server.userToken('reader'));
    expect([other.state, other.suspension]).toEqual(['suspended', undefined]);
  });

  it('is not lifted by who deletes the endpoint and posts it again, nor by a name in other case', async () => {
    await server.call('DELETE', '/1.0/writer/config');
    expect((await server.post('Writer', HELLO)).status).toBe(409);
    await server.endpoint('writer', HELLO);
    expect(codeOf(await server.get('/1.0/writer'))).toBe('503 ENDPOINT_SUSPENDED');
    expect((await server.call('DELETE', '/1.0/writer/suspend')).status).toBe(200);
    expect((await server.get('/1.0/writer')).text).toBe('hello');
  });

  it('of a hook ends the write that waits for it: 503, and nothing is stored', async () => {
    const headers = { 'content-type': 'text/plain' };
    await server.call('POST', '/api/hooks/patient/config', { body: PATIENT, headers });
    await server.call('PUT', '/api/hooks/patient/policy', {
      body: { version: 1, limits: { wallMs: 30_000 } },
    });
    const write = server.call('POST', '/1.0/library/hooked', { body: { n: 1 } });
    const begun = async () => (await server.get('/api/hooks/patient/logs')).body.logs.length;
    await expect.poll(begun, SOON).toBe(1);
    await server.call('POST', '/api/hooks/patient/suspend');
    const { status, body, headers: got } = await write;
    expect([status, body.errors[0].code, got.get('retry-after')]).toEqual([503, 'ENDPOINT_SUSPENDED', '60']);
    expect(body.errors[0].message).toBe('The hook `patient` is suspended');
    expect(await count('hooked')).toBe(0);
  });
});

describe('an endpoint that exhausts its heap again and again', () => {
  const limits = { heapMb: 16, cpuMs: 5000 };

  it.each([
    ['realm', 'host.crashed heapMb'],
    ['context', 'host.crashed heapMb'],
    // Each request loses an isolate of its own, and no process ends.
    ['isolate', 'run.violation heapMb'],
  ])(
    'is suspended at the third time in isolation %s, each time being in the audit log',
    async (isolation, action) => {
      const path = await server.endpoint(`hungry-${isolation}`, HUNGRY, { version: 1, isolation, limits });
      const codes: string[] = [];
      for (let call = 0; call < 4; call += 1) codes.push(codeOf(await server.get(path)));
      const memory = '502 ENDPOINT_MEMORY';
      expect(codes).toEqual([memory, memory, memory, '503 ENDPOINT_SUSPENDED']);
      await expect.poll(() => actionsOn(path)).toContain('endpoint.breaker');
      expect((await actionsOn(path)).filter((one) => one === action)).toHaveLength(3);
    },
  );

  it('is not resumed by the same code', async () => {
    const path = await server.endpoint('hungry', HUNGRY, { version: 1, limits });
    for (let call = 0; call < 3; call += 1) expect((await server.get(path)).status).toBe(502);
    expect(codeOf(await server.get(path))).toBe('503 ENDPOINT_SUSPENDED');
    await server.endpoint('hungry', HUNGRY);
    await server.call('POST', `${path}/versions/1/rollback`);
    expect((await server.get(path)).status).toBe(503);
    await server.endpoint('hungry', HELLO);
    expect((await server.get(path)).text).toBe('hello');
  });
});
