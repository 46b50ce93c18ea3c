// Images that are asked for by their plain path with a query string, the folder of what is no image, and the status of what is
// missing.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openDelivery, startDelivery } from '../helpers/app/delivery.ts';

const photo = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#36c' } })
  .jpeg()
  .toBuffer();
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const RECIPE = { settings: { allowOverride: ['width', 'quality', 'format'] } };

function write(root: string, files: Readonly<Record<string, string | Buffer>>) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

describe('the recipe of plain images', () => {
  let site: Awaited<ReturnType<typeof openDelivery>>;
  beforeAll(async () => {
    site = await openDelivery({
      files: {
        'a.jpg': photo,
        'deep/b.jpg': photo,
        'no-extension': photo,
        'a.svg': SVG,
        'a.txt': 'text',
        'broken.jpg': 'x'.repeat(100),
      },
      recipes: { plain: RECIPE, small: { settings: { width: 10 } } },
      config: { delivery: { plainRecipe: 'plain' } },
    });
  });
  afterAll(() => site.close());
  const get = (path: string) => site.inject('GET', path);

  it.each(['/a.jpg?w=20&format=png', '/deep/b.jpg?w=20&format=png', '/no-extension?w=20&format=png'])(
    'applies to %s',
    async (path) => {
      const { status, headers } = await get(path);
      expect([status, headers['content-type'], headers['x-cache']]).toEqual([200, 'image/png', 'MISS']);
      const named = await get(`/plain${path}`);
      expect([named.headers['etag'], named.headers['x-cache']]).toEqual([headers['etag'], 'HIT']);
      const { etag } = headers;
      const again = await site.inject('GET', path, { headers: { 'if-none-match': `${etag}` } });
      expect(again.status).toBe(304);
    },
  );

  it.each(['/a.jpg', '/a.jpg?', '/a.jpg?v=3', '/a.jpg?w=', '/a.jpg?w=0'])(
    'leaves %s as it is: there is nothing to change',
    async (path) => {
      const { status, headers } = await get(path);
      expect([status, headers['content-length'], headers['x-cache']]).toEqual([
        200,
        String(photo.length),
        undefined,
      ]);
    },
  );

  it('does not apply to what is no image, nor where the path names a recipe', async () => {
    expect((await get('/a.svg?w=20')).text).toBe(SVG);
    expect((await get('/a.txt?w=20')).text).toBe('text');
    expect((await get('/small/a.jpg?format=json')).headers['content-type']).toBe('image/jpeg');
  });

  it('refuses what the recipe refuses, and asks no other server that the path names', async () => {
    expect((await get('/a.jpg?w=-1')).status).toBe(400);
    expect((await get('/broken.jpg?w=5')).status).toBe(400);
    expect((await get('/missing.jpg?w=5')).status).toBe(404);
    expect((await get('/https://127.0.0.1/a.jpg?w=5')).status).toBe(404);
  });

  it('gives images that a flush of their plain path forgets', async () => {
    const cached = async () => (await get('/a.jpg?w=7')).headers['x-cache'];
    await cached();
    for (const pattern of ['/a.jpg', '/a.jpg?w=7', '/a*', '*', '/plain/a.jpg']) {
      expect(await cached()).toBe('HIT');
      expect((await site.asAdmin('POST', '/api/flush', { pattern })).status).toBe(200);
      expect([pattern, await cached()]).toEqual([pattern, 'MISS']);
    }
    await site.asAdmin('POST', '/api/flush', { pattern: '/a.jpg?w=8' });
    expect(await cached()).toBe('HIT');
  });
});

