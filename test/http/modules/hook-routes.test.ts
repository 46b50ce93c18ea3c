import { expect, it } from 'vitest';
import { liveEndpoint } from '../../modules/module-versions.ts';
import { startEndpointApp } from './endpoint-app.ts';

const hook = (name: string) =>
  liveEndpoint(name, { address: { kind: 'hook', name }, path: `/api/hooks/${name}`, postedAt: 7 });
const app = startEndpointApp({
  endpoints: [liveEndpoint('report')],
  hooks: [hook('slugify'), hook('stamp')],
});

it('hooks are listed for admins', async () => {
  const { status, body } = await app.ask('GET', '/api/hooks', { as: 'admin' });
  expect(status).toBe(200);
  expect(body).toEqual({
    hooks: [
      {
        name: 'slugify',
        path: '/api/hooks/slugify',
        state: 'active',
        pending: [{ version: 5, part: 'code', by: 'alice', at: 9 }],
        lastModifiedAt: 7,
      },
      { name: 'stamp', path: '/api/hooks/stamp', state: 'active', pending: [], lastModifiedAt: 7 },
    ],
    policyLimits: { limits: {}, grants: {} },
  });
});

it('only admins may list hooks', async () => {
  expect((await app.ask('GET', '/api/hooks')).status).toBe(401);
  expect((await app.ask('GET', '/api/hooks', { as: 'user' })).status).toBe(401);
  expect((await app.ask('POST', '/api/hooks', { as: 'admin' })).status).toBe(405);
});

it('a hook is no endpoint', async () => {
  expect((await app.ask('GET', '/api/hooks/slugify', { as: 'admin' })).status).toBe(404);
  expect(app.jobs).toEqual([]);
});
