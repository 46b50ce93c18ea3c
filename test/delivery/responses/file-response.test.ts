import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { OriginalFile } from '../../../src/delivery/model/delivery-types.ts';
import {
  createFileResponse,
  type DeliveryResponse,
  type FileRequestHeaders,
  negotiateContentEncoding,
} from '../../../src/delivery/responses/file-response.ts';
import type { ByteRange } from '../../../src/stores/media-store.ts';

const CACHING = { cacheControl: 'public, max-age=9', vary: ['User-Agent'] };
const TEXT = 'body { color: red } '.repeat(100);

/** A style sheet, or a file of another type and content. */
function found({
  contentType = 'text/css',
  content = TEXT,
  ...file
}: Partial<OriginalFile> & { content?: string } = {}) {
  const open = async (range?: ByteRange) =>
    Readable.from([Buffer.from(content).subarray(range?.start ?? 0, (range?.end ?? content.length) + 1)]);
  const source = {
    size: content.length,
    modifiedAt: 0,
    validator: 'v',
    contentType: undefined,
    open,
    ...file,
  };
  return { file: source, contentType: contentType ?? '', sourceId: 'file:a' };
}

const encode = { br: brotliCompressSync, gzip: gzipSync };

/** Compresses in memory. */
const compressOf =
  ({ file }: ReturnType<typeof found>) =>
  async (encoding: 'br' | 'gzip') => {
    const bytes = encode[encoding](await buffer(await file.open()));
    return { bytes, size: bytes.length, open: async () => Readable.from([bytes]) };
  };

const ask = async (file: ReturnType<typeof found>, request: Partial<FileRequestHeaders> = {}) => {
  const headers = { acceptEncoding: undefined, range: undefined, ifRange: undefined };
  return createFileResponse(
    file,
    { ...headers, ifNoneMatch: undefined, ifModifiedSince: undefined, ...request },
    { ...CACHING, compress: compressOf(file) },
  );
};

const bytesOf = async ({ body }: DeliveryResponse) =>
  typeof body === 'function' ? buffer(await body()) : (body ?? Buffer.alloc(0));

test('a file is sent whole with everything that a cache needs', async () => {
  const answer = await ask(found());
  expect(answer).toMatchObject({
    status: 200,
    headers: {
      'Content-Type': 'text/css',
      'Content-Length': String(TEXT.length),
      'Cache-Control': 'public, max-age=9',
      'Last-Modified': 'Thu, 01 Jan 1970 00:00:00 GMT',
      'Accept-Ranges': 'bytes',
      Vary: 'User-Agent, Accept-Encoding',
    },
  });
  expect((await bytesOf(answer)).toString()).toBe(TEXT);
});

test('a compressed file has an ETag and a length of its own', async () => {
  const [plain, gzip, brotli] = [
    await ask(found()),
    await ask(found(), { acceptEncoding: 'gzip' }),
    await ask(found(), { acceptEncoding: 'br' }),
  ];
  expect(gzip.headers).toMatchObject({ 'Content-Encoding': 'gzip', Vary: 'User-Agent, Accept-Encoding' });
  expect(gzip.headers['Content-Length']).toBe(String((await bytesOf(gzip)).length));
  expect(gzip.headers).not.toHaveProperty('Accept-Ranges');
  expect(gunzipSync(await bytesOf(gzip)).toString()).toBe(TEXT);
  expect(new Set([plain, gzip, brotli].map(({ headers }) => headers['ETag'])).size).toBe(3);
});

test.each([
  ['of a type that is compressed already', found({ contentType: 'image/png' })],
  ['of a few bytes', found({ content: 'x' })],
  ['of very many bytes', found({ size: 16_777_217 })],
])('a file %s is not compressed', async (_what, file) => {
  expect((await ask(file, { acceptEncoding: 'gzip' })).headers).not.toHaveProperty('Content-Encoding');
  expect((await ask(file, { acceptEncoding: 'gzip' })).headers['Vary']).toBe('User-Agent');
});

