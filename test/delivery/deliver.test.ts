import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { type DeliverDeps, type DeliveryRequest, deliver } from '../../src/delivery/deliver.ts';
import type { VariantRequest } from '../../src/delivery/images/plan-variant.ts';
import type { Variant } from '../../src/delivery/images/variant-service.ts';
import type { OriginalFile, RouteDecision } from '../../src/delivery/model/delivery-types.ts';
import { parseRecipe, type Recipe } from '../../src/delivery/recipes/recipe.ts';
import type { DeliveryResponse } from '../../src/delivery/responses/file-response.ts';

const fileOf = (content: string, contentType?: string): OriginalFile => ({
  size: content.length,
  modifiedAt: 0,
  validator: content,
  contentType,
  open: async (range) =>
    Readable.from([
      Buffer.from(content, 'latin1').subarray(range?.start ?? 0, (range?.end ?? content.length) + 1),
    ]),
});

const recipeOf = (name: string, settings: object = { width: 10 }, path?: string) =>
  parseRecipe({ recipe: name, settings, ...(path === undefined ? {} : { path }) }).recipe as Recipe;

interface Site {
  readonly files?: Readonly<Record<string, OriginalFile>>;
  readonly recipes?: readonly Recipe[];
  readonly routes?: Readonly<Record<string, RouteDecision>>;
  readonly remote?: Readonly<Record<string, OriginalFile>>;
  readonly fallback?: OriginalFile;
  /** `Cache-Control` by media type. */
  readonly byType?: Readonly<Record<string, string>>;
}

/** Delivery with everything in memory. A variant says which recipe made it of what; `rendered` lists them. */
function site({ files = {}, recipes = [], routes = {}, remote, fallback, byType = {} }: Site) {
  const rendered: string[] = [];
  const images: Awaited<ReturnType<DeliverDeps['images']>> = {
    compressed: { find: async () => undefined },
    plan: ({ recipe, source, path }) => {
      const tag = { etag: `"${recipe.name}-${source.validator}"`, vary: ['Accept'] };
      return { ...tag, variant: () => render({ recipe, source, path }, tag) };
    },
  };
  const render = async (
    { recipe, source, path }: Pick<VariantRequest, 'recipe' | 'source' | 'path'>,
    tag: object,
  ) => {
    rendered.push(path);
    const bytes = Buffer.from(`${recipe.name} of ${await text(await source.open())}`);
    const shown = {
      contentType: 'image/webp',
      size: bytes.length,
      width: 1,
      height: 1,
      cached: false,
      bytes,
    };
    return { ...tag, ...shown, open: async () => Readable.from([bytes]) } as Variant;
  };
  const found = new Map(Object.entries(files));
  const elsewhere = new Map(Object.entries(remote ?? {}));
  const find = (name: string) => recipes.find((recipe) => recipe.name === name);
  const deps: DeliverDeps = {
    routes: {
      decide: (name) =>
        Object.hasOwn(routes, name) ? Promise.resolve(routes[name] as RouteDecision) : undefined,
    },
    recipes: { find, plain: () => undefined },
    images: async () => images,
    source: { find: async (path) => found.get(path) },
    remote: remote && { find: async ({ href }) => elsewhere.get(href) },
    fallback: async () => fallback,
    missingImageStatus: 404,
    cacheControl: 'public, max-age=9',
    cacheControlByType: new Map(Object.entries(byType)),
  };
  const get = (path: string, request: Partial<DeliveryRequest> = {}): Promise<DeliveryResponse> => {
    const headers = { acceptEncoding: undefined, range: undefined, ifRange: undefined };
    const visitor = { userAgent: '', acceptLanguage: '', ip: '' };
    const { signal } = new AbortController();
    const others = { query: new URLSearchParams(), accept: '', visitor, signal };
    return deliver({ path, ...headers, ...others, ...request }, deps);
  };
  return { get, rendered };
}

const bodyOf = async ({ body }: DeliveryResponse) =>
  typeof body === 'function' ? text(await body()) : (body ?? '').toString();

const decision = (
  recipe: string | null,
  ...consulted: Parameters<Set<never>['add']>[0][]
): RouteDecision => ({
  recipe,
  consulted: new Set(consulted),
});

