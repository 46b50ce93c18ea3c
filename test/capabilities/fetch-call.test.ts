import { expect, test } from 'vitest';
import type { EgressResponse } from '../../src/capabilities/egress.ts';
import { createFetchCall, createFetchLimiter } from '../../src/capabilities/fetch-call.ts';
import type { OutgoingRequest } from '../../src/lib/egress/http-request.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { benchFor, fetchBench, fetchGrant, serve } from './fetch/servers.ts';
import { unitWith } from './module.ts';

const URL_ = 'http://127.0.0.1:1/';

/** A fetch whose egress answers as the test wants, and remembers what was sent. */
function bench(egress: () => Promise<EgressResponse>) {
  const sent: OutgoingRequest[] = [];
  const noted: object[] = [];
  const call = createFetchCall({
    egress: (_grants, outgoing) => {
      sent.push(outgoing);
      return egress();
    },
    now: () => 0,
    onRejected: (event) => void noted.push(event),
    onFailure: (event) => void noted.push(event),
  });
  const ask = (args: JsonObject) =>
    call(args, { moduleVersion: unitWith({}), client: null, requestId: 'r1' }, new AbortController().signal);
  return { ask, sent, noted };
}

const empty = async (): Promise<EgressResponse> => ({ status: 200, headers: [], body: Buffer.alloc(0) });

test('fetch parses the arguments of the guest', async () => {
  const { ask, sent } = bench(empty);
  await ask({ url: `${URL_}a`, method: 'put', headers: [['X-A', ' b ']], body: '\u00e9' });
  await ask({ url: URL_, method: null, headers: null, body: null, bodyEncoding: 'text' });
  expect(sent).toEqual([
    { url: new URL(`${URL_}a`), method: 'PUT', headers: [['x-a', 'b']], body: Buffer.from('é') },
    { url: new URL(URL_), method: 'GET', headers: [], body: undefined },
  ]);
});

test.each([
  ['a method that is no text', { method: 1 }],
  ['a method that is no word', { method: 'GET /\r\nx' }],
  ['an empty method', { method: '' }],
  ['headers that are an object', { headers: { a: 'b' } }],
  ['a header of one', { headers: [['a']] }],
  ['a header of three', { headers: [['a', 'b', 'c']] }],
  ['a header that is no text', { headers: [['a', 1]] }],
  ['a body that is no text', { method: 'POST', body: { a: 1 } }],
  ['a body that is no base64', { method: 'POST', body: '*', bodyEncoding: 'base64' }],
  ['a GET with a body', { body: 'x' }],
  ['a HEAD with a body', { method: 'HEAD', body: '' }],
])('fetch rejects %s as a bad argument', async (_name, args) => {
  const { ask, sent } = bench(empty);
  await expect(ask({ url: URL_, ...args } as never)).rejects.toMatchObject({ code: 'BAD_ARGUMENTS' });
  expect(sent).toEqual([]);
});

test.each([
  ['no URL', {}, '', 'url'],
  ['a URL that is no text', { url: ['http://a'] }, '', 'url'],
  ['a relative URL', { url: '/v1/' }, '', 'url'],
  ['a URL that is too long', { url: `http://a/${'x'.repeat(9000)}` }, '', 'url'],
  ['CONNECT', { url: URL_, method: 'connect' }, 'http://127.0.0.1:1', 'method'],
  ['TRACE', { url: URL_, method: 'TRACE' }, 'http://127.0.0.1:1', 'method'],
  ['a header of the server', { url: URL_, headers: [['host', 'x']] }, 'http://127.0.0.1:1', 'header'],
])('fetch rejects %s without a reason for the guest', async (_name, args, origin, reason) => {
  const { ask, sent, noted } = bench(empty);
  await expect(ask(args as never)).rejects.toMatchObject({
    code: 'FETCH_REFUSED',
    message: 'The policy of this module does not allow this request',
  });
  expect(sent).toEqual([]);
  expect(noted).toEqual([
    {
      moduleVersion: expect.objectContaining({ id: 'endpoint:1.0/report' }),
      requestId: 'r1',
      origin,
      reason,
    },
  ]);
});

test('fetch limits the requests of one module at a time', async () => {
  const { promise, resolve } = Promise.withResolvers<EgressResponse>();
  const { ask, noted } = bench(() => promise);
  const asked = Array.from({ length: 64 }, () => ask({ url: URL_ }));
  await expect(ask({ url: URL_ })).rejects.toMatchObject({ code: 'FETCH_REFUSED' });
  expect(noted).toMatchObject([{ reason: 'concurrency' }]);
  resolve(await empty());
  await Promise.all(asked);
  expect(JSON.parse(await ask({ url: URL_ }))).toEqual({
    status: 200,
    headers: [],
    body: '',
    encoding: 'text',
  });
});

test('a failed fetch frees its place', async () => {
  const server = await serve((request) => request.socket.destroy());
  const { ask, failures } = benchFor(server);
  const all = async () => Promise.all(Array.from({ length: 60 }, () => ask({ url: server.origin })));
  expect(new Set([...(await all()), ...(await all())])).toEqual(new Set(['FETCH_FAILED']));
  expect(failures).toHaveLength(120);
});

test('an internal error of fetch is not reported as FETCH_FAILED', async () => {
  const { ask } = bench(() => Promise.reject(new TypeError('defect')));
  await expect(ask({ url: URL_ })).rejects.toThrow(TypeError);
});

test('fetch handles odd hosts in grants and redirects', async () => {
  const { ask } = fetchBench([fetchGrant('http://'), fetchGrant('')]);
  for (const url of [
    'http://a_b/',
    'http://xn--/',
    'http://[::]/',
    'http://a..b/',
    'http://%00/',
    'about:blank',
  ]) {
    expect(await ask({ url })).toBe('FETCH_REFUSED');
  }
});

const times = (count: number, act: () => void) => {
  for (let index = 0; index < count; index += 1) act();
};

test('the fetch limiter allows 64 fetches at a time per module', () => {
  const meter = createFetchLimiter(() => 0);
  times(64, () => expect(meter.acquire('a')).toBeUndefined());
  expect(meter.acquire('a')).toBe('concurrency');
  expect(meter.acquire('b')).toBeUndefined();
  meter.release('a');
  expect(meter.acquire('a')).toBeUndefined();
});

test('the fetch limiter allows 12,000 fetches a minute', () => {
  let time = 0;
  const meter = createFetchLimiter(() => time);
  const once = () => {
    const refused = meter.acquire('a');
    if (refused === undefined) meter.release('a');
    return refused;
  };
  times(12_000, () => expect(once()).toBeUndefined());
  time = 59_999;
  expect(once()).toBe('rate');
  time = 60_000;
  expect(once()).toBeUndefined();
});

test('the fetch limiter still counts fetches in flight after a minute', () => {
  let time = 0;
  const meter = createFetchLimiter(() => time);
  times(64, () => meter.acquire('a'));
  time = 61_000;
  expect(meter.acquire('a')).toBe('concurrency');
  times(64, () => meter.release('a'));
  times(64, () => expect(meter.acquire('a')).toBeUndefined());
  expect(meter.acquire('a')).toBe('concurrency');
});
