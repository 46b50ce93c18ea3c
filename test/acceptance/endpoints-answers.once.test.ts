// What an endpoint answers, and what arrives: methods, status, bodies, headers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';
import { sendRaw } from '../helpers/server-process/client.ts';

let server: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer();
});

afterAll(() => server.close());

let made = 0;
const fresh = () => {
  made += 1;
  return `answering-${made}`;
};
const OPEN = 'module.exports.model = { settings: { authenticate: false } };';
const answering = (handler: string, policy?: Parameters<EndpointServer['endpoint']>[2]) =>
  server.endpoint(fresh(), `${OPEN} module.exports.get = ${handler};`, policy);

/** The answer of a handler. */
async function got(handler: string, policy?: Parameters<EndpointServer['endpoint']>[2]) {
  return server.get(await answering(handler, policy));
}

describe('methods', () => {
  const SOURCE = `
    module.exports.get = (req, res) => { res.setHeader('X-Method', req.method); res.end('from get'); };
    module.exports.patch = (req, res) => res.end('from patch');
  `;

  it('without a handler are 405 with Allow', async () => {
    const path = await server.endpoint(fresh(), SOURCE);
    for (const method of ['POST', 'PUT', 'DELETE', 'PROPFIND']) {
      const answer = await server.call(method, path);
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([
        method,
        405,
        'GET, PATCH, HEAD, OPTIONS',
      ]);
      expect(answer.body).toMatchObject({ statusCode: 405, success: false });
    }
    expect((await server.call('PATCH', path)).text).toBe('from patch');
  });

  it('HEAD runs `get`, sees itself, and drops the body', async () => {
    const path = await server.endpoint(fresh(), SOURCE);
    const head = await server.call('HEAD', path);
    expect([head.status, head.text, head.headers.get('x-method')]).toEqual([200, '', 'HEAD']);
    expect(head.headers.get('content-length')).toBe('8');
  });

  it('HEAD has a handler of its own where there is one', async () => {
    const own = "module.exports.head = (req, res) => { res.setHeader('X-Own', 'yes'); res.end(); };";
    const path = await server.endpoint(fresh(), SOURCE + own);
    expect((await server.call('HEAD', path)).headers.get('x-own')).toBe('yes');
  });

  it('OPTIONS without a handler is 204 with Allow, with one it is the code’s', async () => {
    const path = await server.endpoint(fresh(), SOURCE);
    const plain = await server.call('OPTIONS', path);
    expect([plain.status, plain.text, plain.headers.get('allow')]).toEqual([
      204,
      '',
      'GET, PATCH, HEAD, OPTIONS',
    ]);
    const own = "module.exports.options = (req, res) => res.end('own');";
    expect((await server.call('OPTIONS', await server.endpoint(fresh(), SOURCE + own))).text).toBe('own');
  });
});

