import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '../../helpers/app/app.ts';
import { startDelivery } from '../../helpers/app/delivery.ts';
import { createWorkspace } from '../../helpers/temp/workspace.ts';

const ROUTE = { route: 'home-route', branches: [{ recipe: 'thumbs' }] };
const RECIPE = { recipe: 'thumbs', settings: { width: 10 } };

test('what is posted to the content API is in force on the delivery port at once, and the reverse', async () => {
  const { app, asAdmin } = await startDelivery();
  const posted = await app.inject('POST', '/api/routes', { body: ROUTE });
  expect(posted).toMatchObject({
    status: 200,
    body: { success: true },
    headers: { 'cache-control': 'no-store' },
  });
  expect((await asAdmin('GET', '/api/routes')).body).toEqual({ routes: [ROUTE] });
  await asAdmin('POST', '/api/recipes', RECIPE);
  expect((await app.inject('GET', '/api/recipes/thumbs')).body).toEqual(RECIPE);
  const decided = await app.inject('GET', '/api/routes/home-route/decide');
  expect(decided).toMatchObject({ status: 200, body: { route: 'home-route', recipe: 'thumbs' } });
  expect((await app.inject('DELETE', '/api/routes/home-route')).status).toBe(200);
  expect((await asAdmin('GET', '/api/routes')).body).toEqual({ routes: [] });
  const { body } = await app.inject('GET', '/api/audit');
  const actions = (body.audit as { action: string }[]).map(({ action }) => action);
  expect(actions.filter((action) => /^(?:route|recipe)\./.test(action))).toEqual([
    'route.create',
    'recipe.create',
    'route.remove',
  ]);
});

test('where a process serves the content API alone, routes are written as files, and edits by hand come into force', async () => {
  const workspace = createWorkspace({}, {});
  onTestFinished(() => workspace.remove());
  const app = await startApp({ workspace });
  onTestFinished(() => app.close());
  expect((await app.inject('POST', '/api/routes', { body: ROUTE })).status).toBe(200);
  const file = join(workspace.path, 'routes/home-route.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(ROUTE);
  const edited = { ...ROUTE, branches: [{ recipe: 'other' }] };
  writeFileSync(file, JSON.stringify(edited));
  await expect.poll(async () => (await app.inject('GET', '/api/routes/home-route')).body).toEqual(edited);
});

test('a route that another process has created over its content API is in force on the delivery port', async () => {
  const workspace = createWorkspace({}, {});
  onTestFinished(() => workspace.remove());
  const delivery = await startApp({ workspace });
  onTestFinished(() => delivery.close());
  const server = await delivery.app.deliveryServer();
  writeFileSync(join(workspace.path, 'routes/home-route.json'), JSON.stringify(ROUTE));
  const headers = { authorization: `Bearer ${await delivery.adminToken()}` };
  await expect
    .poll(async () => (await server.inject({ url: '/api/routes/home-route', headers })).json())
    .toEqual(ROUTE);
});

test('errors of routes and recipes have the same form on both ports', async () => {
  const { app, asAdmin, inject } = await startDelivery();
  const requests = [
    ['POST', '/api/routes', {}],
    ['POST', '/api/routes', []],
    ['POST', '/api/routes', '{"route":'],
    ['POST', '/api/recipes', { ...RECIPE, settings: { width: -1 } }],
    ['PUT', '/api/recipes/none', RECIPE],
    ['GET', '/api/routes/none', undefined],
    ['GET', '/api/routes/none/decide', undefined],
    ['PATCH', '/api/routes', {}],
  ] as const;
  for (const [method, path, body] of requests) {
    const onDelivery = await asAdmin(method, path, body);
    const onContent = await app.inject(method, path, { body });
    expect([onContent.status, onContent.body]).toEqual([onDelivery.status, onDelivery.body]);
    expect(onContent.headers['allow']).toBe(onDelivery.headers['allow']);
  }
  const token = await app.userToken('user');
  for (const path of ['/api/routes', '/api/recipes/x', '/api/routes/x/decide', '/api/recipes/preview']) {
    for (const who of [null, token]) {
      const onDelivery = await inject('GET', path, { token: who });
      const onContent = await app.inject('GET', path, { token: who });
      expect([onContent.status, onContent.body]).toEqual([onDelivery.status, onDelivery.body]);
      expect(onContent.status).toBe(401);
      expect(onContent.headers['cache-control']).toBe('no-store');
    }
  }
});

test('the API description has the operations of routes and recipes, for admins only', async () => {
  const app = await startApp({ specs: {} });
  onTestFinished(() => app.close());
  const { body } = await app.inject('GET', '/docs/openapi.json');
  const operations = Object.entries(body.paths as Record<string, Record<string, { operationId: string }>>)
    .filter(([path]) => /^\/api\/(?:routes|recipes)/.test(path))
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => [method, path, operationId]),
    );
  expect(operations.map((parts) => parts.join(' ')).sort()).toEqual([
    'delete /api/recipes/{name} removeRecipe',
    'delete /api/routes/{name} removeRoute',
    'get /api/recipes listRecipes',
    'get /api/recipes/{name} getRecipe',
    'get /api/routes listRoutes',
    'get /api/routes/{name} getRoute',
    'get /api/routes/{name}/decide decideRoute',
    'post /api/recipes createRecipe',
    'post /api/recipes/preview previewRecipe',
    'post /api/routes createRoute',
    'put /api/recipes/{name} replaceRecipe',
    'put /api/routes/{name} replaceRoute',
  ]);
  const { responses } = body.paths['/api/routes'].get;
  expect(responses['400'].content['application/json'].schema.$ref).toContain('DefinitionError');
  expect(Object.keys(body.components.schemas)).toContain('DefinitionError');
  const own = await app.inject('GET', '/docs/openapi.json', { token: await app.userToken('user') });
  expect(Object.keys(own.body.paths).filter((path) => /routes|recipes/.test(path))).toEqual([]);
});
