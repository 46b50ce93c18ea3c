import { writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp } from '../helpers/app/app.ts';
import { answerJson, lookupService, startDelivery } from '../helpers/app/delivery.ts';
import { FORM_TYPE, formOf } from '../helpers/app/media-server.ts';
import { hasRedis, startRedis } from '../helpers/store/redis-and-s3.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';

test('files come from the folder first, then from the media store by the path of their record', async () => {
  const specs = { '1.0/library/photos': { fields: {}, settings: { type: 'media', authenticate: ['POST'] } } };
  const config = { media: { pathFormat: 'none' } };
  const files = { '1.0/library/photos/a.txt': 'folder a.txt' };
  const { app, inject } = await startDelivery({ files, specs, config });
  for (const name of ['a.txt', 'b.txt']) {
    const body = formOf([{ fileName: name, type: 'text/plain', body: `media ${name}` }]).toString();
    const headers = { 'content-type': FORM_TYPE };
    expect((await app.inject('POST', '/1.0/library/photos', { body, headers })).status).toBe(201);
  }
  expect((await inject('GET', '/1.0/library/photos/a.txt')).text).toBe('folder a.txt');
  expect((await inject('GET', '/1.0/library/photos/b.txt')).text).toBe('media b.txt');
  expect((await inject('GET', '/.uploads/x')).status).toBe(404);
});

test('the log names media collections whose files are not delivered', async () => {
  const media = { fields: {}, settings: { type: 'media' } };
  const specs = { '1.0/library/private': media, '1.0/library/notes': { fields: {}, settings: {} } };
  const named = async (config: JsonObject) => {
    const log: string[] = [];
    await startDelivery({ specs, config, log });
    return log.filter((line) => line.includes('are not delivered')).join();
  };
  expect(await named({})).toContain('"collections":["/1.0/library/private"]');
  expect(await named({ media: { public: true } })).toBe('');
  expect(await named({ images: { media: { enabled: false } } })).toBe('');
});

test('an image is rendered by its recipe, at the second time from the cache', async () => {
  const photo = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#c33' } })
    .png()
    .toBuffer();
  const recipes = { thumbs: { settings: { width: 20, format: 'webp' } } };
  const { inject } = await startDelivery({ files: { 'a.png': photo }, recipes });
  const first = await inject('GET', '/thumbs/a.png');
  expect(first).toMatchObject({ status: 200, headers: { 'content-type': 'image/webp', 'x-cache': 'MISS' } });
  const again = await inject('GET', '/thumbs/a.png');
  expect(again.headers).toMatchObject({ 'x-cache': 'HIT', etag: first.headers['etag'] });
  const fresh = await inject('GET', '/thumbs/a.png', {
    headers: { 'if-none-match': String(first.headers['etag']) },
  });
  expect(fresh.status).toBe(304);
});

test('routes and recipes that are edited by hand are in force', async () => {
  const { inject, cwd } = await startDelivery({ files: { 'new/a.css': 'x', 'a.css': 'y' } });
  const recipe = { recipe: 'fresh', path: '/new', settings: { format: 'css' } };
  writeFileSync(join(cwd, 'workspace/recipes/fresh.json'), JSON.stringify(recipe));
  await expect.poll(async () => (await inject('GET', '/fresh/a.css')).text).toBe('x');
});

test('a missing image is stood in for, where the operator says so', async () => {
  const config = { notFound: { images: { enabled: true, path: 'images/missing.svg' } } };
  const { inject } = await startDelivery({ files: { 'missing.svg': '<svg/>' }, config });
  expect(await inject('GET', '/none.jpg')).toMatchObject({ status: 404, text: '<svg/>' });
  expect((await inject('GET', '/none.css')).body).toEqual({ success: false, errors: ['File not found'] });
});

test('a stand-in has the status that is set, and a missing file without one is 404', async () => {
  const images = { enabled: true, path: 'images/missing.png' };
  const missing = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#c33' } })
    .png()
    .toBuffer();
  const config = { notFound: { statusCode: 200, images } };
  const recipes = { thumbs: { settings: { width: 20 } } };
  const { inject } = await startDelivery({ files: { 'missing.png': missing }, config, recipes });
  for (const path of ['/none.png', '/thumbs/none.png']) {
    const answer = await inject('GET', path);
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(answer.headers['etag']).toBeUndefined();
  }
  expect((await inject('GET', '/none.css')).status).toBe(404);
});

