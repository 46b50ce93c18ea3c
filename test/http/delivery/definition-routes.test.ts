import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDelivery, startDelivery } from '../../helpers/app/delivery.ts';

const ROUTE = { route: 'home-route', branches: [{ recipe: 'thumbs' }] };
const RECIPE = { recipe: 'thumbs', settings: { width: 10 } };
const NO_TOKEN = 'Bearer, error="no_token", error_description="No access token supplied"';

describe('a server that nothing changes', () => {
  let shared: Awaited<ReturnType<typeof openDelivery>>;
  beforeAll(async () => {
    shared = await openDelivery();
  });
  afterAll(() => shared.close());

  test.each([
    ['no body', undefined, ['Bad Request']],
    ['broken JSON', '{"route":', ['Bad Request']],
    ['a list', [], ['Bad Request']],
    ['an empty document', {}, ['Route name is missing', 'Route branches missing or invalid']],
    ['a branch without recipe', { ...ROUTE, branches: [{}] }, ['Branch 0 does not have a recipe']],
    ['a reserved name', { ...ROUTE, route: 'Token' }, ['Route name is reserved']],
  ])('a route of which the body is %s is 400 with the reasons', async (_what, body, errors) => {
    const answer = await shared.asAdmin('POST', '/api/routes', body);
    expect(answer).toMatchObject({ status: 400, body: { success: false, errors } });
  });

  test('a route of more than a megabyte is 413', async () => {
    const answer = await shared.asAdmin('POST', '/api/routes', { ...ROUTE, pad: 'x'.repeat(1_048_576) });
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual({ success: false, errors: ['The request body is too large'] });
  });

  describe('who may change routes and recipes', () => {
    let token: string;
    beforeAll(async () => {
      token = await shared.app.userToken('user');
    });

    test.each([
      '/api/routes',
      '/api/routes/x',
      '/api/routes/x/decide',
      '/api/recipes',
      '/api/flush',
      '/api',
      '/api/x',
    ])('%s is for admins: others learn nothing', async (path) => {
      for (const method of ['GET', 'POST', 'PATCH']) {
        const anonymous = await shared.inject(method, path);
        expect(anonymous).toMatchObject({
          status: 401,
          body: { success: false, errors: ['No access token supplied'] },
        });
        expect(anonymous.headers).toMatchObject({
          'www-authenticate': NO_TOKEN,
          'cache-control': 'no-store',
        });
      }
      const refused = await shared.inject('GET', path, { token });
      expect(refused.status).toBe(401);
      expect(refused.headers['www-authenticate']).toBe(`Bearer realm="${path}"`);
      const forged = await shared.inject('GET', path, { token: `${token.slice(0, -4)}AAAA` });
      expect(forged.headers['www-authenticate']).toContain('invalid_token');
    });

    test('a method that an address does not take is 405', async () => {
      const answer = await shared.asAdmin('PATCH', '/api/routes', {});
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, POST, OPTIONS' } });
    });
  });
});

