// Calls of endpoints beside what a scrape tells of them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';
import { requestsBetween, scrape, sumOf } from './scrape.ts';

let server: EndpointServer;
let admin: string;

beforeAll(async () => {
  server = await startEndpointServer();
  admin = await server.adminToken();
});

afterAll(() => server.close());

const scraped = () => scrape(server.url, admin);
const get = (body: string) => `module.exports.get = ${body};`;

/** How often the calls of an endpoint ended in which way. */
async function outcomesOf(endpoint: string): Promise<Readonly<Record<string, number>>> {
  const samples = (await scraped()).filter(({ name }) => name === 'cloister_endpoint_calls_total');
  const own = samples.filter(({ labels }) => labels['endpoint'] === endpoint);
  return Object.fromEntries(own.map(({ labels, value }) => [labels['outcome'], value]));
}

it('the outcome of each call is counted, and its request under the route of all endpoints', async () => {
  const before = await scraped();
  const path = await server.endpoint(
    'mixed',
    get(`(req, res, next) => {
      if (req.query.do === 'throw') throw new Error('x');
      if (req.query.do === 'pass') return next();
      if (req.query.do === 'hang') return new Promise(() => setTimeout(() => {}, 60_000));
      res.end('ok');
    }`),
    { limits: { wallMs: 30_000 } },
  );
  for (const what of ['', '', '', 'throw', 'pass']) await server.get(`${path}?do=${what}`);
  await server.putPolicy('mixed', { limits: { wallMs: 300 } });
  await server.get(`${path}?do=hang`);
  await server.get(path, { token: null });
  await server.call('POST', path);
  await expect.poll(() => outcomesOf('1.0/mixed')).toEqual({ ok: 4, error: 1, timeout: 1 });
  const requests = requestsBetween(before, await scraped());
  const calls = Object.entries(requests).filter(([key]) => key.includes(' /{version}/{endpoint} '));
  expect(Object.fromEntries(calls)).toEqual({
    'GET /{version}/{endpoint} 200': 3,
    'GET /{version}/{endpoint} 500': 1,
    'GET /{version}/{endpoint} 404': 1,
    'GET /{version}/{endpoint} 504': 1,
    'GET /{version}/{endpoint} 401': 1,
    'POST /{version}/{endpoint} 405': 1,
  });
});

it('calls over the limit of a minute, and of a suspended endpoint, are counted as such', async () => {
  const path = await server.endpoint('limited', get("(req, res) => res.end('ok')"), {
    limits: { perMinute: 2 },
  });
  for (let n = 0; n < 5; n += 1) await server.get(path);
  expect((await server.call('POST', `${path}/suspend`, { body: {} })).status).toBe(200);
  await server.get(path);
  await server.get(path);
  await expect.poll(() => outcomesOf('1.0/limited')).toEqual({ ok: 2, rate_limited: 3, suspended: 2 });
});

it('code that needs too much memory, or answers too much, is counted as such', async () => {
  const path = await server.endpoint(
    'large',
    get(`(req, res) => {
      if (req.query.do === 'answer') return res.end('x'.repeat(2_000_000));
      const all = [];
      for (;;) all.push(new Array(1000).fill({ a: 1 }));
    }`),
    { limits: { responseBytes: 1_000_000, heapMb: 16, cpuMs: 5000, wallMs: 30_000 } },
  );
  await server.get(`${path}?do=answer`);
  await server.get(path);
  await expect.poll(() => outcomesOf('1.0/large')).toEqual({ response_too_large: 1, memory: 1 });
});

it('processor time is counted for the endpoint that used it, and the wait of each call that began', async () => {
  const work = (rounds: number) =>
    get(`(req, res) => {
      let sum = 0;
      for (let n = 0; n < ${rounds}; n += 1) sum += n % 7;
      res.end(String(sum));
    }`);
  const light = await server.endpoint('light', work(1));
  const heavy = await server.endpoint('heavy', work(1_000_000));
  const callBoth = async () => {
    expect((await server.get(light)).status).toBe(200);
    expect((await server.get(heavy)).status).toBe(200);
  };
  // The first call of each makes its isolate.
  await callBoth();
  const before = await scraped();
  for (let n = 0; n < 5; n += 1) await callBoth();
  const after = await scraped();
  const difference = (name: string, labels = {}) => sumOf(after, name, labels) - sumOf(before, name, labels);
  expect(difference('cloister_sandbox_queue_seconds_count')).toBe(10);
  const cpu = (endpoint: string) => difference('cloister_endpoint_cpu_seconds_total', { endpoint });
  expect(cpu('1.0/light')).toBeGreaterThan(0);
  expect(cpu('1.0/heavy')).toBeGreaterThan(2 * cpu('1.0/light'));
});

it('the hosts are counted by state', async () => {
  const samples = (await scraped()).filter(({ name }) => name === 'cloister_sandbox_hosts');
  expect(samples.map(({ labels }) => labels['state'])).toEqual(['busy', 'idle', 'spare']);
  expect(sumOf(samples, 'cloister_sandbox_hosts')).toBeGreaterThan(0);
});
