import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp } from '../../helpers/app/app.ts';
import { openDelivery, startDelivery } from '../../helpers/app/delivery.ts';
import { FORM_TYPE, formOf } from '../../helpers/app/media-server.ts';

const picture = (width = 40, height = 30) =>
  sharp({ create: { width, height, channels: 3, background: '#c33' } })
    .png()
    .toBuffer();
const PREVIEW = '/api/recipes/preview';

describe('a preview of a recipe', () => {
  let shared: Awaited<ReturnType<typeof openDelivery>>;
  let photo: Buffer;
  beforeAll(async () => {
    photo = await picture();
    const files = {
      '2026/a b%é.png': photo,
      'note.txt': 'a text',
      'x.svg': '<svg/>',
      'broken.png': 'no image',
    };
    shared = await openDelivery({ files, recipes: { preview: { settings: { width: 5 } } } });
  });
  afterAll(() => shared.close());

  /** The image of an answer: injected answers are text otherwise. */
  const render = async (port: 'content' | 'delivery', body: object, headers = {}) => {
    const server = port === 'content' ? shared.app.app.server : await shared.app.app.deliveryServer();
    const authorization = `Bearer ${await shared.app.adminToken()}`;
    return server.inject({
      method: 'POST',
      url: PREVIEW,
      headers: { authorization, ...headers },
      payload: body,
    });
  };

  test.each(['content', 'delivery'] as const)('is rendered on the port of the %s server', async (port) => {
    const body = { original: '2026/a b%é.png', settings: { width: 20, format: 'webp,jpg' } };
    const answer = await render(port, body, { accept: 'image/webp' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/webp',
      'content-length': String(answer.rawPayload.length),
      'cache-control': 'no-store',
      vary: expect.stringContaining('Accept'),
      'x-original-size': String(photo.length),
    });
    expect(answer.headers).not.toHaveProperty('x-cache');
    expect(await sharp(answer.rawPayload).metadata()).toMatchObject({
      format: 'webp',
      width: 20,
      height: 15,
    });
    const plain = await render(port, body);
    expect(plain.headers['content-type']).toBe('image/jpeg');
  });

  test('follows the settings and the path of the recipe, whatever its name', async () => {
    const body = { recipe: 'x', path: '/2026', original: '/a b%é.png', settings: { format: 'json' } };
    const { statusCode, headers, ...answer } = await render('content', body);
    expect([statusCode, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(answer.json()).toMatchObject({ width: 40, height: 30, fileSize: photo.length });
  });

  test.each([
    ['without an original', { settings: {} }, 'Property "original" must be'],
    ['with an original that is no text', { original: 1, settings: {} }, 'Property "original" must be'],
    ['with an original that is too long', { original: 'a'.repeat(4097), settings: {} }, 'must be'],
    ['without settings', { original: 'a.png' }, 'Property "settings" not found in recipe'],
    ['with a wrong setting', { original: 'a.png', settings: { width: -1 } }, 'Setting "width"'],
    ['with an unknown setting', { original: 'a.png', settings: { widht: 1 } }, 'Setting "widht" is unknown'],
    ['with an unknown property', { original: 'a.png', settings: {}, x: 1 }, 'Property "x" is unknown'],
    ['that is a list', [], 'The recipe must be an object'],
  ])('%s is 400 with what is wrong', async (_what, body, message) => {
    const answer = await shared.asAdmin('POST', PREVIEW, body);
    expect(answer).toMatchObject({
      status: 400,
      body: { success: false, errors: [{ error: expect.stringContaining(message) }] },
    });
  });

  test.each([
    ['of a file that is not there', 'none.png', 404, 'File not found'],
    ['of a path that leads out', '../config.json', 404, 'File not found'],
    ['of another web server, where none is allowed', 'https://example.com/a.png', 403, expect.any(String)],
    ['of a text', 'note.txt', 400, 'There is nothing to render: delivered as it is'],
    ['of an SVG', 'x.svg', 400, 'There is nothing to render: delivered as it is'],
    ['of a damaged image', 'broken.png', 400, 'Image data is invalid'],
  ])('%s is refused as delivery refuses it', async (_what, original, status, message) => {
    const answer = await shared.asAdmin('POST', PREVIEW, { original, settings: { width: 5 } });
    expect(answer).toMatchObject({ status, body: { success: false, errors: [message] } });
  });

  test('of assets is 400: nothing is rendered', async () => {
    const body = { original: '2026/a b%é.png', settings: { format: 'css' } };
    expect((await shared.asAdmin('POST', PREVIEW, body)).status).toBe(400);
  });

  test('leaves the recipe of that name what it is', async () => {
    for (const get of [await shared.asAdmin('GET', PREVIEW), await shared.app.inject('GET', PREVIEW)]) {
      expect(get.body).toEqual({ recipe: 'preview', settings: { width: 5 } });
    }
    const other = await shared.asAdmin('PATCH', PREVIEW, {});
    expect(other.headers).toMatchObject({ allow: 'GET, HEAD, POST, PUT, DELETE, OPTIONS' });
  });

  test('is for admins', async () => {
    const token = await shared.app.userToken('user');
    for (const who of [null, token]) {
      const body = { original: 'none.png', settings: {} };
      expect((await shared.inject('POST', PREVIEW, { token: who, body })).status).toBe(401);
      expect((await shared.app.inject('POST', PREVIEW, { token: who, body })).status).toBe(401);
    }
  });
});

test('a preview is bounded as any rendering: a result with too many pixels is 413', async () => {
  const config = { delivery: { render: { maxOutputPixels: 100 } } };
  const { asAdmin } = await startDelivery({ files: { 'a.png': await picture() }, config });
  const answer = await asAdmin('POST', PREVIEW, { original: 'a.png', settings: { width: 20 } });
  expect(answer.status).toBe(413);
});

test('a process that serves the content API alone previews a file of the media store, unless only clients may read it', async () => {
  const media = (authenticate: boolean | string[]) => ({
    fields: {},
    settings: { type: 'media', authenticate },
  });
  const specs = { '1.0/library/photos': media(['POST']), '1.0/library/private': media(true) };
  const app = await startApp({ specs });
  try {
    const upload = async (collection: string) => {
      const body = formOf([{ fileName: 'a.png', type: 'image/png', body: await picture() }]);
      const answer = await app.app.server.inject({
        method: 'POST',
        url: `/1.0/library/${collection}`,
        headers: { authorization: `Bearer ${await app.adminToken()}`, 'content-type': FORM_TYPE },
        payload: body,
      });
      return answer.json().results[0].path as string;
    };
    const preview = async (collection: string) =>
      app.inject('POST', PREVIEW, { body: { original: await upload(collection), settings: { width: 8 } } });
    expect((await preview('photos')).status).toBe(200);
    expect((await preview('private')).status).toBe(404);
  } finally {
    await app.close();
  }
});