test('`Cache-Control` is that of the media type, where there is one, for a rendered image and 304 too', async () => {
  const byType = { 'image/jpeg': 'public, max-age=1', 'text/css': 'public, max-age=2' };
  const { get } = site({
    files: { 'a.jpg': fileOf('a'), 'a.css': fileOf('b', 'text/css'), 'a.png': fileOf('c') },
    recipes: [recipeOf('thumbs')],
    routes: { near: decision('thumbs', 'country' as never) },
    byType,
  });
  const sent = async (path: string, ifNoneMatch?: string) => {
    const { status, headers } = await get(path, { ifNoneMatch });
    return [status, headers['Cache-Control'], headers['ETag']];
  };
  for (const path of ['/a.jpg', '/a.css', '/thumbs/a.jpg']) {
    const [, cacheControl, etag] = await sent(path);
    expect(cacheControl).toBe(path === '/a.css' ? 'public, max-age=2' : 'public, max-age=1');
    expect(await sent(path, String(etag))).toEqual([304, cacheControl, etag]);
  }
  expect((await sent('/near/a.jpg'))[1]).toBe('private, max-age=1');
});

describe('the delivery path', () => {
  const { get } = site({
    files: {
      'a.jpg': fileOf('a'),
      'thumbs-/a.jpg': fileOf('of the folder'),
      'pre/fix/a.jpg': fileOf('prefixed'),
    },
    recipes: [recipeOf('thumbs'), recipeOf('prefixed', { width: 1 }, '/pre/fix'), recipeOf('both-names')],
    routes: {
      'to-thumbs': decision('thumbs'),
      'both-names': decision('thumbs'),
      'to-none': decision('missing'),
    },
  });

  test('a recipe is applied to the rest of the path', async () => {
    expect(await bodyOf(await get('/thumbs/a.jpg'))).toBe('thumbs of a');
  });

  test('a route chooses the recipe', async () => {
    expect(await bodyOf(await get('/to-thumbs/a.jpg'))).toBe('thumbs of a');
  });

  test('a route wins over a recipe of the same name', async () => {
    expect(await bodyOf(await get('/both-names/a.jpg'))).toBe('thumbs of a');
  });

  test('the path of a recipe comes before the requested one', async () => {
    expect(await bodyOf(await get('/prefixed/a.jpg'))).toBe('prefixed of prefixed');
  });

  test('without a name the file is sent as it is, whatever the query says', async () => {
    const answer = await get('/a.jpg', { query: new URLSearchParams('width=5') });
    expect(await bodyOf(answer)).toBe('a');
    expect(answer.headers['Content-Type']).toBe('image/jpeg');
    expect(await bodyOf(await get('/thumbs-/a.jpg'))).toBe('of the folder');
  });

  test('a chosen recipe that does not exist, and a route that nothing matches, are unknown addresses', async () => {
    const noMatch = site({ files: { 'x/a.jpg': fileOf('a') }, routes: { x: decision(null) } });
    for (const asked of [get('/to-none/a.jpg'), noMatch.get('/x/a.jpg')]) {
      await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'Unknown URI' });
    }
  });

  test.each(['/constructor/a.jpg', '/__proto__/a.jpg', '/missing.jpg', '/', '/thumbs/', '/thumbs/b.jpg'])(
    'nothing is found at %s',
    async (path) => {
      await expect(get(path)).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'File not found' });
    },
  );
});

describe('a delivered file', () => {
  const files = {
    'a.css': fileOf('css'),
    'a.svg': fileOf('<svg/>'),
    photo: fileOf('\x89PNG\r\n\x1a\n and more'),
    note: fileOf('some text that is long enough'),
  };
  const { get, rendered } = site({
    files,
    recipes: [recipeOf('thumbs'), recipeOf('style', { format: 'css' })],
  });

  test('what is no image passes through every recipe', async () => {
    expect(await bodyOf(await get('/thumbs/a.css'))).toBe('css');
    expect(await bodyOf(await get('/style/a.css'))).toBe('css');
  });

  test('an SVG is never rendered, and is sent in a sandbox', async () => {
    const answer = await get('/thumbs/a.svg');
    expect(await bodyOf(answer)).toBe('<svg/>');
    expect(answer.headers['Content-Security-Policy']).toBe('sandbox');
  });

  test('an image without extension is known by its first bytes', async () => {
    expect(await bodyOf(await get('/thumbs/photo'))).toContain('thumbs of');
    expect(await bodyOf(await get('/thumbs/note'))).toBe('some text that is long enough');
    expect(rendered).toEqual(['photo']);
  });
});

