import { afterEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/auth/clients/client.ts';
import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import {
  assertPermitted,
  collectionAddressOf,
  collectionOf,
  createCollectionGuard,
  documentIdOf,
} from '../../../src/http/core/request-access.ts';
import { addResource } from '../../../src/http/core/resource.ts';
import { bareServer } from '../bare-fastify-server.ts';
import { ADMIN_CLIENT, callerOf, collection, USER_CLIENT } from '../fixtures.ts';

const ID = '58576E1D5DD9975624B0D92C';
const LIMITED: Client = { ...USER_CLIENT, permissions: { collections: [{ path: 'open' }] } };
const CLIENTS: Readonly<Record<string, Client>> = {
  admin: ADMIN_CLIENT,
  user: USER_CLIENT,
  limited: LIMITED,
};

const registry = createCollectionRegistry();
registry.put(collection('books', { settings: { storeRevisions: true } }));
registry.put(collection('booksHistory'));
registry.put(collection('open', { settings: { authenticate: false } }));
registry.put(collection('readable', { settings: { authenticate: ['POST', 'PUT', 'DELETE'] } }));
registry.put(collection('postable', { settings: { authenticate: ['GET', 'PUT', 'DELETE'] } }));

const media = { public: false };
registry.put(collection('images', { settings: { media: true } }));

let ready = true;
const isReady = () => ready;

afterEach(() => {
  ready = true;
  media.public = false;
});

const { server } = bareServer((bare) => {
  bare.addHook('onRequest', (request, _reply, done) => {
    request.client = CLIENTS[String(request.headers['x-client'])] ?? null;
    request.caller = callerOf(request.client);
    done();
  });
  const show = async (request: Parameters<typeof collectionOf>[0]) => ({
    path: collectionOf(request).path,
    address: collectionAddressOf(request),
    id: documentIdOf(request),
  });
  const all = { GET: show, POST: show, PUT: show, DELETE: show };
  const deps = { registry, isReady, config: { media } };
  const operations = { GET: null, POST: null, PUT: null, DELETE: null };
  bare.register(async (documents) => {
    documents.addHook('onRequest', createCollectionGuard(deps));
    addResource(documents, '/:version/:database/:collection', all, { operations });
    addResource(documents, '/:version/:database/:collection/:id', all, { operations });
  });
  bare.register(async (files) => {
    files.addHook('onRequest', createCollectionGuard(deps, { files: true }));
    addResource(files, '/:version/:database/:collection/*', { GET: show }, { operations });
  });
});

const ask = async (method: string, path: string, client = '') => {
  const answer = await server.inject({
    method: method as 'GET',
    url: `/1.0/library/${path}`,
    headers: { 'x-client': client },
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.body };
};
const status = async (method: string, path: string, client = '') => (await ask(method, path, client)).status;

describe('the hook of collections', () => {
  it('finds the collection, and the id in lower case', async () => {
    const { body } = await ask('GET', `books/${ID}`, 'user');
    expect(JSON.parse(body)).toEqual({
      path: '/1.0/library/books',
      address: { version: '1.0', database: 'library', name: 'books' },
      id: ID.toLowerCase(),
    });
  });

  it('sends 401 to the anonymous and 404 to others where there is no collection', async () => {
    for (const name of ['nothing', 'Books', 'constructor', '__proto__']) {
      expect(await status('GET', name), name).toBe(401);
      expect(await status('GET', name, 'user'), name).toBe(404);
    }
  });

  it('requires a token unless the settings open the collection', async () => {
    expect(await status('GET', 'books')).toBe(401);
    expect(await status('GET', 'open')).toBe(200);
    expect(await status('GET', `open/${ID}`)).toBe(200);
    expect(await status('DELETE', `open/${ID}`)).toBe(200);
    expect(await status('GET', 'readable')).toBe(200);
    expect(await status('HEAD', 'readable')).toBe(200);
    expect(await status('POST', 'readable')).toBe(401);
  });

  it('sends 401 with the path to a client without permission', async () => {
    const { status: refused, headers } = await ask('GET', 'books?a=1', 'limited');
    expect([refused, headers['www-authenticate']]).toEqual([401, 'Bearer realm="/1.0/library/books"']);
    expect(await status('GET', `books/${ID}`, 'limited')).toBe(401);
    expect(await status('PATCH', 'books', 'limited')).toBe(401);
  });

  it('treats a POST to a document as an update', async () => {
    expect(await status('POST', 'postable')).toBe(200);
    expect(await status('POST', `postable/${ID}`)).toBe(401);
  });

  it('sends 404 for a malformed id, before the method counts', async () => {
    for (const id of ['1', 'g'.repeat(24), `${ID}0`, 'config2']) {
      expect(await status('GET', `books/${id}`, 'user'), id).toBe(404);
      expect(await status('PATCH', `books/${id}`, 'user'), id).toBe(404);
    }
  });

  it('sends 503 until startup has completed, and 404 to nobody', async () => {
    ready = false;
    expect(await status('GET', 'open')).toBe(503);
    expect(await status('POST', `open/${ID}`)).toBe(503);
    expect(await status('GET', 'nothing')).toBe(503);
    expect(await status('GET', 'nothing', 'user')).toBe(503);
    expect(await status('GET', 'books')).toBe(401);
    expect(await status('GET', 'books', 'limited')).toBe(401);
    expect((await ask('GET', 'books', 'user')).headers['retry-after']).toBe('2');
  });

  it('rejects unknown methods after access is decided', async () => {
    expect(await status('PATCH', 'books')).toBe(401);
    expect(await status('PATCH', 'books', 'user')).toBe(405);
    expect(await status('PROPFIND', 'open')).toBe(405);
  });

  it.each(['PATCH', 'PROPFIND', 'TRACE'])('does not take %s for reading', async (method) => {
    expect(await status('GET', 'readable')).toBe(200);
    expect(await status(method, 'readable')).toBe(401);
    expect(await status(method, 'readable', 'user')).toBe(405);
  });

  it('allows only reads of a collection of revisions', async () => {
    expect(await status('GET', 'booksHistory', 'user')).toBe(200);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const { status: refused, headers } = await ask(method, 'booksHistory', 'admin');
      expect([refused, headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
    expect(await status('POST', 'booksHistory')).toBe(401);
  });
});

describe('assertPermitted', () => {
  const request = (client: Client | null) =>
    ({ client, caller: callerOf(client), originalUrl: '/a?b' }) as unknown as Parameters<
      typeof assertPermitted
    >[0];

  it('throws NO_TOKEN or NOT_PERMITTED', () => {
    const books = collection('books');
    expect(() => assertPermitted(request(null), books, 'update')).toThrow('No access token supplied');
    expect(() => assertPermitted(request(LIMITED), books, 'update')).toThrow('This client may not do that');
    expect(() => assertPermitted(request(USER_CLIENT), books, 'update')).not.toThrow();
  });
});

describe('paths of files', () => {
  it('exist in media collections only', async () => {
    expect(await ask('GET', 'images/photo.jpg', 'admin')).toMatchObject({ status: 200 });
    expect(await ask('GET', 'images/2026/11/photo.jpg', 'admin')).toMatchObject({ status: 200 });
    expect(await ask('GET', 'books/photo.jpg', 'admin')).toMatchObject({ status: 404 });
    expect(await ask('GET', 'books/2026/11/photo.jpg', 'admin')).toMatchObject({ status: 404 });
    expect(await ask('GET', 'open/2026/11/photo.jpg')).toMatchObject({ status: 401 });
  });

  it('can only be read', async () => {
    for (const [method, path] of [
      ['PUT', 'images/photo.jpg'],
      ['DELETE', 'images/photo.jpg'],
      ['DELETE', 'images/2026/11/photo.jpg'],
      ['POST', 'images/2026/11/photo.jpg'],
    ] as const) {
      expect(await ask(method, path, 'admin')).toMatchObject({
        status: 405,
        headers: { allow: 'GET, HEAD, OPTIONS' },
      });
      expect(await ask(method, path)).toMatchObject({ status: 401 });
    }
  });

  it('are open to everybody where files are public, and nothing else is', async () => {
    expect(await ask('GET', 'images/photo.jpg')).toMatchObject({ status: 401 });
    media.public = true;
    expect(await ask('GET', 'images/photo.jpg')).toMatchObject({ status: 200 });
    expect(await ask('HEAD', 'images/2026/11/photo.jpg')).toMatchObject({ status: 200 });
    expect(await ask('GET', 'images')).toMatchObject({ status: 401 });
    expect(await ask('GET', 'images/0123456789abcdef01234567')).toMatchObject({ status: 401 });
    expect(await ask('DELETE', 'images/photo.jpg')).toMatchObject({ status: 401 });
  });
});
