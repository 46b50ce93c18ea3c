import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { startDelivery } from '../../helpers/app/delivery.ts';

const photo = () =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: '#c33' } })
    .jpeg()
    .toBuffer();

test('a flush drops the variants that its pattern names', async () => {
  const recipes = { thumbs: { settings: { width: 20 } }, other: { settings: { width: 10 } } };
  const routes = { 'home-route': { branches: [{ recipe: 'thumbs' }] } };
  const { inject, asAdmin } = await startDelivery({ files: { 'a.jpg': await photo() }, recipes, routes });
  const cached = async (path: string) => (await inject('GET', path)).headers['x-cache'];
  expect([await cached('/thumbs/a.jpg'), await cached('/thumbs/a.jpg')]).toEqual(['MISS', 'HIT']);
  expect([await cached('/other/a.jpg'), await cached('/home-route/a.jpg')]).toEqual(['MISS', 'HIT']);
  const { status, body } = await asAdmin('POST', '/api/flush', { pattern: '/home-route/a.jpg' });
  expect(status).toBe(200);
  expect(body).toEqual({ success: true, message: 'Cache flushed for pattern "/home-route/a.jpg"' });
  expect([await cached('/thumbs/a.jpg'), await cached('/other/a.jpg')]).toEqual(['MISS', 'HIT']);
});

test('a flush by a recipe drops its variants only, and one by an unknown name drops nothing', async () => {
  const recipes = { thumbs: { settings: { width: 20 } }, other: { settings: { width: 10 } } };
  const { inject, asAdmin } = await startDelivery({ files: { 'a.jpg': await photo() }, recipes });
  const cached = async (path: string) => (await inject('GET', path)).headers['x-cache'];
  const both = async () => [await cached('/thumbs/a.jpg'), await cached('/other/a.jpg')];
  expect([await both(), await both()]).toEqual([
    ['MISS', 'MISS'],
    ['HIT', 'HIT'],
  ]);
  await asAdmin('POST', '/api/flush', { pattern: '/unknown/a.jpg' });
  expect(await both()).toEqual(['HIT', 'HIT']);
  await asAdmin('POST', '/api/flush', { pattern: '/other/a.jpg' });
  expect(await both()).toEqual(['HIT', 'MISS']);
});

test('a flush on the content port drops rendered images too, by the same patterns', async () => {
  const recipes = { thumbs: { settings: { width: 20 } }, other: { settings: { width: 10 } } };
  const { app, inject } = await startDelivery({ files: { 'a.jpg': await photo() }, recipes });
  const cached = async (path: string) => (await inject('GET', path)).headers['x-cache'];
  const both = async () => [await cached('/thumbs/a.jpg'), await cached('/other/a.jpg')];
  const flush = (body: object) => app.inject('POST', '/api/flush', { body });
  await both();
  expect(await flush({ pattern: '/other/a.jpg' })).toMatchObject({
    status: 200,
    body: { result: 'success', message: 'Cache flush successful' },
  });
  expect(await both()).toEqual(['HIT', 'MISS']);
  expect((await flush({ path: '*' })).status).toBe(200);
  expect(await both()).toEqual(['HIT', 'HIT']);
  expect((await flush({ path: '*', pattern: '*' })).status).toBe(200);
  expect(await both()).toEqual(['MISS', 'MISS']);
});

test('a flush without a pattern is 400', async () => {
  const { asAdmin } = await startDelivery();
  for (const body of [undefined, {}, { pattern: '' }, { pattern: 5 }, { pattern: 'x'.repeat(5000) }]) {
    expect(await asAdmin('POST', '/api/flush', body)).toMatchObject({
      status: 400,
      body: { success: false, message: "A 'pattern' must be specified" },
    });
  }
});

test('a flush drops what any spelling of its address would find', async () => {
  const recipes = { thumbs: { settings: { width: 20, allowOverride: ['width'] } } };
  const { inject, asAdmin, cwd } = await startDelivery({ files: { 'a b.jpg': await photo() }, recipes });
  const cached = async (path: string) => (await inject('GET', path)).headers['x-cache'];
  const spellings = [
    '/thumbs/a%20b.jpg?w=8',
    '/thumbs/%61%20b.jpg?width=08&v=1',
    '/thum%62s/a%20b.jpg?w=8.2',
  ];
  for (const requested of spellings) {
    for (const pattern of spellings) {
      await cached(requested);
      expect(await cached(pattern)).toBe('HIT');
      await asAdmin('POST', '/api/flush', { pattern });
      expect(await cached(pattern)).toBe('MISS');
    }
  }
  // Whoever removes the folder by hand leaves what is in memory.
  rmSync(join(cwd, '.cache/delivery'), { recursive: true });
  await asAdmin('POST', '/api/flush', { pattern: '*' });
  expect(await cached(spellings[0] ?? '')).toBe('MISS');
});

test('a flush drops compressed files', async () => {
  const { inject, asAdmin, cwd } = await startDelivery({ files: { 'css/a.css': 'a {} '.repeat(1000) } });
  const kept = () => readdirSync(join(cwd, '.cache/delivery')).length;
  const headers = { 'accept-encoding': 'br' };
  for (const pattern of ['/css/a.css', '/css/*', '/*', '*']) {
    expect((await inject('GET', '/css/a.css', { headers })).headers['content-encoding']).toBe('br');
    expect(kept()).toBe(1);
    expect((await asAdmin('POST', '/api/flush', { pattern })).status).toBe(200);
    expect(kept()).toBe(0);
  }
});
