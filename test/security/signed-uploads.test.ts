// What somebody with a signed URL, or without one, may try: the URL uploads the file that was signed for, once, in time.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { type SentFile, sign, upload } from '../helpers/app/media-server.ts';
import { sendRaw } from '../helpers/server-process/client.ts';

const SECRET = 'one secret of more than thirty-two characters for both';
const MEDIA = { fields: { caption: {} }, settings: { type: 'media' } };
const FILE = { fileName: 'test.jpg', mimetype: 'image/jpeg' };
const PATH = '/1.0/library/images';
const ALL = ['/api/media/', '/media/', '/media/images/', `${PATH}/`];

let app: TestApp;
let address: string;
const log: string[] = [];

beforeAll(async () => {
  app = await startApp({
    specs: { '1.0/library/images': MEDIA, '1.0/library/films': MEDIA },
    config: { auth: { tokenSecret: SECRET }, media: { tokenSecret: SECRET } },
    log,
    logLevel: 'debug',
  });
  address = await app.listen();
});

afterAll(() => app.close());

const signImage = (body: object = {}) => sign(app, '/media/images/sign', body);
const tokenOf = (url: string) => url.split('/').at(-1) ?? '';
const count = async (path = PATH) => (await app.inject('GET', `${path}/count`)).body.metadata.totalCount;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());

function forge(header: object, payload: object, secret = SECRET): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** Nothing is stored by what `attempt` does. */
async function storesNothing(attempt: () => Promise<void>): Promise<void> {
  const before = await Promise.all([count(), count('/1.0/library/films')]);
  await attempt();
  expect(await Promise.all([count(), count('/1.0/library/films')])).toEqual(before);
}

async function refusesTokens(tokens: readonly string[], prefixes: readonly string[] = ALL): Promise<void> {
  for (const token of tokens) {
    for (const prefix of prefixes) {
      const { status, body } = await upload(app, prefix + token);
      const seen = { status, name: body.name, message: body.message, success: body.success };
      const invalid = { status: 400, name: 'JsonWebTokenError', message: 'invalid token', success: false };
      expect(seen, prefix + token.slice(0, 60)).toEqual(invalid);
    }
  }
}

describe('a token that was tampered with', () => {
  it('is refused, however it was', async () => {
    const token = tokenOf(await signImage());
    const [header = '', body = '', signature = ''] = token.split('.');
    const payload = decode(body);
    const films = { ...payload, collection: { ...payload.collection, name: 'films' } };
    await storesNothing(() =>
      refusesTokens([
        `${header}.${encode({ ...payload, exp: payload.exp + 1e6 })}.${signature}`,
        `${header}.${encode({ ...payload, fileName: 'evil.html' })}.${signature}`,
        `${header}.${encode(films)}.${signature}`,
        `${encode({ alg: 'none' })}.${body}.`,
        `${encode({ alg: 'None', typ: 'JWT' })}.${body}.${signature}`,
        `${encode({ alg: 'HS256', kid: '../../dev/null' })}.${body}.${signature}`,
        forge({ alg: 'HS256' }, payload, 'another secret that nobody knows, also long'),
        forge({ alg: 'HS512' }, payload),
        forge({ alg: 'RS256', jwk: { kty: 'oct', k: '' } }, payload),
        forge({ alg: 'ES256' }, payload),
        token.slice(0, -1),
        `${token}.`,
        `${token}${token}`,
        'a.b.c',
        '..a.',
      ]),
    );
  });

  it('is refused when it is huge, and what is longer than all headers is not read', async () => {
    const long = `${'a'.repeat(9000)}.${'b'.repeat(9000)}.${'c'.repeat(9000)}`;
    const dots = `a${'.'.repeat(20_000)}`;
    await storesNothing(() => refusesTokens([long, dots]));
  });

  it('tells nothing of why it was refused', async () => {
    const { text } = await upload(app, '/api/media/a.b.c');
    expect(text).not.toMatch(/signature|malformed|secret|node_modules|\.ts/i);
  });
});

describe('tokens of another kind', () => {
  it('access tokens upload nothing, though the same secret signs them', async () => {
    const token = await app.adminToken();
    await storesNothing(() => refusesTokens([token]));
  });

  it('upload tokens open nothing else', async () => {
    const token = tokenOf(await signImage());
    for (const path of ['/api/config', '/api/collections', PATH, '/api/media/sign']) {
      const { status, headers } = await app.inject('GET', path, { token });
      expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining('invalid_token')]);
    }
    expect((await upload(app, PATH, {}, { token })).status).toBe(401);
  });
});

