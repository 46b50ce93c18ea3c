import { beforeEach, describe, expect, it } from 'vitest';
import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import { createDocumentReads } from '../../../src/http/documents/document-reads.ts';
import { createReadQueryParser } from '../../../src/http/documents/read-query.ts';
import { createResponseCache } from '../../../src/http/documents/response-cache.ts';
import { createMemoryCache } from '../../../src/stores/memory-cache.ts';
import { soleCoordination } from '../../helpers/store/coordination.ts';
import { type BareServer, bareServer } from '../bare-fastify-server.ts';
import { callerOf, collection } from '../fixtures.ts';

const METADATA = { page: 1, offset: 0, totalCount: 1, totalPages: 1 };
const bodyOf = (document: string) => `{"results":[${document}],"metadata":${JSON.stringify(METADATA)}}`;

let stored: { readonly text: string; readonly v: number } | undefined;
let reads: number;

/** A server with the handlers for one document, and a document service that counts its reads. */
function open({ isCached }: { readonly isCached: boolean }): BareServer {
  const registry = createCollectionRegistry();
  const books = collection('books');
  registry.put(books);
  const cache = createResponseCache({
    cache: createMemoryCache({ maxBytes: 100_000, now: () => 0 }),
    store: { onCommit: () => () => undefined },
    registry,
    bootId: 'b',
    ttlSeconds: 60,
    processes: { ...soleCoordination(), membership: () => 0 },
    marks: undefined,
    now: () => 0,
  });
  const read = async () => {
    reads += 1;
    if (stored === undefined) return { text: '', count: 0, metadata: { ...METADATA, totalCount: 0 } };
    return { text: stored.text, count: 1, metadata: METADATA, v: stored.v };
  };
  const documents = { get: read, list: read, count: async () => ({ metadata: METADATA }) };
  const deps = { documents, config: { limits: { queryMs: 1000 } }, now: () => 0 };
  const handlers = createDocumentReads(deps as never, {
    cache: isCached ? cache : undefined,
    connections: { reserveDuring: (_socket, _bytes, work) => work() },
    parse: createReadQueryParser(),
  });
  return bareServer((bare) => {
    bare.addHook('onRequest', async (request) => {
      request.collection = books;
      request.caller = callerOf(null);
    });
    bare.get('/list', handlers.list);
    bare.get('/one/:id', handlers.one);
    bare.get('/count', handlers.count);
  });
}

async function get({ server }: BareServer, url: string) {
  const { statusCode, headers, body } = await server.inject({ url });
  const cache = `${headers['x-cache']} ${headers['x-cache-lookup']}`;
  return { statusCode, body, cache, etag: headers['etag'] };
}

beforeEach(() => {
  reads = 0;
  stored = { text: '{"a":1}', v: 3 };
});

describe('a read without a cache', () => {
  it('names no cache in its headers', async () => {
    const opened = open({ isCached: false });
    expect(await get(opened, '/list')).toMatchObject({
      body: bodyOf('{"a":1}'),
      cache: 'undefined undefined',
    });
  });

  it('offers JSONP for lists and documents only', async () => {
    const opened = open({ isCached: false });
    expect((await get(opened, '/list?callback=show')).body).toBe(`show(${bodyOf('{"a":1}')});`);
    expect((await get(opened, '/one/1?callback=show')).body).toBe(`show(${bodyOf('{"a":1}')});`);
    expect((await get(opened, '/count?callback=show')).body).toBe(JSON.stringify({ metadata: METADATA }));
  });

  it('rejects bad parameters before documents are read', async () => {
    const opened = open({ isCached: false });
    for (const query of ['callback=1', 'count=x', 'filter=[]', 'page=1&page=1']) {
      expect((await get(opened, `/list?${query}`)).statusCode, query).toBe(400);
    }
    expect(reads).toBe(0);
  });
});

describe('a read with a cache', () => {
  it('is stored, then sent from the cache with the same ETag', async () => {
    const opened = open({ isCached: true });
    const first = await get(opened, '/one/1');
    expect(first).toMatchObject({ cache: 'MISS MISS', body: bodyOf('{"a":1}') });
    expect(first.etag).toMatch(/^"3-/);
    expect(await get(opened, '/one/1')).toEqual({ ...first, cache: 'HIT HIT' });
    expect(reads).toBe(1);
  });

  it('bypasses the cache on demand, and does not replace what is stored', async () => {
    const opened = open({ isCached: true });
    expect((await get(opened, '/list?cache=false')).cache).toBe('MISS MISS');
    stored = { text: '{"new":1}', v: 4 };
    expect(await get(opened, '/list?cache=false')).toMatchObject({
      cache: 'MISS HIT',
      body: bodyOf('{"new":1}'),
    });
    expect(await get(opened, '/list?cache=true')).toMatchObject({
      cache: 'HIT HIT',
      body: bodyOf('{"a":1}'),
    });
  });

  it('sends JSONP from what was stored as JSON', async () => {
    const opened = open({ isCached: true });
    await get(opened, '/list');
    const answer = await get(opened, '/list?callback=show');
    expect(answer).toMatchObject({ cache: 'HIT HIT', body: `show(${bodyOf('{"a":1}')});` });
  });

  it('stores no errors', async () => {
    const opened = open({ isCached: true });
    stored = undefined;
    expect(await get(opened, '/one/1')).toMatchObject({ statusCode: 404, cache: 'undefined undefined' });
    stored = { text: '{}', v: 1 };
    expect(await get(opened, '/one/1')).toMatchObject({ statusCode: 200, cache: 'MISS MISS' });
  });
});
