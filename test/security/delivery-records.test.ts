// The delivery port gives a file of the media store to whoever may read its record, and it asks as anybody without a token.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { injectInto } from '../helpers/app/app.ts';
import { startMediaServer } from '../helpers/app/media-server.ts';

const OPEN = { type: 'media', authenticate: ['POST', 'PUT', 'DELETE'] };
const SPECS: Readonly<Record<string, JsonObject>> = {
  '1.0/library/open': { fields: { caption: { type: 'String' } }, settings: OPEN },
  '1.0/library/closed': { fields: {}, settings: { type: 'media' } },
  '1.0/library/writable': { fields: {}, settings: { type: 'media', authenticate: ['GET'] } },
  '1.0/library/reviewed': {
    fields: { caption: { type: 'String' } },
    settings: { ...OPEN, defaultFilters: { caption: 'seen' } },
  },
  '1.0/library/hooked': { fields: {}, settings: { ...OPEN, hooks: { beforeGet: ['refuse'] } } },
  '1.0/library/strict': { fields: { caption: { type: 'String', required: true } }, settings: OPEN },
};
const PHOTO = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#c33' } })
  .png()
  .toBuffer();
const RECIPE = { recipe: 'thumbs', settings: { width: 20 } };
const ROUTE = { route: 'pictures', branches: [{ recipe: 'thumbs' }] };

async function startBoth(config: JsonObject = {}) {
  const server = await startMediaServer(config, SPECS);
  onTestFinished(() => server.close());
  const delivery = { server: await server.app.deliveryServer() };
  const token = await server.adminToken();
  const deliver = async (path: string, headers?: Readonly<Record<string, string>>) => {
    const { status } = await injectInto(delivery, { method: 'GET', path: `/${path}` }, { headers });
    return status;
  };
  for (const [kind, body] of [['recipes', RECIPE] as const, ['routes', ROUTE] as const])
    await injectInto(delivery, { method: 'POST', path: `/api/${kind}` }, { token, body });
  const hook = 'module.exports = () => null;';
  await server.inject('POST', '/api/hooks/refuse/config', {
    body: hook,
    headers: { 'content-type': 'text/plain' },
  });
  return {
    ...server,
    deliver,
    /** Stores a picture and resolves with its record. */
    async store(
      collection: string,
      caption?: string,
    ): Promise<{ readonly _id: string; readonly path: string }> {
      const file = { fileName: 'a.png', type: 'image/png', body: PHOTO };
      const fields = caption === undefined ? [] : [{ name: 'caption', body: caption }];
      const path = `/1.0/library/${collection}`;
      const { status, body } = await server.upload([...fields, file], { path });
      expect(status).toBe(201);
      return body.results[0];
    },
    /** Plain, through a recipe and through a route. */
    deliverAll: async (path: string) => [
      await deliver(path),
      await deliver(`thumbs/${path}`),
      await deliver(`pictures/${path}`),
    ],
  };
}

const HIDDEN = [404, 404, 404];
const SHOWN = [200, 200, 200];

