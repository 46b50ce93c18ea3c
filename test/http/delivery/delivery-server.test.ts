import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { startDelivery } from '../../helpers/app/delivery.ts';
import { ADMIN } from '../../helpers/server-process/server-process.ts';
import { rawRequest } from '../../security/raw-request.ts';

test('the delivery listener gives tokens to the same clients, which both listeners take', async () => {
  const { app, inject } = await startDelivery();
  const { status, body } = await inject('POST', '/token', { body: ADMIN });
  expect(status).toBe(200);
  expect((await inject('GET', '/api/routes', { token: body.accessToken })).status).toBe(200);
  expect((await app.inject('GET', '/api/config', { token: body.accessToken })).status).toBe(200);
  const wrong = await inject('POST', '/token', { body: { ...ADMIN, secret: 'wrong' } });
  expect(wrong).toMatchObject({
    status: 401,
    body: { success: false, errors: ['Invalid credentials supplied'] },
  });
});

test('health and hello are public', async () => {
  const { inject } = await startDelivery();
  expect((await inject('GET', '/hello')).text).toBe('Welcome to API');
  expect(await inject('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
});

test('every error of the framework has the body of this listener', async () => {
  const { inject, asAdmin } = await startDelivery();
  for (const answer of [
    await inject('GET', '/%zz'),
    await inject('GET', '/hello?%zz'),
    await asAdmin('GET', '/api/nothing'),
    await inject('POST', '/token', { body: 'x', headers: { 'content-type': 'text/csv' } }),
  ]) {
    expect(answer.body).toEqual({ success: false, errors: [expect.any(String)] });
    expect(answer.headers['cache-control']).toBe('no-store');
  }
});

test('both listeners have addresses of their own, and both end with the application', async () => {
  const { app } = await startDelivery({ files: { 'a.txt': 'hello' } });
  const content = await app.listen();
  const { url } = await app.app.listenDelivery();
  expect(url).not.toBe(content);
  expect(await (await fetch(`${url}/a.txt`)).text()).toBe('hello');
  await app.app.close();
  await expect(fetch(`${url}/a.txt`)).rejects.toThrow();
  await expect(fetch(`${content}/hello`)).rejects.toThrow();
  const free = createServer().listen(Number(new URL(url).port), '127.0.0.1');
  await new Promise((resolve) => free.once('listening', resolve));
  await new Promise((resolve) => free.close(resolve));
});

test('a long file reaches a slow reader whole, and compressed where it takes that', async () => {
  const text = 'a line of text\n'.repeat(100_000);
  const { app } = await startDelivery({ files: { 'long.txt': text } });
  const { url } = await app.app.listenDelivery();
  const answer = await fetch(`${url}/long.txt`);
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  expect(await answer.text()).toBe(text);
  const plain = await fetch(`${url}/long.txt`, { headers: { 'accept-encoding': 'identity' } });
  expect(plain.headers.get('content-length')).toBe(String(text.length));
  expect(await plain.text()).toBe(text);
});

test('a target with scheme and host means its path', async () => {
  const recipes = { thumbs: { settings: { format: 'css' } } };
  const { app } = await startDelivery({ files: { 'a.css': 'a {}' }, recipes });
  const { url } = await app.app.listenDelivery();
  const port = Number(new URL(url).port);
  for (const path of ['/a.css', '/a.css?x=1', '/thumbs/a.css', '/health', '/hello']) {
    for (const host of ['http://localhost', 'HTTP://example.com:1', 'https://example.com'])
      expect(`${path} ${(await rawRequest(port, host + path)).status}`).toBe(`${path} 200`);
  }
  expect((await rawRequest(port, 'http://localhost/api/routes')).status).toBe(401);
  expect((await rawRequest(port, 'http://localhost')).status).toBe(404);
});

test('a missing or bad token is answered in words of older clients too, below `/api` only', async () => {
  const { inject } = await startDelivery();
  for (const path of ['/api/routes', '/api/recipes/x', '/api/unknown']) {
    for (const token of [null, 'bad']) {
      const { status, body, headers } = await inject('GET', path, { token });
      expect(status).toBe(401);
      expect(body).toMatchObject({
        success: false,
        errors: [expect.any(String)],
        Error: 'HTTP 401 Unauthorized',
      });
      expect(headers['www-authenticate']).toMatch(/^Bearer/);
    }
  }
  const login = await inject('POST', '/token', { body: { ...ADMIN, secret: 'wrong' } });
  expect(login.status).toBe(401);
  expect(login.body).not.toHaveProperty('Error');
});
