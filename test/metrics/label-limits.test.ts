// Whatever clients ask for, the number of series stays.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEndpointCalls } from '../../src/endpoints/call.ts';
import { EndpointCounts, MAX_ENDPOINT_LABELS } from '../../src/metrics/endpoint-counts.ts';
import type { InvocationErrorCode, InvocationResult } from '../../src/sandbox-supervisor/model/sandbox.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createModuleVersion } from '../helpers/sandbox/sandbox.ts';
import { sendRaw } from '../helpers/server-process/client.ts';
import { requestsBetween, scrape } from './scrape.ts';

describe('ten thousand addresses', () => {
  let app: TestApp;
  let url: string;

  beforeAll(async () => {
    app = await startApp();
    url = await app.listen();
  });

  afterAll(() => app.close());

  it('have the labels of their patterns, and no text of a client is in any label', async () => {
    const admin = await app.adminToken();
    const before = await scrape(url, admin);
    const head = `Host: a\r\nAuthorization: Bearer ${admin}\r\n`;
    const paths = Array.from(
      { length: 10_000 },
      (_, n) =>
        [
          `/secret${n}`,
          `/1.0/secret${n}`,
          `/1.0/secret/c${n}`,
          `/1.0/secret/c/d${n}`,
          `/1.0/library/books/s${n}/secret`,
        ][n % 5],
    );
    const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\n${head}\r\n`).join('');
    const answers = await sendRaw(url, `${requests}GET /hello HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
    expect(answers.match(/HTTP\/1\.1 404/g)).toHaveLength(10_000);
    const after = await scrape(url, admin);
    expect(requestsBetween(before, after)).toEqual({
      'GET other 404': 4000,
      'GET /{version}/{database}/{collection} 404': 2000,
      'GET /{version}/{database}/{collection}/{id} 404': 2000,
      'GET /{version}/{database}/{collection}/{path} 404': 2000,
      'GET /hello 200': 1,
    });
    expect(JSON.stringify(after)).not.toContain('secret');
  });
});

const VERSION = createModuleVersion('');

function endpointOf(n: number) {
  const version = { ...VERSION, id: `endpoint:1.0/e${n}` };
  const address = { kind: 'endpoint', apiVersion: '1.0', name: `e${n}` } as const;
  const endpoint = {
    address,
    path: `/1.0/e${n}`,
    state: 'active' as const,
    methods: ['GET'],
    authenticate: false,
    moduleVersion: version,
    postedBy: null,
    postedAt: 0,
  };
  return { endpoint, params: {}, sub: [] } as const;
}

/** Calls of endpoints whose code ends like this. */
function countedCalls(result: InvocationResult) {
  const counts = new EndpointCounts();
  const calls = counts.around(
    createEndpointCalls({
      sandbox: { invoke: async () => result },
      modules: { log: () => undefined },
      capabilities: {
        perform() {
          throw new Error('no guest calls here');
        },
      },
      enabled: true,
    }),
  );
  const call = async (n: number) => {
    const accepted = calls.accept(endpointOf(n), { method: 'GET', path: '/', client: null } as never, true);
    const request = { method: 'GET', url: '/', headers: {}, body: { type: 'none', text: '' }, client: null };
    await calls.run(accepted, { ...request, ip: '', requestId: '' } as never).catch(() => undefined);
  };
  return { counts, call };
}

const OK: InvocationResult = { kind: 'response', status: 200, headers: [], body: '' };

describe('two thousand endpoints', () => {
  it('have a thousand labels and one for all others', async () => {
    const { counts, call } = countedCalls(OK);
    for (let n = 0; n < 2000; n += 1) {
      await call(n);
      counts.addCpu(`endpoint:1.0/e${n}`, 1000);
    }
    for (const series of [counts.readCalls(), counts.readCpu()]) {
      expect(series).toHaveLength(MAX_ENDPOINT_LABELS + 1);
      expect(series.find(({ labels }) => labels['endpoint'] === 'other')?.value).toBe(1000);
      expect(series[0]).toMatchObject({ labels: { endpoint: '1.0/e0' }, value: 1 });
    }
  });

  it('give a label up for others when they are no longer there', async () => {
    const { counts, call } = countedCalls(OK);
    for (let n = 0; n < MAX_ENDPOINT_LABELS; n += 1) await call(n);
    counts.prune(() => new Set(['endpoint:1.0/e5']));
    await call(5000);
    const endpoints = counts.readCalls().map(({ labels }) => labels['endpoint']);
    expect(endpoints).toEqual(['1.0/e5', '1.0/e5000']);
  });

  it('keep the numbers of one that was removed while there are labels left', async () => {
    const { counts, call } = countedCalls(OK);
    await call(1);
    counts.prune(() => new Set());
    expect(counts.readCalls()).toHaveLength(1);
  });
});

describe('the outcome of a call', () => {
  const failure = (code: InvocationErrorCode): InvocationResult => ({ kind: 'failure', code, message: '' });

  it.each<[string, InvocationResult]>([
    ['ok', OK],
    ['ok', { kind: 'next' }],
    ['error', { kind: 'next', error: { message: 'x', statusCode: 404 } }],
    ['error', failure('ENDPOINT_ERROR')],
    ['timeout', failure('ENDPOINT_TIMEOUT')],
    ['memory', failure('ENDPOINT_MEMORY')],
    ['crashed', failure('ENDPOINT_CRASHED')],
    ['busy', failure('ENDPOINT_BUSY')],
    ['suspended', failure('ENDPOINT_SUSPENDED')],
    ['rate_limited', failure('ENDPOINT_RATE_LIMITED')],
    ['response_too_large', failure('ENDPOINT_RESPONSE_TOO_LARGE')],
    ['disabled', failure('SANDBOX_DISABLED')],
  ])('is %s for the result %o', async (outcome, result) => {
    const { counts, call } = countedCalls(result);
    await call(1);
    expect(counts.readCalls()).toEqual([{ labels: { endpoint: '1.0/e1', outcome }, value: 1 }]);
  });
});