describe('a good token', () => {
  it('is good in the path alone', async () => {
    const token = tokenOf(await signImage());
    await storesNothing(async () => {
      for (const path of ['/media/images', PATH, '/media/films', '/api/media']) {
        for (const query of [`token=${token}`, `access_token=${token}`]) {
          expect((await upload(app, `${path}?${query}`)).status).toBe(401);
        }
      }
    });
  });

  it('is refused at another collection, and good there where it belongs', async () => {
    const token = tokenOf(await signImage());
    await storesNothing(() => refusesTokens([token], ['/media/films/', '/1.0/library/films/']));
    expect((await upload(app, `${PATH}/${token}`)).status).toBe(201);
  });

  it.each<[string, SentFile]>([
    ['Unexpected filename', { fileName: 'Test.jpg' }],
    ['Unexpected filename', { fileName: 'test.jpg.html' }],
    ['Unexpected filename', { fileName: '../test.jpg' }],
    ['Unexpected filename', { fileName: 'x/test.jpg' }],
    ['Unexpected filename', { fileName: 'C:\\test.jpg' }],
    ['Unexpected filename', { fileName: '' }],
    ['Unexpected mimetype', { mimetype: 'text/html' }],
    ['Unexpected mimetype', { mimetype: 'image/jpeg2' }],
    ['Unexpected mimetype', { mimetype: 'text/html; image/jpeg' }],
  ])('takes no other file: %s of %j', async (name, file) => {
    const url = await signImage();
    await storesNothing(async () => {
      const answer = await upload(app, url, file);
      // A part without a file name is a field, and no file at all.
      const expected = file.fileName === '' ? [400] : [400, name];
      expect([answer.status, answer.body.name].slice(0, expected.length)).toEqual(expected);
    });
  });

  it('takes the file with its name in another normal form, and its type in another case', async () => {
    const url = await signImage({ fileName: '\u00fcn\u00ef.jpg', mimetype: 'Image/JPEG' });
    const sent = { fileName: 'u\u0308ni\u0308.jpg', mimetype: 'IMAGE/jpeg; charset=x' };
    const { status, body } = await upload(app, url, sent);
    expect([status, body.results[0].mimetype]).toEqual([201, 'image/jpeg']);
  });

  it('takes one file, not two', async () => {
    const url = await signImage();
    await storesNothing(async () => {
      expect((await upload(app, url, [{}, { fileName: 'second.html' }])).status).toBe(400);
      expect((await upload(app, url, [{}, {}])).status).toBe(400);
    });
    expect((await upload(app, url)).status).toBe(201);
  });

  it('can be used once, also by twenty at once under every address', async () => {
    const token = tokenOf(await signImage());
    const before = await count();
    const attempts = Array.from({ length: 20 }, (_, at) => `${ALL[at % ALL.length]}${token}`);
    const answers = await Promise.all(
      attempts.map((url, at) => upload(app, url, { content: `file number ${at}` })),
    );
    const stored = answers.filter(({ status }) => status === 201);
    const others = answers.filter(({ status }) => status !== 201);
    expect(stored).toHaveLength(1);
    expect(new Set(others.map(({ status, body }) => `${status} ${body.name}`))).toEqual(
      new Set(['400 TokenUsedError']),
    );
    expect(await count()).toBe(before + 1);
    const bytes = await app.inject('GET', `${PATH}/${stored[0]?.body.results[0]._id}/file`);
    expect(bytes.text).toBe(`file number ${answers.findIndex(({ status }) => status === 201)}`);
    expect((await upload(app, `/api/media/${token}`)).body.name).toBe('TokenUsedError');
  });

  it('is not used up, and stores nothing, when the form breaks off', async () => {
    const url = await signImage();
    const type = 'multipart/form-data; boundary=b';
    const cut =
      '--b\r\nContent-Disposition: form-data; name="f"; filename="test.jpg"\r\nContent-Type: image/jpeg\r\n\r\nhalf';
    await storesNothing(async () => {
      const headers = { 'content-type': type };
      const answer = await app.app.server.inject({ method: 'POST', url, headers, payload: cut });
      expect(answer.statusCode).toBe(400);
    });
    expect((await upload(app, url)).status).toBe(201);
  });
});

describe('a body of a gigabyte', () => {
  /** Sends the head of an upload and one byte of its body, and resolves with the answer. */
  const head = (path: string) => {
    const type = 'Content-Type: multipart/form-data; boundary=b';
    const lines = [`POST ${path} HTTP/1.1`, 'Host: test', type, 'Content-Length: 1000000000', '', '-'];
    return sendRaw(address, lines.join('\r\n'));
  };

  it('is not waited for where the token is bad or used', async () => {
    const used = await signImage();
    expect((await upload(app, used)).status).toBe(201);
    for (const [path, name] of [
      ['/api/media/a.b.c', 'JsonWebTokenError'],
      [used, 'TokenUsedError'],
      [`${PATH}/${tokenOf(await sign(app, '/media/films/sign'))}`, 'JsonWebTokenError'],
    ] as const) {
      const answer = await head(path);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain(`"name":"${name}"`);
    }
  });
});

describe('the log', () => {
  it('has no token, used, refused or percent-encoded', async () => {
    const url = await signImage();
    const encoded = url.replaceAll('.', '%2e');
    await upload(app, `${url}/`, { fileName: 'other.jpg' });
    await upload(app, encoded);
    await upload(app, `${url}?a=b`);
    await app.inject('GET', url);
    const [, body = '', signature = ''] = tokenOf(url).split('.');
    const text = log.join('\n');
    expect(text).toContain('"path":"/media/images/<token>"');
    for (const part of [body, signature]) expect(text).not.toContain(part);
  });
});

describe('names that come with the request', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', '..', '%2e%2e', 'sign'])(
    'are no buckets: %s',
    async (name) => {
      expect([401, 404, 405]).toContain((await upload(app, `/media/${name}`)).status);
      expect((await app.inject('POST', `/media/${name}/sign`, { body: FILE })).status).toBe(404);
      const body = { ...FILE, collection: name, version: name, database: name };
      expect((await app.inject('POST', '/api/media/sign', { body })).status).toBe(404);
    },
  );
});
