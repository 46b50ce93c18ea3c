// The part of the composition root for images: the rendering processes and the store of variants.
import { resolve } from 'node:path';
import type { Config } from '../config/schema.ts';
import { createRenderer, type Renderer } from '../delivery/images/renderer.ts';
import { createVariantService, type VariantService } from '../delivery/images/variant-service.ts';
import { openDiskVariants } from '../delivery/variants/disk-variants.ts';
import { createObjectVariants } from '../delivery/variants/object-variants.ts';
import type { VariantStore } from '../delivery/variants/variant-store.ts';
import { StoreError } from '../errors/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { bucketKeyPrefix } from '../stores/media-keys.ts';
import type { MediaStore } from '../stores/media-store.ts';
import type { BucketSettings } from '../stores/s3-media/s3-client.ts';
import { openS3Media } from '../stores/s3-media/s3-media.ts';
import type { Metrics } from './metrics.ts';

interface OpenImagesOptions {
  readonly config: Config;
  /** Relative paths of the configuration start here. */
  readonly cwd: string;
  readonly logger: Logger;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Undefined where nothing is counted. */
  readonly counts?: Metrics['images'] | undefined;
  /** Renders; one of the configuration unless given. */
  readonly renderer?: Renderer;
}

/** Opens a bucket as a media store. It is not contacted before the first file. */
export function openBucket(
  settings: BucketSettings,
  { prefix, logger, now }: Pick<OpenImagesOptions, 'logger' | 'now'> & { readonly prefix: string },
): MediaStore {
  return openS3Media({ settings, prefix, log: logger, now });
}

type VariantsOpener = (options: OpenImagesOptions) => Promise<VariantStore> | VariantStore;

/** A row per value of the setting: the type names a storage without one. */
const VARIANTS: Readonly<Record<Config['delivery']['cache']['storage'], VariantsOpener>> = {
  disk: ({ config, cwd, now }) => {
    const { path, maxBytes } = config.delivery.cache;
    return openDiskVariants({ folder: resolve(cwd, path), maxBytes, now });
  },
  s3: ({ config, logger, now }) => {
    const { path, maxBytes } = config.delivery.cache;
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'image cache in the bucket failed');
    const objects = openBucket(config.media.s3, { prefix: bucketKeyPrefix(path), logger, now });
    return createObjectVariants({ objects, maxBytes, onFailure });
  },
};

async function openVariants(options: OpenImagesOptions): Promise<VariantStore> {
  return VARIANTS[options.config.delivery.cache.storage](options);
}

/** Creates the configured renderer. No process is started yet. */
export function createConfiguredRenderer({
  config,
  counts,
}: Pick<OpenImagesOptions, 'config' | 'counts'>): Renderer {
  const { concurrency, queue, seconds, maxSourceBytes } = config.delivery.render;
  const onRendered = counts && ((ms: number) => counts.onRendered(ms));
  const renderer = createRenderer({ concurrency, queue, seconds, maxSourceBytes, onRendered });
  counts?.watch(renderer);
  return renderer;
}

/** Opens the configured image rendering. Rejects with a StoreError if variants cannot be stored. */
export async function openImages(options: OpenImagesOptions): Promise<VariantService> {
  const store = await openVariants(options).catch((cause: unknown) => {
    throw new StoreError('unavailable', { cause });
  });
  const { counts, renderer = createConfiguredRenderer(options) } = options;
  const limits = options.config.delivery.render;
  const variants = createVariantService({ renderer, store, limits });
  return counts?.around(variants) ?? variants;
}
