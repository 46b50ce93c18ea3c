// The part of the composition root for delivery: routes, recipes, sources, images, and its HTTP server.
import { resolve } from 'node:path';
import type { DefinitionAdministration } from '../delivery/definition-administration.ts';
import type { DeliverDeps } from '../delivery/deliver.ts';
import { createImageFlush } from '../delivery/flush-images.ts';
import { renderUncached } from '../delivery/images/variant-service.ts';
import { createPreview } from '../delivery/preview-recipe.ts';
import { parseCacheControlByType } from '../delivery/responses/cache-headers.ts';
import { createRouteDecider, explainRoute } from '../delivery/routes/decide-route.ts';
import { createFallbackFileFinder } from '../delivery/sources/directory-source.ts';
import { AppError } from '../errors/errors.ts';
import { createDeliveryServer } from '../http/delivery/delivery-server.ts';
import { lazily } from '../lib/async/lazily.ts';
import { openDefinitions } from './definitions.ts';
import type { DeliveryOptions } from './delivery-options.ts';
import { openRemote, openSources } from './originals.ts';

/** Statuses of answers that never have a body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** What delivers files, and what admins do with routes and recipes, on whichever port. */
export interface OpenDelivery {
  readonly administration: DefinitionAdministration;
  readonly deliver: DeliverDeps;
  /** Throws an `unavailable` StoreError until routes and recipes have been read. */
  assertLoaded(): void;
  close(): Promise<void>;
}

export interface DeliverySetup {
  /** For requests without a socket. */
  readonly server: ReturnType<typeof createDeliveryServer>;
  close(): Promise<void>;
}

/** Rendering is loaded on first use: a start does not need it. */
const imageSetup = () => import('./images.ts');

/** Makes the renderer and, where it is given none, the service of variants with it, each when it is first needed. */
function openImagesLazily(options: DeliveryOptions) {
  const withCounts = { ...options, counts: options.counts?.images };
  const renderer = lazily(async () => (await imageSetup()).createConfiguredRenderer(withCounts));
  const open = async () => (await imageSetup()).openImages({ ...withCounts, renderer: await renderer.get() });
  return { renderer, variants: lazily(options.images ?? open) };
}

/** Opens everything but the server. Routes and recipes are watched from then on; no image is rendered yet. */
export async function openDelivery(options: DeliveryOptions): Promise<OpenDelivery> {
  const { config, cwd } = options;
  const { routes, recipes, facts, assertLoaded, close } = await openDefinitions(options);
  const sources = await openSources(options);
  const { renderer, variants } = openImagesLazily(options);
  const { enabled, path } = config.notFound.images;
  const { plainRecipe } = config.delivery;
  const flush = createImageFlush({ routes, recipes, variants: variants.get, plainRecipe });
  const findRoute = (name: string) => {
    assertLoaded();
    return routes.get(name)?.value;
  };
  const findRecipe = (name: string) => {
    assertLoaded();
    const recipe = recipes.get(name);
    return recipe === undefined ? undefined : { ...recipe.value, name: recipe.name };
  };
  const isPlain = plainRecipe === undefined || recipes.get(plainRecipe)?.value.kind === 'image';
  // Those in a database are perhaps not read yet.
  if (!isPlain && options.workspace.isReadableAtOnce)
    options.logger.warn({ recipe: plainRecipe }, 'delivery.plainRecipe names no recipe of images');
  options.deployment.onChange('variants', async (pattern) => {
    if (pattern !== undefined) await flush(pattern);
  });
  const deliver: DeliverDeps = {
    routes: createRouteDecider(findRoute, facts),
    recipes: {
      find: findRecipe,
      plain: () => (plainRecipe === undefined ? undefined : findRecipe(plainRecipe)),
    },
    images: variants.get,
    source: sources.source,
    remote: openRemote(options),
    fallback: createFallbackFileFinder(enabled ? resolve(cwd, path) : undefined),
    missingImageStatus: config.notFound.statusCode,
    cacheControl: config.delivery.cacheControl,
    cacheControlByType: parseCacheControlByType(config.delivery.cacheControlByType),
  };
  const limits = config.delivery.render;
  return {
    administration: {
      routes,
      recipes,
      explain(name, visitor) {
        const route = routes.get(name);
        return route === undefined ? undefined : explainRoute(route, visitor, facts);
      },
      async flush(pattern) {
        await flush(pattern);
        await options.deployment.announce({ kind: 'variants', target: pattern });
      },
      preview: createPreview({
        deliver,
        render: async (request) => renderUncached(request, { renderer: await renderer.get(), limits }),
      }),
    },
    deliver,
    assertLoaded,
    async close() {
      await close();
      await (await variants.started())?.close();
      await (await renderer.started())?.close();
      await sources.close();
    },
  };
}

/** Creates the server of what is open. It does not listen yet. Throws CONFIGURATION_INVALID. */
export async function createDelivery(options: DeliveryOptions, opened: OpenDelivery): Promise<DeliverySetup> {
  if (WITHOUT_BODY.has(options.config.notFound.statusCode)) {
    const message = 'notFound.statusCode must be a status of answers that have a body';
    throw new AppError('CONFIGURATION_INVALID', { field: 'notFound.statusCode', message });
  }
  const { administration, deliver } = opened;
  const server = createDeliveryServer({ ...options, ...administration, deliver });
  await server.ready();
  return { server, close: () => server.close() };
}
