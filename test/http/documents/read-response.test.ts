import { beforeEach, describe, expect, it } from 'vitest';
import { createRegistry } from '../../../src/collections/model/registry.ts';
import { AppError } from '../../../src/errors.ts';
import { createReadResponder } from '../../../src/http/documents/read-response.ts';
import { type CachedResponse, createResponseCache } from '../../../src/http/documents/response-cache.ts';
import { createMemoryCache } from '../../../src/stores/memory-cache.ts';
import { type BareServer, bareServer } from '../bare-fastify-server.ts';
import { collection } from '../fixtures.ts';

let answer: () => CachedResponse;
let computed: number;

function open(cached: boolean, jsonp = true): BareServer {
  const registry = createRegistry();
  const books = collection('books');
  registry.put(books);
  const cache = createMemoryCache({ maxBytes: 100_000, now: () => 0 });
  const store = { watch: () => () => undefined };
  const respond = createReadResponder(
    cached ? createResponseCache({ cache, store, registry, bootId: 'b', ttlSeconds: 60 }) : undefined,
    { jsonp, connections: { holdDuring: (_socket, _bytes, work) => work() } },
  );
  return bareServer((bare) => {
    bare.get('/a', (request, reply) => {
      request.collection = books;
      return respond(request, reply, async () => {
        computed += 1;
        return answer();
      });
    });
  });
}

beforeEach(() => {
  computed = 0;
  answer = () => ({ body: '{"results":[]}' });
});

describe('a read without a cache', () => {
  it('is JSON with a tag', async () => {
    const { headers, body } = await open(false).server.inject({ url: '/a' });
    expect(body).toBe('{"results":[]}');
    expect(headers['content-type']).toBe('application/json');
    expect(headers['etag']).toMatch(/^"[\w-]+"$/);
    expect(headers['x-cache']).toBeUndefined();
  });

  it('is 304 for who has it', async () => {
    const { server } = open(false);
    answer = () => ({ body: '{}', v: 4 });
    const etag = String((await server.inject({ url: '/a' })).headers['etag']);
    expect(etag).toMatch(/^"4-/);
    const again = await server.inject({ url: '/a', headers: { 'if-none-match': `"x", W/${etag}` } });
    expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', etag]);
    answer = () => ({ body: '{}', v: 5 });
    const changed = await server.inject({ url: '/a', headers: { 'if-none-match': etag } });
    expect(changed.statusCode).toBe(200);
  });

  it('is a call with a callback, under a tag of its own', async () => {
    const { server } = open(false);
    const plain = await server.inject({ url: '/a' });
    const call = await server.inject({ url: '/a?callback=show' });
    expect(call.body).toBe('show({"results":[]});');
    expect(call.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(call.headers['etag']).not.toBe(plain.headers['etag']);
  });

  it('is no call where calls are not offered', async () => {
    const { body } = await open(false, false).server.inject({ url: '/a?callback=show' });
    expect(body).toBe('{"results":[]}');
  });

  it('is refused before anything is computed', async () => {
    const { server } = open(false);
    for (const query of ['callback=1', 'count=x', 'filter=[]', 'page=1&page=1']) {
      expect((await server.inject({ url: `/a?${query}` })).statusCode, query).toBe(400);
    }
    expect(computed).toBe(0);
  });
});

describe('a read with a cache', () => {
  const ask = async ({ server }: BareServer, query = '') => {
    const { statusCode, headers, body } = await server.inject({ url: `/a${query}` });
    return {
      statusCode,
      body,
      cache: `${headers['x-cache']} ${headers['x-cache-lookup']}`,
      tag: headers['etag'],
    };
  };

  it('is stored, then served', async () => {
    const open_ = open(true);
    answer = () => ({ body: '{"a":1}', v: 3 });
    const first = await ask(open_);
    expect(first).toMatchObject({ cache: 'MISS MISS', body: '{"a":1}' });
    const second = await ask(open_);
    expect(second).toEqual({ ...first, cache: 'HIT HIT' });
    expect(computed).toBe(1);
  });

  it('bypasses the cache on demand, and does not replace what is there', async () => {
    const opened = open(true);
    expect((await ask(opened, '?cache=false')).cache).toBe('MISS MISS');
    answer = () => ({ body: '{"new":1}' });
    expect(await ask(opened, '?cache=false')).toMatchObject({ cache: 'MISS HIT', body: '{"new":1}' });
    expect(await ask(opened, '?cache=true')).toMatchObject({ cache: 'HIT HIT', body: '{"results":[]}' });
  });

  it('serves a call from what was stored as JSON', async () => {
    const opened = open(true);
    await ask(opened);
    expect(await ask(opened, '?callback=show')).toMatchObject({
      cache: 'HIT HIT',
      body: 'show({"results":[]});',
    });
  });

  it('keeps no refusals', async () => {
    const opened = open(true);
    answer = () => {
      throw new AppError('DOCUMENT_NOT_FOUND');
    };
    expect(await ask(opened)).toMatchObject({ statusCode: 404, cache: 'undefined undefined' });
    answer = () => ({ body: '{}' });
    expect(await ask(opened)).toMatchObject({ statusCode: 200, cache: 'MISS MISS' });
  });
});