describe('routes over HTTP', () => {
  test('a posted route is in force at once, lies in its file, and is listed', async () => {
    const { asAdmin, cwd } = await startDelivery();
    expect(await asAdmin('POST', '/api/routes', ROUTE)).toMatchObject({
      status: 200,
      body: { success: true },
    });
    const file = join(cwd, 'workspace/routes/home-route.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(ROUTE);
    expect((await asAdmin('GET', '/api/routes')).body).toEqual({ routes: [ROUTE] });
    expect((await asAdmin('GET', '/api/routes/home-route')).body).toEqual(ROUTE);
  });

  test('a name that is taken, by a recipe too, is 400', async () => {
    const { asAdmin } = await startDelivery({ recipes: { thumbs: RECIPE } });
    await asAdmin('POST', '/api/routes', ROUTE);
    for (const route of ['home-route', 'HOME-route', 'thumbs']) {
      const answer = await asAdmin('POST', '/api/routes', { ...ROUTE, route });
      expect(answer).toMatchObject({
        status: 400,
        body: { success: false, errors: ['Route already exists'] },
      });
    }
  });

  test('a file that cannot be written is 400, and nothing has changed', async () => {
    const { asAdmin, cwd } = await startDelivery();
    rmSync(join(cwd, 'workspace/routes'), { recursive: true, force: true });
    writeFileSync(join(cwd, 'workspace/routes'), '');
    const answer = await asAdmin('POST', '/api/routes', ROUTE);
    expect(answer).toMatchObject({
      status: 400,
      body: { success: false, errors: ['Error when saving route'] },
    });
    expect((await asAdmin('GET', '/api/routes')).body).toEqual({ routes: [] });
  });

  test('a route is replaced and removed by its name; an unknown one is 404', async () => {
    const { asAdmin, cwd } = await startDelivery({ routes: { 'home-route': ROUTE } });
    const changed = { branches: [{ recipe: 'other' }] };
    expect(await asAdmin('PUT', '/api/routes/home-route', changed)).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect((await asAdmin('GET', '/api/routes/home-route')).body).toEqual({
      route: 'home-route',
      ...changed,
    });
    expect((await asAdmin('DELETE', '/api/routes/home-route')).body).toEqual({ success: true });
    expect(existsSync(join(cwd, 'workspace/routes/home-route.json'))).toBe(false);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await asAdmin(method, '/api/routes/home-route', method === 'PUT' ? changed : undefined);
      expect(answer).toMatchObject({ status: 404, body: { success: false, errors: ['Route not found'] } });
    }
    expect((await asAdmin('GET', '/api/routes/constructor/decide')).status).toBe(404);
  });

  test('what is done is in the audit log, what was refused is not', async () => {
    const { asAdmin, app } = await startDelivery();
    await asAdmin('POST', '/api/routes', { route: 'x' });
    await asAdmin('POST', '/api/routes', ROUTE);
    await asAdmin('PUT', '/api/routes/home-route', ROUTE);
    await asAdmin('POST', '/api/recipes', RECIPE);
    await asAdmin('DELETE', '/api/routes/home-route');
    const { body } = await app.inject('GET', '/api/audit');
    const entries: { action: string; target: string; before: unknown; after: unknown; clientId: string }[] =
      body.audit;
    const own = entries.filter(({ action }) => /^(?:route|recipe)\./.test(action));
    expect(own.map(({ action, target }) => `${action} ${target}`)).toEqual([
      'route.create /api/routes/home-route',
      'route.replace /api/routes/home-route',
      'recipe.create /api/recipes/thumbs',
      'route.remove /api/routes/home-route',
    ]);
    expect(own.map(({ before, after }) => [before === null, after === null])).toEqual([
      [true, false],
      [false, false],
      [true, false],
      [false, true],
    ]);
    expect(new Set(own.map(({ clientId }) => clientId))).toEqual(new Set(['admin']));
  });
});

describe('recipes over HTTP', () => {
  test('a posted recipe is 201, and so is one that takes its place', async () => {
    const { asAdmin } = await startDelivery();
    const created = { success: true, message: 'Recipe "thumbs" created' };
    expect(await asAdmin('POST', '/api/recipes', RECIPE)).toMatchObject({ status: 201, body: created });
    const changed = { ...RECIPE, settings: { width: 20 } };
    expect(await asAdmin('POST', '/api/recipes', changed)).toMatchObject({ status: 201, body: created });
    expect((await asAdmin('GET', '/api/recipes')).body).toEqual({ recipes: [changed] });
    expect((await asAdmin('PUT', '/api/recipes/thumbs', RECIPE)).body).toEqual({ success: true });
    expect((await asAdmin('GET', '/api/recipes/thumbs')).body).toEqual(RECIPE);
    expect((await asAdmin('DELETE', '/api/recipes/thumbs')).body).toEqual({ success: true });
  });

  test('what is wrong with a recipe is told in objects, everything else in texts', async () => {
    const { asAdmin } = await startDelivery({ routes: { 'home-route': ROUTE } });
    expect((await asAdmin('POST', '/api/recipes', { ...RECIPE, settings: { widht: 1 } })).body).toEqual({
      success: false,
      errors: [{ error: 'Setting "widht" is unknown: did you mean `width`?' }],
    });
    expect((await asAdmin('POST', '/api/recipes')).body).toEqual({ success: false, errors: ['Bad Request'] });
    const taken = await asAdmin('POST', '/api/recipes', { ...RECIPE, recipe: 'home-route' });
    expect(taken).toMatchObject({ status: 400, body: { errors: ['Recipe already exists'] } });
  });
});

test('`decide` of a route explains what the request itself would get', async () => {
  const branches = [{ condition: { language: 'fr' }, recipe: 'french' }, { recipe: 'others' }];
  const { app, inject } = await startDelivery({ routes: { 'home-route': { branches } } });
  const headers = { 'accept-language': 'fr', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/120' };
  const answer = await inject('GET', '/api/routes/home-route/decide', {
    token: await app.adminToken(),
    headers,
  });
  expect(answer).toMatchObject({
    status: 200,
    body: { route: 'home-route', recipe: 'french', detected: { device: 'desktop', country: null } },
  });
});
