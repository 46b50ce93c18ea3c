import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { benchFor, serve } from '../../capabilities/fetch/servers.ts';

const TEXT = 'all work and no play '.repeat(100);

const answering = (body: Buffer, encoding: string | undefined) =>
  serve((_request, response) => {
    if (encoding !== undefined) response.setHeader('content-encoding', encoding);
    response.end(body);
  });

test.each([
  ['gzip', gzipSync(TEXT)],
  ['x-gzip', gzipSync(TEXT)],
  ['GZIP', gzipSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['zstd', zstdCompressSync(TEXT)],
  ['identity', Buffer.from(TEXT)],
])('reads %s', async (encoding, body) => {
  const server = await answering(body, encoding);
  const answer = await benchFor(server).ask({ url: server.origin });
  expect(answer.body).toBe(TEXT);
  const names = answer.headers.map(([name]: [string]) => name);
  expect(names).not.toContain('content-encoding');
  expect(names).not.toContain('content-length');
});

test.each([
  ['compress', Buffer.from('x')],
  ['gzip, gzip', gzipSync(gzipSync('x'))],
  ['constructor', Buffer.from('x')],
])('an encoding %j is not read', async (encoding, body) => {
  const server = await answering(body, encoding);
  const { ask, failures } = benchFor(server);
  expect(await ask({ url: server.origin })).toBe('FETCH_FAILED');
  expect(failures).toEqual([{ origin: server.origin, reason: 'encoding' }]);
});

test.each([
  ['no gzip', Buffer.from('this is no gzip')],
  ['half a gzip', gzipSync(TEXT).subarray(0, 30)],
])('%s is a failure', async (_name, body) => {
  const server = await answering(body, 'gzip');
  const { ask, failures } = benchFor(server);
  expect(await ask({ url: server.origin })).toBe('FETCH_FAILED');
  expect(failures).toMatchObject([{ reason: 'broken' }]);
});

test('the bound is exact', async () => {
  const server = await answering(Buffer.alloc(1000, 'x'), undefined);
  expect((await benchFor(server, { maxBytes: 1000 }).ask({ url: server.origin })).body).toHaveLength(1000);
  expect(await benchFor(server, { maxBytes: 999 }).ask({ url: server.origin })).toBe('FETCH_FAILED');
});

test.each([
  ['gzip', gzipSync(Buffer.alloc(200_000_000))],
  ['br', brotliCompressSync(Buffer.alloc(200_000_000))],
  ['zstd', zstdCompressSync(Buffer.alloc(200_000_000))],
])('a %s bomb ends at the bound', async (encoding, bomb) => {
  const server = await answering(bomb, encoding);
  const { ask, failures } = benchFor(server, { maxBytes: 1_000_000 });
  const before = process.memoryUsage.rss();
  expect(await ask({ url: server.origin })).toBe('FETCH_FAILED');
  expect(failures).toEqual([{ origin: server.origin, reason: 'too-large' }]);
  expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
});

test('compressed nothing without end is bounded too', async () => {
  const empty = gzipSync('');
  const server = await serve((_request, response) => {
    response.setHeader('content-encoding', 'gzip');
    response.end(Buffer.concat(Array.from({ length: 10_000 }, () => empty)));
  });
  const { ask, failures } = benchFor(server, { maxBytes: 10_000 });
  expect(await ask({ url: server.origin })).toBe('FETCH_FAILED');
  expect(failures).toMatchObject([{ reason: 'too-large' }]);
});

test('a body in many small pieces arrives whole', async () => {
  const server = await serve(async (_request, response) => {
    for (let index = 0; index < 20_000; index += 1) response.write(String(index % 10));
    response.end();
  });
  const { body } = await benchFor(server).ask({ url: server.origin });
  expect(body).toBe('0123456789'.repeat(2000));
});
