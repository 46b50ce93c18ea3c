// A phone and a laptop behind one address and one caching proxy never see each other's variant.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { startDelivery } from '../helpers/app/delivery.ts';

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1';
const LAPTOP =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.0 Safari/605.1.15';

interface Kept {
  readonly vary: readonly string[];
  readonly request: IncomingHttpHeaders;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

const FORWARDED = ['user-agent', 'accept', 'accept-language', 'accept-encoding'] as const;

/** A proxy that keeps what is public, by `Vary`, as RFC 9111 says, and adds the address of its client. */
async function startProxy(origin: string): Promise<string> {
  const kept = new Map<string, Kept[]>();
  const server = createServer(async (request, response) => {
    const url = request.url ?? '';
    const fits = ({ vary, request: before }: Kept) =>
      vary.every((name) => before[name] === request.headers[name]);
    let answer = kept.get(url)?.find(fits);
    const age = answer === undefined ? 'miss' : 'hit';
    if (answer === undefined) {
      const sent = new Headers({
        'x-forwarded-for': request.headers['x-client']?.toString() ?? '203.0.113.7',
      });
      for (const name of FORWARDED) sent.set(name, request.headers[name]?.toString() ?? '');
      const got = await fetch(origin + url, { headers: sent });
      const vary = (got.headers.get('vary') ?? '').toLowerCase().split(/,\s*/).filter(Boolean);
      const body = Buffer.from(await got.arrayBuffer());
      answer = { vary, request: request.headers, status: got.status, headers: got.headers, body };
      const control = got.headers.get('cache-control') ?? '';
      if (control.includes('public')) kept.set(url, [...(kept.get(url) ?? []), answer]);
    }
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? '',
      'x-proxy': age,
    });
    response.end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startSite(branches: readonly object[]) {
  const photo = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#36c' } })
    .jpeg()
    .toBuffer();
  const { app } = await startDelivery({
    files: { 'a.jpg': photo },
    recipes: {
      'for-phones': { settings: { width: 100, format: 'auto' } },
      'for-laptops': { settings: { width: 200, format: 'auto' } },
    },
    routes: { 'home-route': { branches: branches as never } },
    config: { server: { trustProxy: 1 } },
  });
  const { url } = await app.app.listenDelivery();
  const proxy = await startProxy(url);
  const see = async (userAgent: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${proxy}/home-route/a.jpg`, {
      headers: { 'user-agent': userAgent, ...headers },
    });
    const { width, format } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
    return { width, format, proxy: answer.headers.get('x-proxy') };
  };
  return see;
}

test('a phone and a laptop get their own variants from one cache, each time', async () => {
  const see = await startSite([
    { condition: { device: 'mobile' }, recipe: 'for-phones' },
    { recipe: 'for-laptops' },
  ]);
  expect(await see(PHONE)).toMatchObject({ width: 100, proxy: 'miss' });
  expect(await see(LAPTOP)).toMatchObject({ width: 200, proxy: 'miss' });
  for (let round = 0; round < 3; round += 1) {
    expect(await see(PHONE)).toMatchObject({ width: 100, proxy: 'hit' });
    expect(await see(LAPTOP)).toMatchObject({ width: 200, proxy: 'hit' });
  }
});

test('browsers that take other formats and languages get their own variants from one cache', async () => {
  const see = await startSite([
    { condition: { language: 'fr' }, recipe: 'for-phones' },
    { recipe: 'for-laptops' },
  ]);
  const seen = [];
  for (const accept of ['image/webp', 'image/avif,image/webp', '*/*', 'image/webp']) {
    for (const language of ['fr', 'en']) {
      seen.push(await see(LAPTOP, { accept, 'accept-language': language }));
    }
  }
  expect(seen.map(({ width, format }) => `${width} ${format}`)).toEqual([
    ...['100 webp', '200 webp', '100 heif', '200 heif', '100 jpeg', '200 jpeg', '100 webp', '200 webp'],
  ]);
  expect(seen.map(({ proxy }) => proxy).slice(-2)).toEqual(['hit', 'hit']);
});

test('where the country decides, no shared cache keeps the answer', async () => {
  const see = await startSite([
    { condition: { country: 'GB' }, recipe: 'for-phones' },
    { recipe: 'for-laptops' },
  ]);
  const seen = [];
  for (const client of ['81.2.69.160', '8.8.8.8', '81.2.69.160'])
    seen.push(await see(LAPTOP, { 'x-client': client }));
  expect(seen.map(({ width, proxy }) => [width, proxy])).toEqual([
    [100, 'miss'],
    [200, 'miss'],
    [100, 'miss'],
  ]);
});
