import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { benchFor, fetchBench, fetchGrant, namesOf, serve } from './fetch/servers.ts';

test('fetch sends a covered request with the headers of its grant', async () => {
  const server = await serve((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    response.setHeader('x-list', ['1', '2']);
    response.end('{"ok":true}');
  });
  const grant = fetchGrant(server.origin, { headers: { authorization: 'secret:TOKEN' } });
  const { ask } = fetchBench([grant], {
    allow: [`127.0.0.1:${server.port}`],
    secrets: { TOKEN: 'Bearer s3cret' },
  });
  const answer = await ask({ url: `${server.origin}/v1/a?b=c#d`, headers: [['X-Own', '1']] });
  expect(answer).toMatchObject({ status: 200, body: '{"ok":true}', encoding: 'text' });
  expect(answer.headers).toEqual(
    expect.arrayContaining([
      ['content-type', 'application/json'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['x-list', '1, 2'],
    ]),
  );
  expect(JSON.stringify(answer)).not.toContain('s3cret');
  const [request] = server.requests;
  expect(request!.url).toBe('/v1/a?b=c');
  expect(request!.headers).toEqual({
    host: `127.0.0.1:${server.port}`,
    connection: 'close',
    'accept-encoding': 'gzip, br, zstd',
    'x-own': '1',
    authorization: 'Bearer s3cret',
  });
});

test('fetch sends bodies as text and as bytes', async () => {
  const server = await serve(async (request, response) => {
    response.end((await buffer(request)).toString('hex'));
  });
  const { ask } = benchFor(server);
  const post = async (rest: object) => (await ask({ url: server.origin, method: 'POST', ...rest })).body;
  expect(await post({ body: 'é' })).toBe('c3a9');
  expect(await post({ body: '/wA=', bodyEncoding: 'base64' })).toBe('ff00');
  expect(await post({})).toBe('');
  expect(server.requests.map(({ headers }) => headers['content-length'])).toEqual(['2', '2', '0']);
});

test('a fetched body that is not UTF-8 arrives as base64', async () => {
  const server = await serve((_request, response) => response.end(Buffer.from([0xff, 0xfe, 0x00])));
  expect(await benchFor(server).ask({ url: server.origin })).toMatchObject({
    body: '//4A',
    encoding: 'base64',
  });
});

test('fetch sends nothing without a grant and reports the rejection', async () => {
  const server = await serve((_request, response) => response.end());
  const { ask, refusals } = benchFor(server, { paths: ['/v1/'], methods: ['GET'] });
  const tries = [`${server.origin}/v2/`, `${server.origin}/v1/..%2f`, 'http://127.0.0.1:1/v1/'];
  for (const url of tries) expect(await ask({ url })).toBe('FETCH_REFUSED');
  expect(await ask({ url: `${server.origin}/v1/`, method: 'POST' })).toBe('FETCH_REFUSED');
  expect(refusals).toEqual([
    ...[server.origin, server.origin, 'http://127.0.0.1:1'].map((origin) => ({ origin, reason: 'grant' })),
    { origin: server.origin, reason: 'grant' },
  ]);
  expect(server.requests).toHaveLength(0);
});

/** This machine, its network and the metadata services of clouds, in the spellings that a URL allows. */
const PRIVATE_HOSTS = [
  ...['127.0.0.1', '127.1', '0x7f.1', '0x7f000001', '2130706433', '0177.0.0.1', '0.0.0.0', '127.0.0.1.'],
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[2002:7f00:1::]', '①②⑦.⓪.⓪.①'],
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    '10.0.0.1',
    '192.168.0.1',
    '172.16.0.1',
    '[fe80::1]',
    '[fd00::1]',
  ],
  ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '[::ffff:169.254.169.254]'],
  ...['[fd00:ec2::254]', '[64:ff9b::a9fe:a9fe]', '169.254.170.2', '100.100.100.200', '168.63.129.16'],
  'metadata.google.internal',
];

