import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { namesAt, remoteSource, serveOriginals } from './servers.ts';

const at = (port: number, path: string) => new URL(`http://images.test:${port}${path}`);
const allow = (port: number) => [`http://images.test:${port}`];

test('a file is found with what its server says about it, and read', async () => {
  const port = await serveOriginals((request, response) => {
    response.writeHead(200, { 'content-type': 'image/png', etag: '"1"', 'content-length': 5 });
    response.end(request.url === '/a.png' ? 'bytes' : 'other');
  });
  const file = await remoteSource({ allow: allow(port) }).find(at(port, '/a.png'));
  expect(file).toMatchObject({ size: 5, contentType: 'image/png', modifiedAt: undefined });
  expect(await text((await file?.open()) ?? Readable.from([]))).toBe('bytes');
});

test('the validator follows the entity tag, else the time, else the minute', async () => {
  const headers: Record<string, string> = {};
  const port = await serveOriginals((_request, response) => response.writeHead(200, headers).end('x'));
  let now = 0;
  const source = remoteSource({ allow: allow(port), now: () => now });
  const validator = async () => (await source.find(at(port, '/a')))?.validator;
  const first = await validator();
  expect(await validator()).toBe(first);
  now = 60_000;
  expect(await validator()).not.toBe(first);
  headers['last-modified'] = 'Thu, 01 Jan 1970 00:00:01 GMT';
  expect((await source.find(at(port, '/a')))?.modifiedAt).toBe(1000);
  headers['etag'] = '"a"';
  const tagged = await validator();
  headers['etag'] = '"b"';
  expect(await validator()).not.toBe(tagged);
});

test('a part of a file is asked of its server, and taken out of the whole where that is what it gives', async () => {
  let sends = 'part';
  const port = await serveOriginals((request, response) => {
    const isPart = sends !== 'whole' && request.headers.range !== undefined;
    const range = isPart ? { 'content-range': sends === 'part' ? 'bytes 2-4/9' : 'bytes 3-5/9' } : {};
    response.writeHead(isPart ? 206 : 200, { etag: '"1"', ...range });
    response.end(isPart ? request.headers.range?.slice(6) : '012345678');
  });
  const file = await remoteSource({ allow: allow(port) }).find(at(port, '/a'));
  const part = async () => text((await file?.open({ start: 2, end: 4 })) ?? Readable.from([]));
  expect(await part()).toBe('2-4');
  sends = 'whole';
  expect(await part()).toBe('234');
  sends = 'another part';
  await expect(part()).rejects.toMatchObject({ code: 'ORIGIN_FAILED' });
});

test.each([
  [404, undefined],
  [410, undefined],
])('status %i of the other server means that there is no such file', async (status, found) => {
  const port = await serveOriginals((_request, response) => response.writeHead(status).end());
  expect(await remoteSource({ allow: allow(port) }).find(at(port, '/a'))).toBe(found);
});

test.each([500, 503, 403, 204, 304])('status %i of the other server is 502', async (status) => {
  const port = await serveOriginals((_request, response) => response.writeHead(status).end());
  const found = remoteSource({ allow: allow(port) }).find(at(port, '/a'));
  await expect(found).rejects.toMatchObject({ code: 'ORIGIN_FAILED', status: 502 });
});

test('a server that answers GET and not HEAD will do', async () => {
  const port = await serveOriginals((request, response) =>
    response.writeHead(request.method === 'GET' ? 200 : 405, { etag: '"1"' }).end('bytes'),
  );
  const file = await remoteSource({ allow: allow(port) }).find(at(port, '/a'));
  expect(await text((await file?.open()) ?? Readable.from([]))).toBe('bytes');
});

