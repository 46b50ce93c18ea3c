// What real calls and hooks use, as their `…/usage` tells it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';

let server: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer();
});

afterAll(() => server.close());

const usageOf = async (path: string) => (await server.get(`${path}/usage`)).body;

it('calls, errors, processor time and heap of an endpoint are told, for the hour that ends now', async () => {
  const source = `module.exports.get = (req, res) => {
    if (req.query.do === 'throw') throw new Error('x');
    let sum = 0;
    for (let n = 0; n < 1_000_000; n += 1) sum += n % 7;
    res.end(String(sum));
  };`;
  const path = await server.endpoint('worker', source);
  expect(await usageOf(path)).toMatchObject({ calls: 0, errors: 0, cpuMs: 0, maxHeapMb: null });
  await server.get(path);
  await server.get(`${path}?do=throw`);
  // The heap is looked at four times a second at most.
  await expect
    .poll(async () => {
      await server.get(path);
      return (await usageOf(path)).maxHeapMb;
    })
    .toBeGreaterThan(0.5);
  const usage = await usageOf(path);
  expect(usage).toMatchObject({ errors: 1, calls: expect.any(Number), cpuMs: expect.any(Number) });
  expect(usage.calls).toBeGreaterThanOrEqual(3);
  expect(usage.cpuMs).toBeGreaterThan(0.5);
  expect(usage.maxHeapMb).toBeLessThan(64);
  expect(usage.buckets).toHaveLength(60);
  expect(usage.from).toBe(usage.buckets[0].at);
  expect(usage.to - usage.from).toBeLessThanOrEqual(3_600_000);
});

it('runs of a hook are told, and refusals of documents are its errors', async () => {
  const source = `module.exports = (obj) => {
    if (obj.title === 'bad') throw new Error('no');
    return obj;
  };`;
  const settings = { hooks: { beforeCreate: [{ hook: 'checker' }] } };
  const headers = { 'content-type': 'text/plain' };
  const posted = await server.call('POST', '/api/hooks/checker/config', { body: source, headers });
  expect(posted.status).toBe(200);
  const specification = { fields: { title: { type: 'String' } }, settings };
  expect((await server.call('POST', '/1.0/library/notes/config', { body: specification })).status).toBe(200);
  const create = (title: string) => server.call('POST', '/1.0/library/notes', { body: { title } });
  expect([(await create('good')).status, (await create('bad')).status]).toEqual([200, 400]);
  await expect.poll(() => usageOf('/api/hooks/checker')).toMatchObject({ calls: 2, errors: 1 });
});

it('usage is for admins, and there is none of what is not there', async () => {
  const path = await server.endpoint('quiet', "module.exports.get = (req, res) => res.end('ok');");
  expect((await server.get(`${path}/usage`, { token: null })).status).toBe(401);
  expect((await server.get('/1.0/none/usage')).status).toBe(404);
  expect((await server.get('/api/hooks/none/usage')).status).toBe(404);
  expect((await server.call('POST', `${path}/usage`)).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
});
