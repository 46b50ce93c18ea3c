import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { BOOKS, PEOPLE } from '../../helpers/fixtures/library.ts';

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
    const { status, body } = await app.inject('GET', '/api/collections');
    expect(status).toBe(200);
    const where = { version: '1.0', database: 'library' };
    expect(body).toEqual({
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

  it('requires a token and supports no other method', async () => {
    expect((await app.inject('GET', '/api/collections', { token: null })).status).toBe(401);
    expect((await app.inject('POST', '/api/collections', { body: {} })).status).toBe(405);
  });
});