it('a recipe of plain images takes them from where its path says, as if it were named', async () => {
  const asked: string[] = [];
  const origin = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(photo);
  });
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void origin.close());
  const address = `http://127.0.0.1:${(origin.address() as AddressInfo).port}`;
  const site = await startDelivery({
    files: { 'no-extension': 'here' },
    recipes: { plain: { ...RECIPE, path: `${address}/pictures` } },
    config: {
      delivery: { plainRecipe: 'plain' },
      images: {
        directory: { enabled: true },
        remote: { enabled: true, allow: [address], allowPrivateAddresses: true },
      },
    },
  });
  const { status, headers } = await site.inject('GET', '/a.jpg?w=5&format=png');
  expect([status, headers['content-type']]).toEqual([200, 'image/png']);
  expect((await site.inject('GET', '/a.css?v=5')).status).toBe(404);
  expect((await site.inject('GET', '/no-extension?v=5')).text).toBe('here');
  expect(new Set(asked)).toEqual(new Set(['/pictures/a.jpg']));
});

it('a recipe of plain images that is not there changes nothing, and the log says so', async () => {
  const log: string[] = [];
  const site = await startDelivery({
    files: { 'a.jpg': photo },
    recipes: { scripts: { settings: { format: 'js' } } },
    config: { delivery: { plainRecipe: 'scripts' } },
    log,
  });
  expect((await site.inject('GET', '/a.jpg?w=5')).headers['content-length']).toBe(String(photo.length));
  expect(log.join('')).toContain('delivery.plainRecipe names no recipe of images');
});

describe('the folder of what is no image', () => {
  it('is asked first, for files that are no pictures by their names, and is as closed as that of images', async () => {
    const site = await startDelivery({
      files: { 'both.css': 'of images', 'only.css': 'of images', 'a.jpg': photo },
      recipes: { scripts: { settings: { format: 'css' } } },
      config: { assets: { directory: { enabled: true } } },
    });
    const root = join(site.cwd, 'public');
    write(root, { 'both.css': 'of assets', 'deep/a.js': 'script', 'favicon.ico': 'icon', 'b.jpg': photo });
    write(root, { '.hidden/a.css': 'hidden', '.env.txt': 'hidden' });
    writeFileSync(join(site.cwd, 'secret.txt'), 'secret');
    symlinkSync(join(site.cwd, 'secret.txt'), join(root, 'link.txt'));
    symlinkSync(site.cwd, join(root, 'way'));
    const get = async (path: string) => {
      const { status, text } = await site.inject('GET', path);
      return status === 200 ? text : status;
    };
    expect(await get('/both.css')).toBe('of assets');
    expect(await get('/scripts/both.css')).toBe('of assets');
    expect(await get('/only.css')).toBe('of images');
    expect(await get('/deep/a.js')).toBe('script');
    expect(await get('/favicon.ico')).toBe('icon');
    for (const path of [
      ...['/b.jpg', '/link.txt', '/way/secret.txt', '/.hidden/a.css', '/.env.txt', '/deep', '/deep/', '/'],
      ...['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/deep/..%5c..%5csecret.txt'],
      ...['/x%00.css', `/${'a/'.repeat(2000)}a.css`],
    ]) {
      expect([path, await get(path)]).toEqual([path, 404]);
    }
  });
});

describe('notFound.statusCode', () => {
  it.each([
    [410, false, 410],
    [410, true, 410],
    [200, false, 404],
    [200, true, 200],
  ])('%i is that of a missing image (stand-in: %s): %i', async (statusCode, enabled, status) => {
    const site = await startDelivery({
      recipes: { small: { settings: { width: 5 } } },
      config: { notFound: { statusCode, images: { enabled, path: 'images/none.jpg' } } },
      files: { 'none.jpg': photo },
    });
    for (const path of ['/missing.jpg', '/small/missing.jpg']) {
      const answer = await site.inject('GET', path);
      expect([path, answer.status, answer.headers['cache-control']]).toEqual([path, status, 'no-store']);
      if (!enabled) expect(answer.body).toEqual({ success: false, errors: ['File not found'] });
    }
    expect((await site.inject('GET', '/missing.css')).status).toBe(404);
    const preview = { original: 'missing.jpg', settings: { width: 5 } };
    expect((await site.asAdmin('POST', '/api/recipes/preview', preview)).status).toBe(404);
  });
});
