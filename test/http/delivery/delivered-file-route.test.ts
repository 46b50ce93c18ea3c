import type { FastifyRequest } from 'fastify';
import { describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import { createVisitor } from '../../../src/http/delivery/request-visitor.ts';
import { openDiskMedia } from '../../../src/stores/disk-media/disk-media.ts';
import { startDelivery } from '../../helpers/app/delivery.ts';
import { FORM_TYPE, formOf } from '../../helpers/app/media-server.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const CSS = 'body { color: red } '.repeat(100);

describe('delivered files', () => {
  test('are sent to everybody, with their headers, to HEAD without their bytes', async () => {
    const { inject } = await startDelivery({ files: { 'css/a.css': CSS } });
    const answer = await inject('GET', '/css/a.css');
    expect(answer.text).toBe(CSS);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'content-length': String(CSS.length),
      'cache-control': 'public, max-age=3600',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{24}$/);
    const head = await inject('HEAD', '/css/a.css');
    expect([head.status, head.text, head.headers['etag']]).toEqual([200, '', answer.headers['etag']]);
    expect(head.headers['content-length']).toBe(String(CSS.length));
  });

  test('are 304 for a client that has them', async () => {
    const { inject } = await startDelivery({ files: { 'a.css': CSS } });
    const { headers } = await inject('GET', '/a.css');
    const again = await inject('GET', '/a.css', { headers: { 'if-none-match': String(headers['etag']) } });
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', headers['etag']]);
    const since = { 'if-modified-since': String(headers['last-modified']) };
    expect((await inject('GET', '/a.css', { headers: since })).status).toBe(304);
  });

  test('are sent in ranges', async () => {
    const { inject } = await startDelivery({ files: { 'a.txt': '0123456789' } });
    const part = await inject('GET', '/a.txt', { headers: { range: 'bytes=2-4' } });
    expect([part.status, part.text, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10']);
    const none = await inject('GET', '/a.txt', { headers: { range: 'bytes=10-' } });
    expect([none.status, none.headers['content-range']]).toEqual([416, 'bytes */10']);
  });

  test('that are missing are 404 without detail of the machine', async () => {
    const { inject } = await startDelivery();
    const answer = await inject('GET', '/nothing.jpg');
    expect(answer).toMatchObject({ status: 404, body: { success: false, errors: ['File not found'] } });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' });
  });

  test('support no other method', async () => {
    const { inject } = await startDelivery({ files: { 'a.css': CSS } });
    for (const method of ['POST', 'DELETE', 'PROPFIND']) {
      const answer = await inject(method, '/a.css');
      expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
      expect(answer.body).toEqual({ success: false, errors: ['This address does not take this method'] });
    }
    expect((await inject('OPTIONS', '/a.css')).status).toBe(204);
  });

  test('are rejected with a query string that does not decode or is too long', async () => {
    const { inject } = await startDelivery({ files: { 'a.css': CSS } });
    expect((await inject('GET', '/a.css?v=%zz')).status).toBe(400);
    expect((await inject('GET', `/a.css?v=${'x'.repeat(20_000)}`)).status).toBe(414);
    expect((await inject('GET', '/a.css?v=1&v=2')).status).toBe(200);
  });
});

test('paths are 404 and uncacheable where no branch of a route matches', async () => {
  const route = { branches: [{ condition: { language: 'fr' }, recipe: 'thumbs' }] };
  const { inject } = await startDelivery({ routes: { french: route }, files: { 'a.css': CSS } });
  const answer = await inject('GET', '/french/a.css', { headers: { 'accept-language': 'en' } });
  expect(answer).toMatchObject({ status: 404, body: { success: false, errors: ['Unknown URI'] } });
  expect(answer.headers['cache-control']).toBe('no-store');
});

test('of a bucket that is away are 503, without its error', async () => {
  const away = () =>
    Promise.reject(new StoreError('unavailable', { cause: new Error('ECONNREFUSED 10.0.0.1') }));
  const path = await temporaryFolder();
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const disk = openDiskMedia({ path, prefix: '', log, now: Date.now, random: () => 'a'.repeat(16) });
  let isAway = false;
  const mediaStore = { ...disk, stat: (key: string) => (isAway ? away() : disk.stat(key)) };
  const specs = { '1.0/library/photos': { fields: {}, settings: { type: 'media', authenticate: ['POST'] } } };
  const { app, inject } = await startDelivery({ mediaStore, specs });
  const body = formOf([{ fileName: 'a.css', type: 'text/css', body: CSS }]).toString();
  const stored = await app.inject('POST', '/1.0/library/photos', {
    body,
    headers: { 'content-type': FORM_TYPE },
  });
  isAway = true;
  const answer = await inject('GET', `/${stored.body.results[0].path}`);
  expect(answer).toMatchObject({
    status: 503,
    body: { success: false, errors: ['The file cannot be read now'] },
  });
  expect(answer.headers['retry-after']).toMatch(/^\d+$/);
});

test('headers that are absent are empty', () => {
  const request = { headers: { 'user-agent': 'x' }, clientAddress: '192.0.2.1' } as unknown as FastifyRequest;
  expect(createVisitor(request)).toEqual({ userAgent: 'x', acceptLanguage: '', ip: '192.0.2.1' });
});