describe('a file of the media store', () => {
  test('is delivered where its collection is open for reading', async () => {
    const site = await startBoth();
    const { path } = await site.store('open');
    expect(await site.deliverAll(path)).toEqual(SHOWN);
  });

  test('is not there where reading its collection needs a token, whatever the request has', async () => {
    const site = await startBoth();
    for (const collection of ['closed', 'writable']) {
      const { path } = await site.store(collection);
      expect(await site.deliverAll(path)).toEqual(HIDDEN);
      const authorization = `Bearer ${await site.adminToken()}`;
      expect(await site.deliver(path, { authorization })).toBe(404);
    }
  });

  test('is delivered from every collection with `media.public`, if its record is shown', async () => {
    const site = await startBoth({ media: { public: true } });
    const { path } = await site.store('closed');
    expect(await site.deliverAll(path)).toEqual(SHOWN);
    expect(await site.deliverAll((await site.store('reviewed', 'new')).path)).toEqual(HIDDEN);
  });

  test('is as hidden as its record, and shown as soon as that is', async () => {
    const site = await startBoth();
    const { _id, path } = await site.store('reviewed', 'new');
    expect(await site.deliverAll(path)).toEqual(HIDDEN);
    const review = (caption: string) =>
      site.inject('PUT', '/1.0/library/reviewed', {
        body: { query: { caption: 'new' }, update: { caption } },
      });
    await review('seen');
    expect(await site.deliverAll(path)).toEqual(SHOWN);
    const { body } = await site.inject('GET', `/1.0/library/reviewed/${_id}`);
    expect(body.results).toHaveLength(1);
  });

  test('is hidden by a hook for reads that refuses', async () => {
    const site = await startBoth();
    const { path } = await site.store('hooked');
    expect(await site.deliverAll(path)).toEqual(HIDDEN);
  });

  test('is not there without a record', async () => {
    const site = await startBoth();
    const path = '1.0/library/open/2026/01/02/stray.png';
    const file = join(site.workspace.path, 'media', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, PHOTO);
    expect(await site.deliverAll(path)).toEqual(HIDDEN);
  });

  test('is not there while the specification of its collection is gone', async () => {
    const site = await startBoth();
    const { path } = await site.store('open');
    expect(await site.deliverAll(path)).toEqual(SHOWN);
    expect((await site.inject('DELETE', '/1.0/library/open/config')).status).toBe(200);
    expect(await site.deliverAll(path)).toEqual(HIDDEN);
  });

  test('is not there after an upload that was refused', async () => {
    const site = await startBoth();
    const file = { fileName: 'refused.png', type: 'image/png', body: PHOTO };
    const { status, body } = await site.upload([file], { path: '/1.0/library/strict' });
    expect(status).toBe(400);
    expect(body.errors[0]).toMatchObject({ field: 'caption' });
    const { path } = await site.store('strict', 'a caption');
    expect(await site.deliver(path.replace(/[^/]+$/, 'refused.png'))).toBe(404);
  });
});

describe('a rendered image', () => {
  test('is not delivered from the cache once its record is gone', async () => {
    const site = await startBoth();
    const { _id, path } = await site.store('open');
    expect(await site.deliverAll(path)).toEqual(SHOWN);
    expect((await site.inject('DELETE', `/1.0/library/open/${_id}`)).status).toBe(204);
    expect(await site.deliverAll(path)).toEqual(HIDDEN);
  });

  test('is not delivered from the cache once its collection is closed', async () => {
    const site = await startBoth();
    const { path } = await site.store('open');
    expect(await site.deliverAll(path)).toEqual(SHOWN);
    const closed = { fields: {}, settings: { type: 'media' } };
    expect((await site.inject('POST', '/1.0/library/open/config', { body: closed })).status).toBe(200);
    expect(await site.deliverAll(path)).toEqual(HIDDEN);
  });

  test('is not answered with 304 once its record is hidden', async () => {
    const site = await startBoth();
    const { path } = await site.store('reviewed', 'seen');
    expect(await site.deliverAll(path)).toEqual(SHOWN);
    const body = { query: { caption: 'seen' }, update: { caption: 'new' } };
    expect((await site.inject('PUT', '/1.0/library/reviewed', { body })).status).toBe(200);
    expect(await site.deliver(`thumbs/${path}`, { 'if-none-match': '*' })).toBe(404);
  });

  test('is the one of the file that is there now, where another took its path', async () => {
    const site = await startBoth();
    const { _id, path } = await site.store('open');
    expect(await site.deliverAll(path)).toEqual(SHOWN);
    await site.inject('DELETE', `/1.0/library/open/${_id}`);
    rmSync(join(site.workspace.path, 'media', path), { force: true });
    expect((await site.store('open')).path).toBe(path);
    expect(await site.deliverAll(path)).toEqual(SHOWN);
  });
});