test.each(PRIVATE_HOSTS)(
  'a fetch grant for %s works only where the operator allows its host',
  async (host) => {
    const server = await serve((_request, response) => response.end());
    const { origin } = new URL(`http://${host}:${server.port}`);
    const names = namesOf({ localhost: ['127.0.0.1'], 'metadata.google.internal': ['169.254.169.254'] });
    const { ask, refusals } = fetchBench([fetchGrant(origin)], { names });
    expect(await ask({ url: `http://${host}:${server.port}/` })).toBe('FETCH_REFUSED');
    expect(refusals).toMatchObject([{ reason: 'address' }]);
    expect(server.requests).toHaveLength(0);
  },
);

test('fetch resolves a name once and connects to the checked address', async () => {
  const server = await serve((request, response) => response.end(request.headers.host));
  const other = await serve((_request, response) => response.end('the wrong server'));
  const answers = [['127.0.0.1'], ['127.0.0.2']];
  const asked: string[] = [];
  const find = async (name: string) => {
    asked.push(name);
    return (answers.shift() ?? []).map((address) => ({ address, family: 4 as const }));
  };
  const origin = `http://rebind.example.com:${server.port}`;
  const allow = [`127.0.0.1:${server.port}`, `127.0.0.1:${other.port}`];
  const { ask } = fetchBench([fetchGrant(origin)], { allow, names: { public: find, own: find } });
  expect((await ask({ url: origin })).body).toBe(`rebind.example.com:${server.port}`);
  expect(asked).toEqual(['rebind.example.com']);
  expect(await ask({ url: origin })).toBe('FETCH_REFUSED');
  expect(server.requests).toHaveLength(1);
});

test('fetch rejects a name with one private address among public ones', async () => {
  const server = await serve((_request, response) => response.end());
  const origin = `http://mixed.example.com:${server.port}`;
  for (const address of ['10.0.0.1', '169.254.169.254', 'fd00:ec2::254', '64:ff9b::7f00:1']) {
    const names = namesOf({ 'mixed.example.com': ['127.0.0.1', address] });
    const allow = [`127.0.0.1:${server.port}`];
    const { ask, refusals } = fetchBench([fetchGrant(origin)], { allow, names });
    expect(await ask({ url: origin })).toBe('FETCH_REFUSED');
    expect(refusals).toEqual([{ origin, reason: 'address' }]);
  }
  expect(server.requests).toHaveLength(0);
});

test('fetch rejects a grant whose secret is not set', async () => {
  const server = await serve((_request, response) => response.end());
  const { ask, refusals } = benchFor(server, { headers: { authorization: 'secret:NONE' } });
  expect(await ask({ url: server.origin })).toBe('FETCH_REFUSED');
  expect(refusals).toEqual([{ origin: server.origin, reason: 'secret' }]);
  expect(server.requests).toHaveLength(0);
});

test('fetch reads no body of HEAD, 204 and 304', async () => {
  const server = await serve((request, response) => {
    response.statusCode = Number(request.url?.slice(1));
    if (request.method === 'HEAD') response.setHeader('content-encoding', 'gzip');
    response.end();
  });
  const { ask } = benchFor(server, { methods: ['GET', 'HEAD'] });
  const url = (status: number) => `${server.origin}/${status}`;
  expect(await ask({ url: url(200), method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  for (const status of [204, 304]) {
    expect(await ask({ url: url(status) })).toMatchObject({ status, body: '' });
  }
});

test('fetch stops when the request ends before its name is resolved', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  const origin = 'http://slow.example.com';
  const names = { public: () => promise, own: () => promise };
  const { ask, failures } = fetchBench([fetchGrant(origin)], { names });
  const controller = new AbortController();
  const answer = ask({ url: origin }, controller.signal);
  controller.abort();
  expect(await answer).toBe('ABORTED');
  expect(await ask({ url: origin }, controller.signal)).toBe('ABORTED');
  reject(new Error('too late'));
  expect(failures).toEqual([]);
});

test('fetch waits for a silent name server no longer than its grant allows', async () => {
  const names = { public: () => new Promise<never>(() => undefined), own: async () => [] };
  const origin = 'http://slow.example.com';
  const { ask, failures } = fetchBench([fetchGrant(origin, { timeoutMs: 30 })], { names });
  expect(await ask({ url: origin })).toBe('FETCH_FAILED');
  expect(failures).toEqual([{ origin, reason: 'timeout' }]);
});