describe('an answer', () => {
  it('is kept until `end`', async () => {
    const failing = await got("(req, res) => { res.write('half'); throw new Error('no'); }");
    expect([failing.status, failing.text.includes('half')]).toEqual([500, false]);
    const whole = await got("(req, res) => { res.write('a'); setTimeout(() => res.end('b'), 5); }");
    expect([whole.status, whole.text]).toEqual([200, 'ab']);
  });

  it('is the first one that the code ends', async () => {
    const twice = "(req, res) => { res.status(201).end('first'); res.status(500).end('second'); }";
    expect(await got(twice)).toMatchObject({ status: 201, text: 'first' });
    const late =
      "(req, res, next) => { res.end('first'); next(new Error('late')); throw new Error('late'); }";
    expect(await got(late)).toMatchObject({ status: 200, text: 'first' });
  });

  it('may be bytes', async () => {
    const path = await answering("(req, res) => { res.write('<'); res.end(new Uint8Array([0, 255, 128])); }");
    const bytes = new Uint8Array(await (await fetch(server.url + path)).arrayBuffer());
    expect([...bytes]).toEqual([60, 0, 255, 128]);
  });

  it.each([204, 304])('of status %i has no body', async (status) => {
    const path = await answering(`(req, res) => res.status(${status}).end('dropped')`);
    const raw = await sendRaw(server.url, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(raw).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(raw.split('\r\n\r\n')[1]).toBe('');
    expect(raw).not.toMatch(/^content-length: [1-9]/im);
  });

  it.each([
    [200, '', undefined],
    [599, '', undefined],
  ])('may have any status from 200: %i', async (status) => {
    expect((await got(`(req, res) => { res.statusCode = ${status}; res.end('x'); }`)).status).toBe(status);
  });

  it.each(['199', '600', '100', 'NaN', '200.5', '"abc"'])('of status %s is a RangeError', async (status) => {
    const handler = `(req, res) => { try { res.statusCode = ${status}; } catch (error) { res.end(error.name); } }`;
    expect((await got(handler)).text).toBe('RangeError');
  });

  it('json, send, type and redirect set their headers without a grant', async () => {
    const policy = { version: 1, grants: { response: { headers: [] } } };
    const type = async (handler: string) => (await got(handler, policy)).headers.get('content-type');
    expect(await type('(req, res) => res.json({ a: 1 })')).toBe('application/json; charset=utf-8');
    expect(await type("(req, res) => res.send('text')")).toBe('text/html; charset=utf-8');
    expect(await type('(req, res) => res.send(new Uint8Array(1))')).toBe('application/octet-stream');
    expect(await type('(req, res) => res.send({})')).toBe('application/json; charset=utf-8');
    expect(await type("(req, res) => res.type('csv').end('a')")).toBe('text/csv; charset=utf-8');
    const redirect = await got("(req, res) => res.redirect('/elsewhere?a=ä')", policy);
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, '/elsewhere?a=%C3%A4']);
    expect((await got("(req, res) => res.redirect(307, '/b')", policy)).status).toBe(307);
  });
});

