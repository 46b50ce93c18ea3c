// The way of a variant with everything real: recipe, process, disk.
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { VariantRequest } from '../../../src/delivery/images/plan-variant.ts';
import { createRenderer } from '../../../src/delivery/images/renderer.ts';
import { createVariantService } from '../../../src/delivery/images/variant-service.ts';
import type { OriginalFile } from '../../../src/delivery/model/delivery-types.ts';
import { parseRecipe } from '../../../src/delivery/recipes/recipe.ts';
import { openDiskVariants } from '../../../src/delivery/variants/disk-variants.ts';
import { cornersOf, greyAnimation, quadrants, sharp } from '../../helpers/fixtures/images.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

let photo: Buffer;
beforeAll(async () => {
  photo = await quadrants({ width: 80, height: 60 });
});

/** Of all services here: each would start processes of its own. */
const renderer = createRenderer({ concurrency: 2, queue: 50, seconds: 20, maxSourceBytes: 1e6 });
const shared = { ...renderer, close: async () => undefined };
afterAll(() => renderer.close());

const LIMITS = { maxPixels: 1e8, maxOutputPixels: 1e7, maxFrames: 60, maxSourceBytes: 1e6 };

async function openImages(folder?: string, now = () => performance.now()) {
  const store = await openDiskVariants({
    folder: folder ?? (await temporaryFolder()),
    maxBytes: 1e7,
    now: Date.now,
  });
  const images = createVariantService({ renderer: shared, store, limits: LIMITS, now });
  onTestFinished(() => images.close());
  return images;
}

function sourceOf(bytes: Buffer, validator = 'v1'): OriginalFile & { opened: number } {
  const source = {
    opened: 0,
    size: bytes.length,
    modifiedAt: undefined,
    validator,
    contentType: undefined,
    open: async () => {
      source.opened += 1;
      return Readable.from([bytes]);
    },
  };
  return source;
}

function requestOf(settings: object, more: Partial<Pick<VariantRequest, 'source' | 'accept'>> = {}) {
  const { recipe } = parseRecipe({ recipe: 'thumbnail', settings });
  return {
    recipe: recipe!,
    source: more.source === undefined ? sourceOf(photo) : { ...more.source, opened: 0 },
    sourceId: 'media:a.png',
    path: 'a.png',
    accept: more.accept ?? '',
    query: new URLSearchParams(),
  };
}

const OPEN = parseRecipe({ recipe: 'thumbnail', settings: { width: 40, allowOverride: ['width'] } }).recipe!;
const find = (name: string) => (name === OPEN.name ? OPEN : undefined);
const RECIPES = {
  recipe: find,
  recipesOf: (name: string) => (name === OPEN.name ? [OPEN] : undefined),
  recipesLike: () => [OPEN],
  plain: () => undefined,
};

