// Which collection a signed upload is for, and what else must hold at the moment of the upload.
import { afterEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { sign, upload } from '../../helpers/app/media-server.ts';
import { BOOKS } from '../../helpers/fixtures/library.ts';

const IMAGES = { fields: { caption: {} }, settings: { type: 'media' } };
const FILE = { fileName: 'test.jpg', mimetype: 'image/jpeg' };
const PATH = '/1.0/library/images';

let app: TestApp;

afterEach(() => app.close());

const start = async (specs: object, config: object = {}) => {
  const given = Object.entries(specs).map(([name, spec]) => [`1.0/library/${name}`, spec]);
  app = await startApp({ specs: Object.fromEntries(given), config: config as never });
};

describe('with several media collections', () => {
  const several = { images: IMAGES, films: IMAGES, books: BOOKS };

  it('the body must say which one, and the error names those that the caller may use', async () => {
    await start(several);
    const admin = await app.inject('POST', '/api/media/sign', { body: FILE });
    expect([admin.status, admin.body.errors[0].field]).toEqual([400, 'collection']);
    expect(admin.text).toContain('/1.0/library/films, /1.0/library/images');
    const token = await app.userToken('limited', { collections: [{ path: 'images' }] });
    const limited = await app.inject('POST', '/media/sign', { token, body: FILE });
    expect([limited.status, limited.text.includes('images')]).toEqual([400, true]);
    expect(limited.text).not.toContain('films');
    const named = await app.inject('POST', '/api/media/sign', {
      token,
      body: { ...FILE, collection: 'films' },
    });
    expect([named.status, named.headers['www-authenticate']]).toEqual([
      401,
      'Bearer realm="/api/media/sign"',
    ]);
  });

  it('a token is good for its own alone', async () => {
    await start(several);
    const url = await sign(app, '/api/media/sign', { collection: 'images' });
    const token = url.split('/').at(-1);
    for (const path of [`/1.0/library/films/${token}`, `/media/films/${token}`]) {
      const { status, body } = await upload(app, path);
      expect([status, body.name, body.message]).toEqual([400, 'JsonWebTokenError', 'invalid token']);
    }
    expect((await upload(app, `/media/${token}`)).status).toBe(201);
    expect((await app.inject('GET', `${PATH}/count`)).body.metadata.totalCount).toBe(1);
    expect((await app.inject('GET', '/1.0/library/films/count')).body.metadata.totalCount).toBe(0);
  });

  it('an address that names none is refused', async () => {
    await start(several);
    for (const path of ['/api/media', '/media']) {
      expect((await upload(app, path)).status).toBe(401);
      const { status, body } = await upload(app, path, {}, { token: await app.adminToken() });
      expect([status, body.errors[0].field]).toEqual([400, 'collection']);
    }
    expect((await app.inject('GET', '/media/films')).body.results).toEqual([]);
    expect((await app.inject('GET', '/media/2026/11/22/a.jpg')).status).toBe(404);
    expect((await upload(app, '/media/nothing')).status).toBe(401);
  });

  it('of the same name in two versions, a bucket is none of both', async () => {
    app = await startApp({ specs: { '1.0/library/images': IMAGES, '2.0/library/images': IMAGES } });
    expect((await app.inject('POST', '/media/images/sign', { body: FILE })).status).toBe(404);
    const vague = await app.inject('POST', '/api/media/sign', { body: { ...FILE, collection: 'images' } });
    expect([vague.status, vague.body.errors[0].field]).toEqual([400, 'collection']);
    const exact = { collection: 'images', version: '2.0' };
    const { body } = await upload(app, await sign(app, '/api/media/sign', exact));
    expect(body.results[0].path).toContain('2.0/library/images');
  });
});

describe('without a place for uploads', () => {
  it('where there is no media collection, nothing can be signed or uploaded', async () => {
    await start({ books: BOOKS });
    const { status, body } = await app.inject('POST', '/api/media/sign', { body: FILE });
    expect([status, body.errors[0].field]).toEqual([400, 'collection']);
    expect((await upload(app, '/api/media', {}, { token: await app.adminToken() })).status).toBe(404);
    expect((await app.inject('GET', '/media')).status).toBe(404);
    expect((await app.inject('GET', '/media', { token: null })).status).toBe(401);
  });

  it('where media.enabled is false, there is nothing at any of the addresses', async () => {
    await start({ images: IMAGES }, { media: { enabled: false } });
    const token = await app.adminToken();
    for (const path of ['/api/media/sign', '/media/sign', '/media/images/sign', `${PATH}/sign`]) {
      expect((await app.inject('POST', path, { body: FILE })).status).toBe(404);
      expect((await app.inject('POST', path, { token: null, body: FILE })).status).toBe(401);
    }
    for (const path of ['/api/media', '/api/media/a.b.c', '/media/a.b.c', `${PATH}/a.b.c`, PATH]) {
      expect((await upload(app, path)).status).toBe(401);
      expect((await upload(app, path, {}, { token })).status).toBe(404);
    }
  });
});

describe('at the moment of the upload', () => {
  const invalid = { statusCode: 400, name: 'JsonWebTokenError', message: 'invalid token' };
  const signed = async (permissions?: object) => {
    await start({ images: IMAGES, films: IMAGES });
    const token = await app.userToken('signer', permissions as never);
    const body = { ...FILE, collection: 'images' };
    return (await app.inject('POST', '/api/media/sign', { token, body })).body.url as string;
  };

  it('the client that signed must be there', async () => {
    const url = await signed();
    await app.inject('DELETE', '/api/clients/signer');
    expect((await upload(app, url)).body).toMatchObject(invalid);
    await app.userToken('signer');
    expect((await upload(app, url)).body).toMatchObject(invalid);
  });

  it('its secret must be the one with which it signed', async () => {
    const url = await signed();
    await app.inject('PUT', '/api/clients/signer/secret');
    expect((await upload(app, url)).body).toMatchObject(invalid);
  });

  it('it must have the right', async () => {
    const url = await signed({ collections: [{ path: 'images' }] });
    const change = (path: string) =>
      app.inject('PUT', '/api/clients/signer', { body: { permissions: { collections: [{ path }] } } });
    await change('films');
    expect((await upload(app, url)).body).toMatchObject(invalid);
    await change('images');
    expect((await upload(app, url)).status).toBe(201);
  });

  it('the collection must be there, and one of media', async () => {
    const url = await signed();
    expect((await app.inject('DELETE', `${PATH}/config`)).status).toBeLessThan(300);
    expect((await upload(app, url)).status).toBe(404);
    await app.inject('POST', `${PATH}/config`, { body: { fields: { title: {} }, settings: {} } });
    expect((await upload(app, url)).status).toBe(404);
    await app.inject('POST', `${PATH}/config`, {
      body: { fields: { title: {} }, settings: { type: 'media' } },
    });
    expect((await upload(app, url)).status).toBe(201);
  });
});

describe('signUploads', () => {
  it('refuses unsigned uploads under every address, and takes signed ones', async () => {
    const specification = {
      fields: { caption: {} },
      settings: { type: 'media', signUploads: true, authenticate: false },
    };
    await start({ images: specification });
    const token = await app.adminToken();
    for (const path of [PATH, `${PATH}/`, '/api/media', '/media', '/media/images', '/media/images?a=b']) {
      const anonymous = await upload(app, path);
      expect([path, anonymous.status]).toEqual([path, 401]);
      const { status, body } = await upload(app, path, {}, { token });
      expect([path, status, body.name]).toEqual([path, 400, 'NoTokenError']);
      expect(body).toMatchObject({ statusCode: 400, success: false, errors: [{ message: body.message }] });
    }
    expect((await upload(app, await sign(app, '/media/images/sign'))).status).toBe(201);
    expect((await app.inject('GET', `${PATH}/count`)).body.metadata.totalCount).toBe(1);
  });

  it('set to false, or absent, takes uploads with a bearer token', async () => {
    await start({ images: { fields: { caption: {} }, settings: { type: 'media', signUploads: false } } });
    const token = await app.adminToken();
    for (const path of [PATH, '/api/media', '/media', '/media/images']) {
      expect([path, (await upload(app, path)).status]).toEqual([path, 401]);
      expect([path, (await upload(app, path, {}, { token })).status]).toEqual([path, 201]);
    }
  });
});