describe('headers of an answer', () => {
  const DEFAULT = [
    ...['content-type', 'content-language', 'content-disposition', 'cache-control', 'etag'],
    ...['last-modified', 'expires', 'location', 'vary', 'x-shop', 'x-a-b'],
  ];
  const setting = (names: readonly string[]) =>
    `(req, res) => { for (const name of ${JSON.stringify(names)}) res.setHeader(name, 'text/x-own'); res.end(); }`;

  it('with an empty policy are those of the default list', async () => {
    const path = await answering(setting(DEFAULT));
    const { headers } = await server.get(path);
    for (const name of DEFAULT) expect([name, headers.get(name)]).toEqual([name, 'text/x-own']);
  });

  const BY_NAME = [
    ...['set-cookie', 'access-control-allow-origin', 'x-content-type-options', 'x-frame-options'],
    ...['content-security-policy', 'access-control-max-age'],
  ];
  const NEVER_BY_DEFAULT = [
    ...['x-accel-redirect', 'x-sendfile', 'x-lighttpd-send-file', 'x-reproxy-url', 'x-forwarded-for'],
    ...['x-cache', 'strict-transport-security', 'server', 'link', 'refresh', 'www-authenticate'],
  ];

  it('with an empty policy are no others, and one record of the log says so', async () => {
    const names = [...BY_NAME, ...NEVER_BY_DEFAULT];
    const name = fresh();
    const path = await server.endpoint(name, `module.exports.get = ${setting(names)};`);
    const { status, headers } = await server.get(path);
    expect(status).toBe(200);
    for (const header of names) expect([header, headers.get(header)]).not.toEqual([header, 'text/x-own']);
    const records = await server.logs(name);
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({ level: 'warn', message: expect.stringContaining('set-cookie') });
  });

  it('with authority of their own are granted by exact name only', async () => {
    const grant = (headers: readonly string[]) => ({
      version: 1,
      grants: { response: { headers: [...headers] } },
    });
    const exact = await server.get(await answering(setting(BY_NAME), grant(BY_NAME)));
    for (const name of BY_NAME) expect([name, exact.headers.get(name)]).toEqual([name, 'text/x-own']);
    const odd = ['x-cache', 'x-frame-options', 'x-content-type-options', 'x-accel-redirect', 'x-sendfile'];
    const pattern = await server.get(await answering(setting([...odd, 'x-plain']), grant(['x-*'])));
    for (const name of odd) expect([name, pattern.headers.get(name)]).not.toEqual([name, 'text/x-own']);
    expect(pattern.headers.get('x-plain')).toBe('text/x-own');
  });

  it('a list in the policy replaces the default one', async () => {
    const policy = { version: 1, grants: { response: { headers: ['x-one'] } } };
    const { headers } = await server.get(await answering(setting(['x-one', 'etag', 'x-two']), policy));
    expect([headers.get('x-one'), headers.get('x-two')]).toEqual(['text/x-own', null]);
    expect(headers.get('etag')).not.toBe('text/x-own');
  });

  it.each(['connection', 'content-length', 'transfer-encoding', 'keep-alive', 'trailer', 'upgrade', 'te'])(
    '%s frames the message, and is never granted',
    async (name) => {
      const put = await server.putPolicy('answering-1', {
        version: 1,
        grants: { response: { headers: [name] } },
      });
      expect([put.status, put.body.errors[0].code, put.body.errors[0].field]).toEqual([
        400,
        'POLICY_INVALID',
        'grants.response.headers.0',
      ]);
      const { status, text } = await got(
        `(req, res) => { res.setHeader('${name}', '5'); res.end('whole body'); }`,
      );
      expect([status, text]).toEqual([200, 'whole body']);
    },
  );

  it('fence it in, unless a granted header says otherwise', async () => {
    const answers = [await got('(req, res) => res.end()'), await got('() => { throw 1; }')];
    expect(answers[0]?.headers.get('content-security-policy')).toBe('sandbox');
    for (const { headers } of answers) expect(headers.get('x-content-type-options')).toBe('nosniff');
    const policy = {
      version: 1,
      grants: { response: { headers: ['content-security-policy', 'x-content-type-options'] } },
    };
    const free = await got(
      "(req, res) => { res.set({ 'Content-Security-Policy': \"default-src 'self'\", 'X-Content-Type-Options': 'other' }); res.end(); }",
      policy,
    );
    expect(free.headers.get('content-security-policy')).toBe("default-src 'self'");
    expect(free.headers.get('x-content-type-options')).toBe('other');
    const granted = await got('(req, res) => res.end()', policy);
    expect(granted.headers.get('content-security-policy')).toBe('sandbox');
    expect(granted.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['a space in its name', "'a b', 'c'"],
    ['an empty name', "'', 'c'"],
    ['a colon in its name', "'a:', 'c'"],
    ['a line break', "'x-a', 'a\\r\\nset-cookie: b'"],
    ['a line feed alone', "'x-a', 'a\\nb'"],
    ['NUL', "'x-a', 'a\\0'"],
    ['a character whose low byte is a line feed', "'x-a', 'a\\u010ab'"],
    ['undefined', "'x-a', undefined"],
  ])('with %s throw a TypeError', async (_title, args) => {
    const handler = `(req, res) => { try { res.setHeader(${args}); res.end('taken'); } catch (error) { res.end(error.name); } }`;
    expect((await got(handler)).text).toBe('TypeError');
  });

  it('with several values are sent whole, cookies apart', async () => {
    const handler = `(req, res) => {
      res.setHeader('Vary', ['accept', 'accept-language']);
      res.setHeader('Set-Cookie', ['a=1', 'b=2']);
      res.end();
    }`;
    const policy = { version: 1, grants: { response: { headers: ['vary', 'set-cookie'] } } };
    const { headers } = await got(handler, policy);
    expect(headers.get('vary')).toBe('accept, accept-language');
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  it('more than fifty, or 16 KB, are an exception', async () => {
    const many = "(req, res) => { for (let n = 0; n < 51; n += 1) res.setHeader('x-' + n, '1'); res.end(); }";
    expect((await got(many)).status).toBe(500);
    expect(
      (await got("(req, res) => { res.setHeader('x-long', 'a'.repeat(17000)); res.end(); }")).status,
    ).toBe(500);
  });
});

it('with CORS on, what the server varies by stays beside what the code says', async () => {
  const open = await startEndpointServer({ config: { cors: true } });
  try {
    const source = "module.exports.get = (req, res) => { res.setHeader('Vary', 'accept'); res.end(); };";
    const path = await open.endpoint('varying', source);
    const { headers } = await open.get(path, { headers: { origin: 'https://site.example' } });
    expect(headers.get('access-control-allow-origin')).toBe('https://site.example');
    expect(headers.get('vary')?.toLowerCase().split(', ').sort()).toEqual(['accept', 'origin']);
  } finally {
    await open.close();
  }
});
