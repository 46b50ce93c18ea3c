// Every route of the server describes itself, or stands here with the reason why it does not.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { addReviewer } from '../../helpers/app/site.ts';
import { LIBRARY } from '../../helpers/fixtures/library.ts';
import { operationsOf } from './described-operations.ts';

const ALIAS = 'an alias, for clients of older servers';
const OF_A_NAME = 'described as that of any recipe: one may have this name';
const PAGE = 'a page for people, and its files';

/** Routes that are not described, by method and pattern of the router. */
const UNDESCRIBED: Readonly<Record<string, string>> = {
  'GET /favicon.ico': 'answers nothing',
  'GET /admin': PAGE,
  'GET /admin/*': PAGE,
  'GET /docs': PAGE,
  'GET /docs/*': PAGE,
  'GET /api/recipes/preview': OF_A_NAME,
  'PUT /api/recipes/preview': OF_A_NAME,
  'DELETE /api/recipes/preview': OF_A_NAME,
  'POST /api/status': ALIAS,
  'POST /:version/:database/:collection/:id': ALIAS,
  'POST /api/media': 'an alias where there is one media collection, else an error',
  'GET /media': 'an alias where there is one media collection, else an error',
  'POST /media': 'an alias where there is one media collection, else an error',
  'PUT /media': 'an alias where there is one media collection, else an error',
  'DELETE /media': 'an alias where there is one media collection, else an error',
  'GET /:version/:database/:collection/*': 'a path of any depth, for which OpenAPI has no form',
  'GET /:version/:endpoint/config': 'no code to read before an endpoint exists',
  'POST /:version/:endpoint/config': 'described as that of existing endpoints: clients see one path',
  'DELETE /:version/:endpoint/config': 'described as that of existing endpoints: clients see one path',
};

/** Routes of all methods, which endpoints describe. */
const CALLS = ['/.call'];

let app: TestApp;
/** All that Fastify was told, whether or not the server collects them. */
const routes: RouteOptions[] = [];
let ids: readonly string[];

beforeAll(async () => {
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', (route) => void routes.push(route));
  };
  subscribe('fastify.initialization', watch);
  app = await startApp({
    specs: { ...LIBRARY, '1.0/library/pictures': { fields: {}, settings: { type: 'media' } } },
    config: { delivery: { enabled: false } },
  });
  await app.app.server.ready();
  unsubscribe('fastify.initialization', watch);
  const token = await addReviewer(app, 'all', true);
  ids = operationsOf((await app.inject('GET', '/docs/openapi.json', { token })).body).map(({ id }) => id);
});
afterAll(() => app.close());

const nameOf = ({ method, url }: RouteOptions) => `${method} ${url}`;
const handled = () => routes.filter(({ method }) => typeof method === 'string' && method !== 'HEAD');

it('every route of one method says what it does, or that it is not described', () => {
  expect(routes.length).toBeGreaterThan(100);
  expect(
    handled()
      .filter(({ config }) => config?.operation === undefined)
      .map(nameOf),
  ).toEqual([]);
});

it('routes of many methods refuse those that a path does not have, but for calls of endpoints', () => {
  const urls = new Set(handled().map(({ url }) => url));
  const others = routes.filter(({ method, url }) => typeof method !== 'string' && !urls.has(url));
  expect(others.map(({ url }) => url)).toEqual(CALLS);
});

it('every operation of a route is in the description of whoever may do everything', () => {
  const missing = handled().filter(({ config }) => {
    const operation = config?.operation;
    if (operation === undefined || operation === null) return false;
    return !ids.some((id) => id === operation.id || id.startsWith(`${operation.id}_`));
  });
  expect(missing.map(nameOf)).toEqual([]);
});

it('routes that are not described have a reason', () => {
  const undescribed = handled().filter(({ config }) => config?.operation === null);
  expect(new Set(undescribed.map(nameOf))).toEqual(new Set(Object.keys(UNDESCRIBED)));
});

it('a described operation belongs to one route', () => {
  const described = handled().flatMap(({ config }) => config?.operation ?? []);
  const seen = described.map((operation) => ('describe' in operation ? `${operation.id}_` : operation.id));
  expect(seen.filter((id, at) => seen.indexOf(id) !== at)).toEqual([]);
});
