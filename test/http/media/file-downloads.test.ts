import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MediaApp, startMediaApp } from './media-app.ts';

const COLLECTION = '/1.0/library/images';
const UNKNOWN = '0123456789abcdef01234567';
const TEXT = 'The quick brown fox';

let app: MediaApp;
let id: string;
beforeAll(async () => {
  app = await startMediaApp();
  id = await app.put({ path: '2026/11/22/fox.txt', bytes: TEXT });
});
afterAll(() => app.close());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  app.inject(method, `${COLLECTION}/${path}`, { headers });
const FOX = '2026/11/22/fox.txt';

describe('a file', () => {
  it('is read by its path and by the id of its record', async () => {
    for (const path of [FOX, `${FOX}/`, `${id}/file`, `${id.toUpperCase()}/file`]) {
      const answer = await get(path);
      expect(answer).toMatchObject({ status: 200, text: TEXT });
      expect(answer.headers).toMatchObject({
        'content-type': 'text/plain',
        'content-length': String(TEXT.length),
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-cache',
        'content-disposition': "inline; filename*=UTF-8''fox.txt",
        'x-content-type-options': 'nosniff',
        etag: expect.stringMatching(/^"[\w-]{27}"$/),
        'last-modified': expect.stringMatching(/ GMT$/),
      });
    }
  });

  it('answers HEAD as it answers GET, without the bytes and without ranges', async () => {
    const full = await get(FOX);
    const head = await get(FOX, { range: 'bytes=0-1' }, 'HEAD');
    expect(head).toMatchObject({ status: 200, text: '' });
    const { date: _1, 'x-request-id': _2, ...headers } = head.headers;
    expect(full.headers).toMatchObject(headers);
  });

  it('can be empty', async () => {
    await app.put({ path: 'empty.bin', bytes: '' });
    expect(await get('empty.bin')).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': '0' },
    });
    expect(await get('empty.bin', { range: 'bytes=0-' })).toMatchObject({
      status: 416,
      headers: { 'content-range': 'bytes */0' },
    });
  });

  it('directly below the collection is found by its name, whatever characters it has', async () => {
    for (const path of ['a b&c.png', 'ünï.jpg', '100%.txt', 'count.txt', `${UNKNOWN}.txt`, "x'*().txt"]) {
      await app.put({ path, bytes: path });
      expect(await get(encodeURIComponent(path))).toMatchObject({ status: 200, text: path });
    }
  });

  it('of an active type is sent in a sandbox', async () => {
    await app.put({ path: 'x.svg', mimetype: 'image/svg+xml', bytes: '<svg onload="alert(1)"/>' });
    const { headers } = await get('x.svg');
    expect(headers).toMatchObject({ 'content-type': 'image/svg+xml', 'content-security-policy': 'sandbox' });
    expect((await get(FOX)).headers).not.toHaveProperty('content-security-policy');
  });

  it('with a malformed declared type is application/octet-stream', async () => {
    await app.put({ path: 'odd', mimetype: 'text/html\r\nx-evil: 1' });
    const { headers } = await get('odd');
    expect(headers['content-type']).toBe('application/octet-stream');
    expect(headers).not.toHaveProperty('x-evil');
  });
});

describe('ranges of a file', () => {
  it.each([
    ['bytes=4-8', 'quick', '4-8'],
    ['bytes=-3', 'fox', '16-18'],
    ['bytes=16-', 'fox', '16-18'],
    ['bytes=0-999', TEXT, '0-18'],
  ])('%s', async (range, text, sent) => {
    expect(await get(FOX, { range })).toMatchObject({
      status: 206,
      text,
      headers: { 'content-range': `bytes ${sent}/19`, 'content-length': String(text.length) },
    });
  });

  it('that do not exist are 416, without the headers of the file', async () => {
    const { status, headers, body } = await get(FOX, { range: 'bytes=19-' });
    expect({ status, range: headers['content-range'] }).toEqual({ status: 416, range: 'bytes */19' });
    expect(body).toMatchObject({ success: false, errors: [{ code: 'RANGE_NOT_SATISFIABLE' }] });
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('content-disposition');
  });

  it('that are malformed, or several, get the whole file', async () => {
    for (const range of ['bytes=a-b', 'bytes=5-2', 'lines=0-1', 'bytes=0-1,3-4']) {
      expect(await get(FOX, { range })).toMatchObject({ status: 200, text: TEXT });
    }
  });

  it('are sent only of the state that If-Range names', async () => {
    const { headers } = await get(FOX);
    const range = 'bytes=4-8';
    expect(await get(FOX, { range, 'if-range': String(headers['etag']) })).toMatchObject({ status: 206 });
    expect(await get(FOX, { range, 'if-range': String(headers['last-modified']) })).toMatchObject({
      status: 206,
    });
    expect(await get(FOX, { range, 'if-range': '"other"' })).toMatchObject({ status: 200, text: TEXT });
  });
});