test('a range is one of the plain file, which is not compressed then', async () => {
  const answer = await ask(found(), { acceptEncoding: 'gzip', range: 'bytes=5-9' });
  expect(answer.status).toBe(206);
  expect(answer.headers).toMatchObject({
    'Content-Range': `bytes 5-9/${TEXT.length}`,
    'Content-Length': '5',
  });
  expect((await bytesOf(answer)).toString()).toBe(TEXT.slice(5, 10));
});

test('a range that the file does not have is 416 and uncacheable', async () => {
  const { status, headers, body } = await ask(found(), { range: 'bytes=99999-' });
  expect({ status, body }).toEqual({ status: 416, body: undefined });
  expect(headers).toMatchObject({ 'Content-Range': `bytes */${TEXT.length}`, 'Cache-Control': 'no-store' });
});

test('the last bytes of an empty file are the whole file', async () => {
  const { status, headers } = await ask(found({ content: '' }), { range: 'bytes=-5' });
  expect(status).toBe(200);
  expect(headers).toMatchObject({ 'Content-Length': '0', 'Accept-Ranges': 'bytes' });
});

test.each([
  ['"other"', 200],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 206],
  ['Fri, 02 Jan 1970 00:00:00 GMT', 200],
])('a range with If-Range %s is %i', async (ifRange, status) => {
  expect((await ask(found(), { range: 'bytes=0-1', ifRange })).status).toBe(status);
});

test('a client that has the file gets 304 with the headers of caching, and the file is not opened', async () => {
  const etag = (await ask(found())).headers['ETag'];
  const { status, headers, body } = await ask(found({ open: () => Promise.reject(new Error('opened')) }), {
    ifNoneMatch: etag,
  });
  expect({ status, body }).toEqual({ status: 304, body: undefined });
  expect(headers).toEqual({
    ETag: etag,
    'Last-Modified': 'Thu, 01 Jan 1970 00:00:00 GMT',
    Vary: 'User-Agent, Accept-Encoding',
    'Cache-Control': 'public, max-age=9',
  });
});

test('the ETag of one content coding does not match another', async () => {
  const etag = (await ask(found(), { acceptEncoding: 'gzip' })).headers['ETag'];
  expect((await ask(found(), { acceptEncoding: 'br', ifNoneMatch: etag })).status).toBe(200);
});

test('a file of unknown size has no ranges and no length', async () => {
  const { status, headers } = await ask(found({ size: undefined, contentType: 'video/mp4' }), {
    range: 'bytes=0-1',
  });
  expect(status).toBe(200);
  expect(headers).not.toHaveProperty('Content-Length');
  expect(headers).not.toHaveProperty('Accept-Ranges');
});

test('a file in which a browser may run code is sent in a sandbox', async () => {
  expect((await ask(found({ contentType: 'image/svg+xml' }))).headers['Content-Security-Policy']).toBe(
    'sandbox',
  );
});

test.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['GZIP, BR', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.5, gzip', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['gzip;q=0, *', 'br'],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['identity', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  ['gzip;q=nonsense', undefined],
  ['gzip ; q=0.2', 'gzip'],
  ['deflate', undefined],
])('Accept-Encoding %j is negotiated to %j', (header, encoding) => {
  expect(negotiateContentEncoding(header)).toBe(encoding);
});

test('a file that cannot be compressed now is sent as it is, with the ETag of that', async () => {
  const plain = await ask(found());
  const headers = { acceptEncoding: 'br', range: undefined, ifRange: undefined };
  const answer = await createFileResponse(found(), headers, { ...CACHING, compress: async () => undefined });
  expect(answer.headers).toEqual(plain.headers);
  const off = await createFileResponse(found(), headers, CACHING);
  expect(off.headers).toEqual({ ...plain.headers, Vary: 'User-Agent' });
});

test.each([
  [{ ifMatch: '"other"' }, 412],
  [{ ifMatch: '*' }, 200],
  [{ ifUnmodifiedSince: 'Wed, 31 Dec 1969 23:59:59 GMT' }, 412],
  [{ ifUnmodifiedSince: 'Thu, 01 Jan 1970 00:00:00 GMT' }, 200],
])('a condition %j is answered with %i', async (condition, status) => {
  const answer = ask(found(), condition).then(
    (sent) => sent.status,
    (error: { readonly status: number }) => error.status,
  );
  expect(await answer).toBe(status);
});
