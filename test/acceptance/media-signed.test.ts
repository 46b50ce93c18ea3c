// Signed uploads: who may sign, under which addresses, and what a signed URL is good for.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { filesForm, sign, upload } from '../helpers/app/media-server.ts';
import { BOOKS } from '../helpers/fixtures/library.ts';
import { ADMIN } from '../helpers/server-process/server-process.ts';

const IMAGES = { fields: { caption: {} }, settings: { type: 'media' } };
const FILE = { fileName: 'test.jpg', mimetype: 'image/jpeg' };
const PATH = '/1.0/library/images';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ specs: { '1.0/library/images': IMAGES, '1.0/library/books': BOOKS } });
});

afterAll(() => app.close());

const SPELLINGS = [
  ['/api/media/sign', '/api/media/'],
  ['/media/sign', '/media/'],
  ['/media/images/sign', '/media/images/'],
  [`${PATH}/sign`, `${PATH}/`],
  [`${PATH}/sign/`, `${PATH}/`],
] as const;

describe('a signed upload', () => {
  it.each(SPELLINGS)('that is signed at %s goes to a URL of that form, once', async (path, prefix) => {
    const before = Date.now();
    const signed = await app.inject('POST', path, { body: FILE });
    expect([signed.status, signed.headers['cache-control']]).toEqual([200, 'no-store']);
    const { url, expiresAt, ...rest } = signed.body;
    expect(rest).toEqual({});
    expect(url).toMatch(new RegExp(`^${prefix}[\\w-]+\\.[\\w-]+\\.[\\w-]+$`));
    expect(expiresAt - before).toBeGreaterThanOrEqual(3_600_000);
    expect(expiresAt - Date.now()).toBeLessThanOrEqual(3_600_000);

    const stored = await upload(app, url);
    expect(stored.status).toBe(201);
    expect(stored.body.results).toEqual([
      expect.objectContaining({ originalFileName: 'test.jpg', mimetype: 'image/jpeg', contentLength: 5 }),
    ]);
    expect(stored.body.results[0].createdBy).toBe(ADMIN.clientId);
    const again = await upload(app, url);
    expect(again.status).toBe(400);
    expect(again.body).toEqual({
      statusCode: 400,
      success: false,
      name: 'TokenUsedError',
      message: again.body.errors[0].message,
      errors: [{ message: expect.any(String), code: 'UPLOAD_TOKEN_USED' }],
    });
  });

  it.each(SPELLINGS)('that is signed at %s can go to any other spelling of its collection', async (path) => {
    for (const prefix of ['/api/media/', '/media/', '/media/images/', `${PATH}/`]) {
      const token = (await sign(app, path)).split('/').at(-1);
      expect((await upload(app, `${prefix}${token}`)).status).toBe(201);
    }
  });

  it('takes a file of any type where none was signed, whatever else the request says', async () => {
    const body = { fileName: 'test.jpg', contentLength: 5, size: 'x' };
    for (const mimetype of ['image/png', 'text/plain']) {
      const signed = await app.inject('POST', '/api/media/sign', { body });
      expect(signed.status, signed.text).toBe(200);
      const stored = await upload(app, signed.body.url, { mimetype });
      expect([stored.status, stored.body.results[0].mimetype]).toEqual([201, mimetype]);
      expect((await upload(app, signed.body.url, { mimetype })).status).toBe(400);
      const other = await app.inject('POST', '/api/media/sign', { body });
      expect((await upload(app, other.body.url, { fileName: 'other.jpg' })).status).toBe(400);
    }
  });

  it('that failed can be repeated with the same URL', async () => {
    const url = await sign(app, '/api/media/sign');
    const name = await upload(app, url, { fileName: 'other.jpg' });
    expect(name.status).toBe(400);
    expect(name.body).toMatchObject({
      success: false,
      name: 'Unexpected filename',
      message: 'Expected a file named "test.jpg"',
      errors: [{ message: 'Expected a file named "test.jpg"' }],
    });
    expect((await upload(app, url, { mimetype: 'image/png' })).body).toMatchObject({
      statusCode: 400,
      name: 'Unexpected mimetype',
      message: 'Expected a mimetype of "image/jpeg"',
    });
    const [none, two] = [await upload(app, url, []), await upload(app, url, [{}, {}])];
    expect([none.status, two.status]).toEqual([400, 400]);
    const json = await app.inject('POST', url, { token: null, body: {} });
    expect([json.status, json.body.errors[0].field]).toEqual([400, 'file']);
    expect((await upload(app, url)).status).toBe(201);
  });

  it('is created by the client that signed, whoever uploads', async () => {
    const token = await app.userToken('signer');
    const { body } = await app.inject('POST', '/api/media/sign', { token, body: FILE });
    const { status, body: stored } = await upload(app, body.url, {}, { token: await app.adminToken() });
    expect([status, stored.results[0].createdBy]).toEqual([201, 'signer']);
  });

  it('with a bad bearer token is refused as everywhere', async () => {
    const url = await sign(app, '/api/media/sign');
    const { status, headers } = await upload(app, url, {}, { token: 'nonsense' });
    expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining('invalid_token')]);
    expect((await upload(app, url)).status).toBe(201);
  });

  it('expires', async () => {
    const { body } = await app.inject('POST', '/api/media/sign', { body: { ...FILE, expiresIn: 1 } });
    await expect.poll(() => Date.now()).toBeGreaterThanOrEqual(body.expiresAt);
    const late = await upload(app, body.url);
    expect(late.status).toBe(400);
    expect(late.body).toEqual({
      statusCode: 400,
      success: false,
      name: 'TokenExpiredError',
      message: 'jwt expired',
      expiredAt: new Date(body.expiresAt).toISOString(),
      errors: [{ message: 'jwt expired', code: 'UPLOAD_TOKEN_EXPIRED' }],
    });
  });
});