describe('conditional requests', () => {
  it('are 304 for a client that has the file', async () => {
    const { headers } = await get(FOX);
    const etag = String(headers['etag']);
    for (const condition of [
      { 'if-none-match': `"x", ${etag}` },
      { 'if-modified-since': String(headers['last-modified']) },
    ]) {
      const answer = await get(FOX, condition);
      expect(answer).toMatchObject({
        status: 304,
        text: '',
        headers: { etag, 'cache-control': 'private, no-cache' },
      });
      expect(answer.headers).not.toHaveProperty('content-length');
    }
    expect(await get(FOX, { 'if-none-match': '*', range: 'bytes=99-' }, 'HEAD')).toMatchObject({
      status: 304,
    });
  });

  it('are 412 if the file is in another state', async () => {
    const answer = await get(FOX, { 'if-match': '"other"' });
    expect(answer).toMatchObject({ status: 412, body: { errors: [{ code: 'PRECONDITION_FAILED' }] } });
    expect(await get(FOX, { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).toMatchObject({
      status: 412,
    });
  });

  it('tell a file from its successor under the same path', async () => {
    await app.put({ path: 'twice.txt', bytes: 'one' });
    const first = await get('twice.txt');
    writeFileSync(join(app.folder, '1.0/library/images/twice.txt'), 'two and more');
    const second = await get('twice.txt', { 'if-none-match': String(first.headers['etag']) });
    expect(second).toMatchObject({ status: 200, text: 'two and more' });
  });
});

describe('a missing file', () => {
  it.each([
    ...['2026/11/22/none.txt', 'none.txt', `${UNKNOWN}/file`, 'none/file', '2026/11/22', '2026'],
    ...['..%2f..%2f..%2fworkspace%2fconfig.json', '%2e%2e%2f%2e%2e/config.json', '%252e%252e/config.json'],
    ...[
      '2026%2F11%2F22%2Ffox.txt',
      '2026/11/22/fox.txt%00',
      '2026//11/22/fox.txt',
      '..%5cfox.txt',
      '%C0%AE%C0%AE/x',
    ],
  ])('at %s is 404 or 400', async (path) => {
    const { status, body } = await get(path);
    expect([400, 404]).toContain(status);
    expect(body.success).toBe(false);
  });

  it('a file without a record is not served', async () => {
    const upload = await app.disk.begin({
      candidate: () => '1.0/library/images/orphan.txt',
      contentType: 'text/plain',
    });
    await upload.write(
      (async function* () {
        yield Buffer.from('half');
      })(),
    );
    await upload.publish();
    expect(await get('orphan.txt')).toMatchObject({ status: 404 });
  });

  it('a record whose file is gone is 404', async () => {
    const gone = await app.put({ path: 'gone.txt' });
    rmSync(join(app.folder, '1.0/library/images/gone.txt'));
    expect(await get('gone.txt')).toMatchObject({ status: 404, body: { success: false } });
    expect(await get(`${gone}/file`)).toMatchObject({ status: 404 });
  });

  it('the file of another collection is not reached through this one', async () => {
    const other = await app.put({ collection: 'open', path: 'other.txt' });
    expect(await get('other.txt')).toMatchObject({ status: 404 });
    expect(await get(`${other}/file`)).toMatchObject({ status: 404 });
    expect(await app.inject('GET', `/1.0/library/books/${id}/file`)).toMatchObject({ status: 404 });
  });
});

describe('access to files', () => {
  it('follows the permissions of documents', async () => {
    const open = await app.put({ collection: 'open', path: 'open.txt', bytes: 'open' });
    const anonymous = { token: null };
    for (const path of ['open/open.txt', `open/${open}/file`]) {
      const answer = await app.inject('GET', `/1.0/library/${path}`, anonymous);
      expect(answer).toMatchObject({
        status: 200,
        text: 'open',
        headers: { 'cache-control': 'public, no-cache' },
      });
    }
    for (const path of [FOX, `${id}/file`, 'none.txt']) {
      const answer = await app.inject('GET', `${COLLECTION}/${path}`, anonymous);
      expect(answer).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': expect.stringContaining('Bearer') },
      });
    }
    const limited = await app.userToken('limited', { collections: [{ path: 'books' }] });
    expect(await app.inject('GET', `${COLLECTION}/${FOX}`, { token: limited })).toMatchObject({
      status: 401,
    });
    expect(await app.inject('GET', '/1.0/library/open/open.txt', { token: 'bad' })).toMatchObject({
      status: 401,
    });
  });

  it('is for reads only', async () => {
    for (const [method, path] of [
      ['PUT', FOX],
      ['DELETE', FOX],
      ['POST', `${id}/file`],
      ['PATCH', FOX],
    ] as const) {
      expect(await get(path, {}, method)).toMatchObject({
        status: 405,
        headers: { allow: 'GET, HEAD, OPTIONS' },
      });
    }
    expect(await get(FOX, {}, 'OPTIONS')).toMatchObject({
      status: 204,
      headers: { allow: 'GET, HEAD, OPTIONS' },
    });
  });

  it('does not change access to records', async () => {
    expect(await get(id)).toMatchObject({
      status: 200,
      body: { results: [{ _id: id, fileName: 'fox.txt' }] },
    });
    expect(await get('count')).toMatchObject({ status: 200 });
  });
});