test('a server that does not answer in time is 504, before its headers and behind them', async () => {
  const port = await serveOriginals((request, response) => {
    if (request.url !== '/slow-body') return;
    response.writeHead(200, { etag: '"1"' });
    if (request.method === 'HEAD') response.end();
    else response.write('x');
  });
  const hasty = remoteSource({ allow: allow(port), seconds: 0.2 });
  await expect(hasty.find(at(port, '/silent'))).rejects.toMatchObject({
    code: 'ORIGIN_TIMEOUT',
    status: 504,
  });
  // Its headers must come in time on a busy machine, too.
  const source = remoteSource({ allow: allow(port), seconds: 2 });
  const file = await source.find(at(port, '/slow-body'));
  const stream = (await file?.open()) ?? Readable.from([]);
  await expect(text(stream)).rejects.toMatchObject({ code: 'ORIGIN_TIMEOUT' });
});

test('a server that nobody can connect to, or that breaks off, is 502', async () => {
  const port = await serveOriginals((request, response) => {
    if (request.method === 'HEAD') response.writeHead(200, { etag: '"1"' }).end();
    else
      response
        .writeHead(200, { etag: '"1"', 'content-length': 100 })
        .write('x', () => request.socket.destroy());
  });
  const file = await remoteSource({ allow: allow(port) }).find(at(port, '/a'));
  const stream = (await file?.open()) ?? Readable.from([]);
  await expect(text(stream)).rejects.toMatchObject({ code: 'ORIGIN_FAILED' });
  const closed = remoteSource({ allow: ['http://images.test:1'] }).find(new URL('http://images.test:1/a'));
  await expect(closed).rejects.toMatchObject({ code: 'ORIGIN_FAILED' });
});

test('an original of more bytes than it may have ends as soon as it does', async () => {
  const port = await serveOriginals((_request, response) => {
    response.writeHead(200, { etag: '"1"' });
    response.end('x'.repeat(1001));
  });
  const file = await remoteSource({ allow: allow(port) }).find(at(port, '/a'));
  await expect(text((await file?.open()) ?? Readable.from([]))).rejects.toMatchObject({
    code: 'ORIGIN_FAILED',
  });
});

test('a file that changes between the two requests is not taken for the one that was found', async () => {
  let version = 1;
  const port = await serveOriginals((_request, response) =>
    response.writeHead(200, { etag: `"${version}"` }).end('bytes'),
  );
  const file = await remoteSource({ allow: allow(port) }).find(at(port, '/a'));
  version = 2;
  await expect(file?.open()).rejects.toMatchObject({ code: 'ORIGIN_FAILED' });
});

test('redirects are followed within the list, three at most', async () => {
  const port = await serveOriginals((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.writeHead(200, { etag: '"1"' }).end('bytes');
    else response.writeHead(302, { location: `/${left - 1}` }).end();
  });
  const source = remoteSource({ allow: allow(port) });
  expect(await text((await (await source.find(at(port, '/3')))?.open()) ?? Readable.from([]))).toBe('bytes');
  await expect(source.find(at(port, '/4'))).rejects.toMatchObject({ code: 'ORIGIN_REFUSED' });
});

test('a redirect that says no location is an answer that brings no file, as any other status would be', async () => {
  const port = await serveOriginals((_request, response) => response.writeHead(302).end());
  const found = remoteSource({ allow: allow(port) }).find(at(port, '/a'));
  await expect(found).rejects.toMatchObject({ code: 'ORIGIN_FAILED' });
});

test('a compressed answer is refused: nobody asked for one', async () => {
  const port = await serveOriginals((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(),
  );
  const found = remoteSource({ allow: allow(port) }).find(at(port, '/a'));
  await expect(found).rejects.toMatchObject({ code: 'ORIGIN_FAILED' });
});

test('the name is looked up once for a request, and the connection goes to the address that was found', async () => {
  const port = await serveOriginals((request, response) =>
    response.writeHead(200, { etag: '"1"' }).end(request.headers.host),
  );
  const names = namesAt('127.0.0.1');
  const file = await remoteSource({ allow: allow(port), names }).find(at(port, '/a'));
  expect(await text((await file?.open()) ?? Readable.from([]))).toBe(`images.test:${port}`);
  expect(names.asked).toEqual(['images.test', 'images.test']);
});