describe('a delivered variant', () => {
  const recipes = [recipeOf('thumbs')];
  const { get, rendered } = site({ files: { 'é.jpg': fileOf('a') }, recipes });

  test('is sent with its tag, its type and what was looked at', async () => {
    const { status, headers } = await get('/thumbs/%C3%A9.jpg');
    expect(status).toBe(200);
    expect(headers).toEqual({
      ETag: '"thumbs-a"',
      Vary: 'Accept',
      'Cache-Control': 'public, max-age=9',
      'Content-Type': 'image/webp',
      'Content-Length': '11',
      'X-Cache': 'MISS',
    });
    expect(rendered).toEqual(['%C3%A9.jpg']);
  });

  test('that the client has is 304, and nothing is rendered', async () => {
    const before = rendered.length;
    const { status, headers, body } = await get('/thumbs/%C3%A9.jpg', { ifNoneMatch: 'W/"thumbs-a"' });
    expect({ status, body }).toEqual({ status: 304, body: undefined });
    expect(headers).toEqual({ ETag: '"thumbs-a"', Vary: 'Accept', 'Cache-Control': 'public, max-age=9' });
    expect(rendered).toHaveLength(before);
  });
});

describe('caching headers of delivery', () => {
  const files = { 'a.jpg': fileOf('a'), 'a.css': fileOf('c'.repeat(2000)) };
  const recipes = [recipeOf('thumbs')];

  test('headers that decided are in Vary, before those of the image', async () => {
    const { get } = site({
      files,
      recipes,
      routes: { home: decision('thumbs', 'language' as never, 'device' as never) },
    });
    expect((await get('/home/a.jpg')).headers).toMatchObject({
      Vary: 'Accept-Language, User-Agent, Accept',
      'Cache-Control': 'public, max-age=9',
    });
    expect((await get('/home/a.css')).headers['Vary']).toBe('Accept-Language, User-Agent, Accept-Encoding');
  });

  test.each(['country', 'network'])('where the %s was looked at, only the client keeps it', async (fact) => {
    const { get } = site({ files, recipes, routes: { home: decision('thumbs', fact as never) } });
    for (const path of ['/home/a.jpg', '/home/a.css']) {
      expect((await get(path)).headers['Cache-Control']).toBe('private, max-age=9');
    }
    const fresh = await get('/home/a.jpg', { ifNoneMatch: '*' });
    expect([fresh.status, fresh.headers['Cache-Control']]).toEqual([304, 'private, max-age=9']);
  });
});

describe('the fallback for a missing image', () => {
  const fallback = fileOf('missing', 'image/png');
  const { get } = site({ files: {}, recipes: [recipeOf('thumbs')], fallback, remote: {} });

  test('is rendered by the recipe, with 404, and kept by nobody', async () => {
    for (const path of ['/thumbs/a.jpg', '/thumbs/https://host/a.jpg']) {
      const answer = await get(path, { ifNoneMatch: '*' });
      expect(answer.status).toBe(404);
      expect(await bodyOf(answer)).toBe('thumbs of missing');
      expect(answer.headers['Cache-Control']).toBe('no-store');
      expect(answer.headers).not.toHaveProperty('ETag');
    }
  });

  test('is sent as it is where there is no recipe, whole', async () => {
    const answer = await get('/a.jpg', { range: 'bytes=0-1' });
    expect(answer.status).toBe(404);
    expect(await bodyOf(answer)).toBe('missing');
    expect(answer.headers).not.toHaveProperty('ETag');
  });

  test('does not stand in for anything else', async () => {
    await expect(get('/thumbs/a.css')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('originals from other servers', () => {
  const recipes = [recipeOf('thumbs'), recipeOf('based', { width: 1 }, 'https://host/base')];
  const remote = { 'https://host/a.jpg': fileOf('remote'), 'https://host/base/a%20b.jpg': fileOf('based') };

  test('are asked for by name', async () => {
    const { get } = site({ recipes, remote });
    expect(await bodyOf(await get('/thumbs/https:/host/a.jpg'))).toBe('thumbs of remote');
    expect(await bodyOf(await get('/based/a%20b.jpg'))).toBe('based of based');
  });

  test('are not delivered without a recipe, or where they are switched off', async () => {
    await expect(site({ recipes, remote }).get('/https://host/a.jpg')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(site({ recipes }).get('/thumbs/https://host/a.jpg')).rejects.toMatchObject({
      code: 'ORIGIN_REFUSED',
    });
  });
});
