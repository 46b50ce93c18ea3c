// Originals of other servers come from the origins that the operator lists, at public addresses, also behind redirects.
import { describe, expect, test } from 'vitest';
import { namesAt, remoteSource, serveOriginals } from '../delivery/sources/servers.ts';
import { startDelivery } from '../helpers/app/delivery.ts';

const REFUSED = { code: 'ORIGIN_REFUSED', status: 403 };

const PRIVATE = [
  ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '0.0.0.0', '100.64.0.1'],
  ...['168.63.129.16', '192.0.0.170', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...['::1', '::', 'fe80::1', 'fc00::1', 'fd00:ec2::254', '::ffff:127.0.0.1', '::ffff:169.254.169.254'],
  ...['64:ff9b::7f00:1', '2002:7f00:1::', '2001:0:1::1', '::127.0.0.1', 'ff02::1'],
];

describe('an address that is not public', () => {
  test.each(PRIVATE)('%s is refused, as a name that leads there and by itself', async (address) => {
    const host = address.includes(':') ? `[${address}]` : address;
    const allow = ['https://images.test', `http://${host}`];
    const source = remoteSource({ allow, allowPrivateAddresses: false, names: namesAt(address) });
    await expect(source.find(new URL('https://images.test/a.jpg'))).rejects.toMatchObject(REFUSED);
    await expect(source.find(new URL(`http://${host}/a.jpg`))).rejects.toMatchObject(REFUSED);
  });

  test.each([
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://①②⑦.0.0.1/',
  ])('is seen behind the notation %s', async (url) => {
    const source = remoteSource({ allow: ['http://127.0.0.1'], allowPrivateAddresses: false });
    await expect(source.find(new URL(url))).rejects.toMatchObject(REFUSED);
  });

  test('among several of one name is enough to refuse the name', async () => {
    const names = namesAt('93.184.215.14', '10.0.0.1');
    const source = remoteSource({ allow: ['https://images.test'], allowPrivateAddresses: false, names });
    await expect(source.find(new URL('https://images.test/a'))).rejects.toMatchObject(REFUSED);
  });
});

describe('an origin that is not listed', () => {
  const source = remoteSource({ allow: ['https://images.test', 'http://plain.test:8080'] });

  test.each([
    ...['http://images.test/a', 'https://images.test:8443/a', 'https://images.test.evil.test/a'],
    ...['https://evil.test/a', 'https://user@images.test/a', 'https://images.test:pw@evil.test/a'],
    ...['https://images.test@evil.test/', 'http://plain.test/a', 'ftp://images.test/a', 'file:///etc/passwd'],
    ...['https://evil.test/https://images.test/a', 'https://images.test%2eevil.test/a'],
  ])('%s is refused before any name is looked up', async (url) => {
    const names = namesAt('127.0.0.1');
    const own = remoteSource({ allow: ['https://images.test', 'http://plain.test:8080'], names });
    await expect(own.find(new URL(url))).rejects.toMatchObject(REFUSED);
    expect(names.asked).toEqual([]);
  });

  test('is the same origin with a dot behind its name or in capitals', async () => {
    await expect(source.find(new URL('HTTPS://IMAGES.TEST./a'))).rejects.not.toMatchObject(REFUSED);
  });
});

describe('a redirect', () => {
  test.each([
    ['to a private address', 'http://10.0.0.1/'],
    ['to another origin', 'http://evil.test/'],
    ['to another port', 'http://images.test:1/'],
    ['to another scheme', 'file:///etc/passwd'],
    ['with credentials', 'http://user:pw@images.test/'],
    ['to no URL', 'http://[/'],
  ])('%s is not followed', async (_what, location) => {
    const port = await serveOriginals((_request, response) => response.writeHead(302, { location }).end());
    const source = remoteSource({ allow: [`http://images.test:${port}`, 'http://10.0.0.2'] });
    await expect(source.find(new URL(`http://images.test:${port}/a`))).rejects.toMatchObject(REFUSED);
  });

  test('within the list is a new request: its name is looked up, and its address is checked', async () => {
    const port = await serveOriginals((request, response) => {
      const isFirst = request.headers.host === `images.test:${port}`;
      if (isFirst) response.writeHead(302, { location: `http://other.test:${port}/b` }).end();
      else response.writeHead(200).end();
    });
    const allow = [`http://images.test:${port}`, `http://other.test:${port}`];
    const names = namesAt('127.0.0.1');
    expect(await remoteSource({ allow, names }).find(new URL(`${allow[0]}/a`))).toBeDefined();
    expect(names.asked).toEqual(['images.test', 'other.test']);
  });
});

describe('over HTTP', () => {
  const recipes = { thumbs: { settings: { width: 10 } } };

  test('a listed origin at a private address is refused, without a word about what is there', async () => {
    let requests = 0;
    const port = await serveOriginals((_request, response) => {
      requests += 1;
      response.end('inner');
    });
    const allow = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
    const images = { remote: { enabled: true, allow } };
    const { inject } = await startDelivery({ recipes, config: { images } });
    const texts = new Set<string>();
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:7f00:1]', 'evil.test']) {
      const answer = await inject('GET', `/thumbs/http://${host}:${port}/a.jpg`);
      // A name that only this machine knows is not found by the name servers, which is no refusal.
      expect([403, 502]).toContain(answer.status);
      if (answer.status === 403) texts.add(answer.text);
    }
    expect(texts.size).toBe(1);
    expect(requests).toBe(0);
  });

  test('an operator may open private addresses, and nothing else opens with them', async () => {
    const port = await serveOriginals((request, response) => {
      if (request.url === '/away')
        response.writeHead(302, { location: `http://localhost:${port}/b.css` }).end();
      else response.writeHead(200, { 'content-type': 'text/css' }).end('inner');
    });
    const remote = { enabled: true, allow: [`http://127.0.0.1:${port}`], allowPrivateAddresses: true };
    const { inject } = await startDelivery({ recipes, config: { images: { remote } } });
    expect((await inject('GET', `/thumbs/http://127.0.0.1:${port}/a.css`)).text).toBe('inner');
    expect((await inject('GET', `/thumbs/http://127.0.0.1:${port}/away`)).status).toBe(403);
    expect((await inject('GET', `/http://127.0.0.1:${port}/a.css`)).status).toBe(404);
  });

  test('without the switch no other server is asked', async () => {
    const { inject } = await startDelivery({ recipes });
    expect((await inject('GET', '/thumbs/https://example.com/a.jpg')).status).toBe(403);
  });
});
