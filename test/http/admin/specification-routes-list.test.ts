import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { BOOKS, PEOPLE } from '../../helpers/fixtures/library.ts';
import { openTemporaryStore } from '../../helpers/store/temporary-store.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({
    specs: {
      '1.0/library/people': PEOPLE,
      '1.0/library/books': { ...BOOKS, settings: { displayName: 'Our books' } },
      '1.0/library/pictures': { fields: { title: {} }, settings: { type: 'media' } },
      '1.0/library/scans': { fields: { title: {} }, settings: { type: 'mediaCollection' } },
      '1.0/library/open': { fields: { title: {} }, settings: { authenticate: false } },
    },
  });
});

afterAll(() => app.close());

describe('GET /api/collections', () => {
  it('lists collections by path', async () => {
    const where = { version: '1.0', database: 'library' };
    // Until the indexes are there, the list says so.
    await expect
      .poll(async () => (await app.inject('GET', '/api/collections')).body)
      .toEqual({
        collections: [
          { ...where, name: 'Our books', slug: 'books', path: '/1.0/library/books' },
          { ...where, name: 'open', slug: 'open', path: '/1.0/library/open' },
          { ...where, name: 'people', slug: 'people', path: '/1.0/library/people' },
          { ...where, name: 'pictures', slug: 'pictures', path: '/1.0/library/pictures', type: 'media' },
          { ...where, name: 'scans', slug: 'scans', path: '/1.0/library/scans', type: 'mediaCollection' },
        ],
      });
  });

  it('omits collections that the caller may not read', async () => {
    const token = await app.userToken('limited', { collections: [{ path: 'people' }] });
    const { body } = await app.inject('GET', '/api/collections', { token });
    expect(body.collections.map(({ slug }: { slug: string }) => slug)).toEqual(['open', 'people']);
  });

  it('shows when a specification was changed over HTTP', async () => {
    await app.inject('POST', '/1.0/library/added/config', { body: { fields: { a: {} }, settings: {} } });
    const { body } = await app.inject('GET', '/api/collections');
    expect(body.collections[0]).toMatchObject({ slug: 'added', lastModifiedAt: expect.any(Number) });
  });

  it('tells admins, and nobody else, which indexes do not serve yet', async () => {
    const { store } = await openTemporaryStore();
    const held = Promise.withResolvers<void>();
    const slow: DocumentStore = {
      ...store,
      async ensureIndexes(ns, indexes) {
        const { built } = await store.ensureIndexes(ns, indexes);
        return { built: ns.collection === 'people' ? held.promise : built };
      },
    };
    const site = await startApp({ specs: { '1.0/library/people': PEOPLE }, store: slow });
    const list = async (token?: string) =>
      (await site.inject('GET', '/api/collections', token === undefined ? {} : { token })).body
        .collections[0];
    try {
      await expect.poll(list).toMatchObject({ indexes: { state: 'building', since: expect.any(Number) } });
      expect(await list(await site.userToken('reader'))).not.toHaveProperty('indexes');
      held.resolve();
      await expect.poll(list).not.toHaveProperty('indexes');
    } finally {
      await site.close();
    }
  });

  it('requires a token and supports no other method', async () => {
    expect((await app.inject('GET', '/api/collections', { token: null })).status).toBe(401);
    expect((await app.inject('POST', '/api/collections', { body: {} })).status).toBe(405);
  });
});
