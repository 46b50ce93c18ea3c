import { expect, it } from 'vitest';
import { liveEndpoint } from '../../modules/module-versions.ts';
import { startEndpointApp } from './endpoint-app.ts';

const app = startEndpointApp({
  endpoints: [
    liveEndpoint('books', { path: '/1.0/shop/books/:id?', displayName: 'Our books', methods: ['GET'] }),
    liveEndpoint('report', { state: 'broken', methods: [], postedAt: 7 }),
  ],
  hooks: [liveEndpoint('x', { address: { kind: 'hook', name: 'slugify' } })],
});

it('endpoints are listed for any client', async () => {
  const { status, body } = await app.ask('GET', '/api/endpoints', { as: 'book-reader' });
  expect(status).toBe(200);
  expect(body).toEqual({
    endpoints: [
      {
        version: '1.0',
        name: 'Our books',
        slug: 'books',
        path: '/1.0/shop/books/:id?',
        methods: ['GET'],
        state: 'active',
        lastModifiedAt: 1000,
      },
      {
        version: '1.0',
        name: 'report',
        slug: 'report',
        path: '/1.0/report',
        methods: [],
        state: 'broken',
        lastModifiedAt: 7,
      },
    ],
  });
});

it('what waits, and the policy limits, are listed for admins and reviewers alone', async () => {
  const waiting = { version: 5, part: 'code', by: 'alice', at: 9 };
  for (const as of ['admin', 'reviewer']) {
    const { body } = await app.ask('GET', '/api/endpoints', { as });
    const pending = body.endpoints.map((one: { slug: string; pending: unknown }) => [one.slug, one.pending]);
    expect(pending).toEqual([
      ['books', []],
      ['report', [waiting]],
    ]);
    expect(body.policyLimits).toEqual({ limits: {}, grants: {} });
  }
  const { body } = await app.ask('GET', '/api/endpoints', { as: 'user' });
  expect(Object.keys(body)).toEqual(['endpoints']);
  expect(JSON.stringify(body)).not.toContain('pending');
});

it('a token is needed, and no other method is taken', async () => {
  expect((await app.ask('GET', '/api/endpoints')).status).toBe(401);
  expect((await app.ask('POST', '/api/endpoints', { as: 'admin' })).status).toBe(405);
});