test('a status of stand-ins that has no body is refused', async () => {
  for (const statusCode of [204, 205, 304]) {
    const app = await startApp({ config: { notFound: { statusCode } }, specs: {} });
    await expect(app.app.deliveryServer()).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      items: [{ field: 'notFound.statusCode' }],
    });
    await app.close();
  }
});

test('an answer after a lookup that failed is kept no longer than the failure', async () => {
  const service = await lookupService((response) => response.writeHead(500).end());
  const config = { server: { trustProxy: 1 }, network: { url: `${service.origin}/{ip}`, failureTtl: 7 } };
  const routes = {
    lines: { branches: [{ condition: { network: 'dsl' }, recipe: 'none' }, { recipe: 'plain' }] },
  };
  const recipes = { plain: { settings: { format: 'css' } } };
  const { inject } = await startDelivery({ config, routes, recipes, files: { 'a.css': 'x' } });
  const headers = { 'x-forwarded-for': '8.8.8.8' };
  const kept = async () =>
    String((await inject('GET', '/lines/a.css', { headers })).headers['cache-control']);
  expect(await kept()).toBe('private, max-age=7');
  // What is known of the failure lasts for the rest of its time.
  expect(Number(/max-age=(\d+)$/.exec(await kept())?.[1])).toBeLessThanOrEqual(7);
  expect(service.asked).toHaveLength(1);
  // Nothing failed: a private address is asked about nowhere.
  const near = await inject('GET', '/lines/a.css', { headers: { 'x-forwarded-for': '10.0.0.1' } });
  expect(near.headers['cache-control']).toBe('private, max-age=3600');
});

test('a cache that cannot be written is 503, and works once it can be', async () => {
  const photo = await sharp({ create: { width: 4, height: 3, channels: 3, background: '#c33' } })
    .png()
    .toBuffer();
  const recipes = { thumbs: { settings: { width: 2 } } };
  const config = { delivery: { cache: { path: 'taken/cache' } } };
  const { inject, cwd } = await startDelivery({ files: { 'a.png': photo }, recipes, config });
  writeFileSync(join(cwd, 'taken'), '');
  expect((await inject('GET', '/thumbs/a.png')).status).toBe(503);
  const { rmSync } = await import('node:fs');
  rmSync(join(cwd, 'taken'));
  expect((await inject('GET', '/thumbs/a.png')).status).toBe(200);
});

test('what services told is kept where `cache.engine` says, also while answers are not cached', async () => {
  const service = await lookupService(answerJson({ speed: { connectionType: 'Cable/DSL' } }));
  const config = {
    server: { trustProxy: 1 },
    cache: { enabled: false, engine: 'filesystem', path: await temporaryFolder() },
    network: { url: `${service.origin}/{ip}` },
  };
  const routes = { lines: { branches: [{ condition: { network: 'dsl' }, recipe: 'plain' }] } };
  const recipes = { plain: { settings: { format: 'css' } } };
  const { inject } = await startDelivery({ config, routes, recipes, files: { 'a.css': 'x' } });
  const headers = { 'x-forwarded-for': '8.8.8.8' };
  expect(await inject('GET', '/lines/a.css', { headers })).toMatchObject({ status: 200, text: 'x' });
  await expect.poll(() => readdir(config.cache.path)).toEqual([expect.stringMatching(/\.entry$/)]);
});

test.runIf(hasRedis())('servers that share a Redis ask a service once', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.dispose());
  const service = await lookupService(answerJson({ speed: { connectionType: 'Cable/DSL' } }));
  const config = {
    server: { trustProxy: 1 },
    cache: { engine: 'redis', redis: { url: redis.url, timeoutMs: 5000 } },
    network: { url: `${service.origin}/{ip}` },
  };
  const routes = { lines: { branches: [{ condition: { network: 'dsl' }, recipe: 'plain' }] } };
  const recipes = { plain: { settings: { format: 'css' } } };
  const site = { config, routes, recipes, files: { 'a.css': 'x' } };
  const servers = [await startDelivery(site), await startDelivery(site)];
  let host = 0;
  // Servers that have only just begun to connect both ask.
  const asked = async () => {
    const before = service.asked.length;
    const headers = { 'x-forwarded-for': `8.8.8.${++host}` };
    for (const { inject } of servers) await inject('GET', '/lines/a.css', { headers });
    return service.asked.length - before;
  };
  await expect.poll(asked).toBe(1);
});