describe('a delivered variant', () => {
  it.each([
    ['file:a.png', 'a.png'],
    ['file:2026/11/a b.png', 'a b.png'],
    ['url:https://images.example.com/x/a.png', 'a.png'],
  ])('of format json calls the file of %s %s', async (sourceId, fileName) => {
    const images = await openImages();
    const request = { ...requestOf({ format: 'json' }), sourceId };
    const { bytes } = await images.plan({ ...request, signal: new AbortController().signal }).variant();
    expect(JSON.parse(String(bytes))).toMatchObject({ fileName });
  });

  it('is rendered once and then comes from the cache, also after a restart', async () => {
    const folder = await temporaryFolder();
    const images = await openImages(folder);
    const request = requestOf({ width: 40 });
    const first = await images.plan(request).variant();
    expect(first).toMatchObject({ cached: false, contentType: 'image/png', width: 40, height: 30, vary: [] });
    expect(await cornersOf(first.bytes!)).toEqual(['red', 'green', 'yellow', 'blue']);
    for (const again of [images, await openImages(folder)]) {
      const second = await again.plan(request).variant();
      expect(second).toMatchObject({ cached: true, etag: first.etag, contentType: 'image/png', width: 40 });
      expect(second.bytes?.equals(first.bytes!)).toBe(true);
    }
    expect(request.source.opened).toBe(1);
  });

  it('is planned once for its tag and its bytes, and the form in which flushes compare its path is made when it is stored', async () => {
    const images = await openImages();
    const reads: string[] = [];
    const counted = <T extends object>(subject: T): T =>
      new Proxy(subject, {
        get(target, name) {
          reads.push(String(name));
          return Reflect.get(target, name);
        },
      });
    const request = { ...requestOf({ width: 40 }), path: 'b/%61.png' };
    await images.plan(request).variant();
    const planned = images.plan(counted({ ...request, source: counted(request.source) }));
    expect(await planned.variant()).toMatchObject({ cached: true, etag: planned.etag });
    expect(reads.filter((name) => name === 'validator' || name === 'path')).toEqual(['validator']);
    expect(await images.flush('/thumbnail/b/a.png', RECIPES)).toBe(1);
  });

  it('is rendered once for a hundred requests at the same time', async () => {
    const images = await openImages();
    const request = requestOf({ width: 40 });
    const variants = await Promise.all(Array.from({ length: 100 }, () => images.plan(request).variant()));
    expect(request.source.opened).toBe(1);
    expect(new Set(variants.map(({ etag }) => etag)).size).toBe(1);
  });

  it('has its tag before it exists, and another one when anything about it changes', async () => {
    const images = await openImages();
    const base = requestOf({ width: 40, format: 'auto' });
    const tags = [
      base,
      requestOf({ width: 41, format: 'auto' }),
      { ...base, accept: 'image/webp' },
      { ...base, accept: 'image/avif,image/webp' },
      { ...base, sourceId: 'directory:a.png' },
      { ...base, source: sourceOf(photo, 'v2') },
    ].map((request) => images.plan(request).etag);
    expect(new Set(tags).size).toBe(tags.length);
    expect(base.source.opened).toBe(0);
    expect((await images.plan(base).variant()).etag).toBe(tags[0]);
    expect(tags[0]).toMatch(/^"[0-9a-f]{32}"$/);
  });

  it('follows Accept, and says so', async () => {
    const images = await openImages();
    const typeOf = async (accept: string) => {
      const { contentType, vary } = await images
        .plan(requestOf({ width: 40, format: 'auto' }, { accept }))
        .variant();
      expect(vary).toEqual(['Accept']);
      return contentType;
    };
    expect(await typeOf('image/avif,image/webp,*/*')).toBe('image/avif');
    expect(await typeOf('image/webp,*/*')).toBe('image/webp');
    expect(await typeOf('*/*')).toBe('image/png');
    expect(await typeOf('image/webp;q=0')).toBe('image/png');
  });

  it('of an animation goes to the first accepted format that moves', async () => {
    const images = await openImages();
    const source = sourceOf(await greyAnimation(40, 30, 5));
    const accept = 'image/avif,image/webp';
    const still = requestOf({ width: 20, format: 'auto' }, { accept, source });
    const moving = requestOf({ width: 20, format: 'auto', animated: true }, { accept, source });
    expect((await images.plan(still).variant()).contentType).toBe('image/avif');
    expect((await images.plan(moving).variant()).contentType).toBe('image/webp');
  });

  it('is the same for every query that the recipe does not open', async () => {
    const images = await openImages();
    const closed = requestOf({ width: 40 });
    const tagOf = (request: VariantRequest, query: string) =>
      images.plan({ ...request, query: new URLSearchParams(query) }).etag;
    expect(tagOf(closed, 'width=3')).toBe(tagOf(closed, ''));
    const open = requestOf({ width: 40, allowOverride: ['width'] });
    expect(tagOf(open, 'w=3')).not.toBe(tagOf(open, ''));
    expect(tagOf(open, 'w=3&x=1')).toBe(tagOf(open, 'width=3'));
  });

  it('is removed by a flush that names it, and only then', async () => {
    const images = await openImages();
    const request = requestOf({ width: 40, allowOverride: ['width'] });
    const wide = { ...request, query: new URLSearchParams('w=50&v=1') };
    const isCached = async (one: VariantRequest) => (await images.plan(one).variant()).cached;
    expect([await isCached(request), await isCached(wide)]).toEqual([false, false]);
    expect(await images.flush('/other/a.png', RECIPES)).toBe(0);
    expect([await isCached(request), await isCached(wide)]).toEqual([true, true]);
    expect(await images.flush('/thumbnail/a.png?w=50', RECIPES)).toBe(1);
    expect([await isCached(request), await isCached(wide)]).toEqual([true, false]);
    expect(await images.flush('*', RECIPES)).toBe(2);
  });

  it('that was being rendered during a flush is not kept', async () => {
    const images = await openImages();
    const request = requestOf({ width: 40 });
    const gate = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    const open = async () => {
      opened.resolve();
      await gate.promise;
      return request.source.open();
    };
    const early = images.plan({ ...request, source: { ...request.source, open } }).variant();
    await opened.promise;
    await images.flush('*', RECIPES);
    gate.resolve();
    await early;
    expect((await images.plan(request).variant()).cached).toBe(false);
  });

  it('that fails is not tried again for a moment, unless the original has changed or a flush names it', async () => {
    let time = 0;
    const images = await openImages(undefined, () => time);
    const request = requestOf({ width: 40 });
    const broken = { ...request, source: sourceOf(Buffer.from('no image')) };
    const refusal = { code: 'IMAGE_INVALID', status: 400 };
    for (const [at, opened] of [
      [0, 1],
      [29_999, 1],
      [30_000, 2],
    ] as const) {
      time = at;
      await expect(images.plan(broken).variant()).rejects.toMatchObject(refusal);
      expect(broken.source.opened).toBe(opened);
    }
    await images.flush('*', RECIPES);
    await expect(images.plan(broken).variant()).rejects.toMatchObject(refusal);
    expect(broken.source.opened).toBe(3);
    const mended = { ...request, source: sourceOf(photo, 'v2') };
    expect((await images.plan(mended).variant()).cached).toBe(false);
  });

  it('whose source fails is tried again at once', async () => {
    const images = await openImages();
    const request = requestOf({ width: 41 });
    const away = { ...request.source, open: () => Promise.reject(new Error('away')) };
    await expect(images.plan({ ...request, source: away }).variant()).rejects.toThrow('away');
    expect((await images.plan(request).variant()).width).toBe(41);
  });

  it('of a file over the limit is refused without reading it', async () => {
    const source = { ...sourceOf(photo), size: 1e6 + 1 };
    const refusal = (await openImages()).plan(requestOf({}, { source })).variant();
    await expect(refusal).rejects.toMatchObject({ code: 'IMAGE_TOO_LARGE', status: 413 });
    expect(source.opened).toBe(0);
  });

  it('goes on for others when one client has gone', async () => {
    const images = await openImages();
    const request = requestOf({ width: 40 });
    const leaving = new AbortController();
    const first = images.plan({ ...request, signal: leaving.signal }).variant();
    const second = images.plan(request).variant();
    leaving.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect((await second).width).toBe(40);
  });

  it('of many bytes comes as a stream, whole and in part', async () => {
    const images = await openImages();
    // A fixed sequence that does not compress.
    let state = 1;
    const noise = Buffer.alloc(400 * 400 * 3).map(() => {
      state = (state * 48_271) % 2_147_483_647;
      return state;
    });
    const large = await sharp(noise, { raw: { width: 400, height: 400, channels: 3 } })
      .png()
      .toBuffer();
    const variant = await images.plan(requestOf({ format: 'png' }, { source: sourceOf(large) })).variant();
    expect(variant.bytes).toBeUndefined();
    expect(variant.size).toBeGreaterThan(256 * 1024);
    const pieces: Buffer[] = [];
    for await (const piece of await variant.open({ start: 1, end: 3 })) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).toString()).toBe('PNG');
  });
});