describe('signing', () => {
  const post = (body: unknown, path = '/api/media/sign') => app.inject('POST', path, { body });

  it.each<[unknown, number]>([
    [60, 60],
    ['60', 60],
    ['15000', 15_000],
    ['2 days', 172_800],
    ['10h', 36_000],
    [1.5, 1.5],
    [2_592_000, 2_592_000],
  ])('with expiresIn %j is good for %d seconds', async (expiresIn, seconds) => {
    const before = Date.now();
    const { expiresAt } = (await post({ ...FILE, expiresIn })).body;
    expect(expiresAt).toBeGreaterThanOrEqual(before + seconds * 1000);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + seconds * 1000);
  });

  it.each([0, -1, 0.5, '0', '-5', 'soon', '', '1y', 2_592_001, null, true, [60], {}, 1e308])(
    'with expiresIn %j is refused',
    async (expiresIn) => {
      const { status, body } = await post({ ...FILE, expiresIn });
      expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([
        400,
        ['expiresIn'],
      ]);
    },
  );

  it('names everything that is missing or wrong', async () => {
    const fieldsOf = async (body: unknown) => {
      const answer = await post(body);
      return [answer.status, answer.body.errors.map(({ field }: { field: string }) => field)];
    };
    expect(await fieldsOf({})).toEqual([400, ['fileName']]);
    expect(await fieldsOf({ fileName: '', mimetype: '' })).toEqual([400, ['fileName']]);
    expect(await fieldsOf({ fileName: 7, mimetype: ['image/jpeg'] })).toEqual([
      400,
      ['fileName', 'mimetype'],
    ]);
    expect(await fieldsOf({ fileName: 'x'.repeat(1025), mimetype: 'jpeg' })).toEqual([
      400,
      ['fileName', 'mimetype'],
    ]);
    expect(await fieldsOf({ ...FILE, fileName: 'a\r\nb' })).toEqual([400, ['fileName']]);
    expect(await fieldsOf({ ...FILE, database: 'library' })).toEqual([400, ['collection']]);
    expect(await fieldsOf({ ...FILE, collection: {} })).toEqual([400, ['collection']]);
    for (const body of ['', '[]', 'null', '"x"', '{']) expect((await post(body)).status).toBe(400);
  });

  it('needs a token, a right, an address and POST, in this order', async () => {
    for (const [path] of SPELLINGS) {
      const anonymous = await app.inject('POST', path, { token: null, body: FILE });
      const challenge = anonymous.headers['www-authenticate'];
      expect([anonymous.status, challenge]).toEqual([401, expect.stringContaining('no_token')]);
      expect((await app.inject('GET', path, { token: null })).status).toBe(401);
      const { status, headers } = await app.inject('GET', path);
      expect([status, headers['allow']]).toEqual([405, 'POST, OPTIONS']);
    }
    const token = await app.userToken('reader', { collections: [{ path: 'books' }] });
    for (const [path] of SPELLINGS) {
      const { status, headers } = await app.inject('POST', path, { token, body: FILE });
      expect([status, headers['www-authenticate']]).toEqual([401, `Bearer realm="${path}"`]);
    }
    for (const path of ['/1.0/library/books/sign', '/1.0/library/nothing/sign', '/media/nothing/sign']) {
      expect((await app.inject('POST', path, { token: null, body: FILE })).status).toBe(401);
      expect((await app.inject('POST', path, { body: FILE })).status).toBe(404);
    }
  });

  it('takes the collection from the body', async () => {
    for (const named of [
      { collection: 'images' },
      { collection: 'images', database: 'library' },
      { collection: 'images', database: 'library', version: '1.0' },
    ]) {
      expect((await upload(app, await sign(app, '/api/media/sign', named))).status).toBe(201);
      expect((await upload(app, await sign(app, `${PATH}/sign`, named))).status).toBe(201);
    }
    for (const collection of ['books', 'nothing', 'Images', '__proto__']) {
      const { status, body } = await post({ ...FILE, collection });
      expect([status, body.errors[0].field]).toEqual([404, 'collection']);
    }
    expect((await post({ ...FILE, collection: 'books' }, `${PATH}/sign`)).status).toBe(404);
  });
});

describe('a URL that is signed', () => {
  it('is only for POST', async () => {
    const url = await sign(app, '/api/media/sign');
    const token = url.split('/').at(-1);
    for (const path of [url, `/media/${token}`, `/media/images/${token}`, `${PATH}/${token}`]) {
      expect((await app.inject('GET', path, { token: null })).status).toBe(401);
      for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
        const { status, headers } = await app.inject(method, path);
        expect([method, status, headers['allow']]).toEqual([method, 405, 'POST, OPTIONS']);
      }
    }
  });

  it('takes a form and nothing else', async () => {
    const url = await sign(app, '/api/media/sign');
    const headers = { 'content-type': 'image/jpeg' };
    const raw = await app.app.server.inject({ method: 'POST', url, headers, payload: filesForm([{}]) });
    expect(raw.statusCode).toBe(415);
  });
});
