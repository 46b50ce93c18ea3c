// The part of the composition root for originals: the sources that the configuration names, and other web servers.
import { resolve } from 'node:path';
import { createFileReader } from '../auth/access/callers.ts';
import type { Collection } from '../collections/model/collection.ts';
import type { RequestContext } from '../collections/model/documents.ts';
import type { Config } from '../config/schema.ts';
import type { OriginalSource } from '../delivery/model/delivery-types.ts';
import { createAssetSource, createDirectorySource } from '../delivery/sources/directory-source.ts';
import { createBucketSource, createMediaSource } from '../delivery/sources/media-source.ts';
import { createRemoteSource, type RemoteSource } from '../delivery/sources/remote-source.ts';
import { createSourceChain } from '../delivery/sources/source-chain.ts';
import { createNameResolver } from '../lib/egress/destination.ts';
import { createPublicRecords } from '../media/public-records.ts';
import type { DeliveryOptions } from './delivery-options.ts';

/** Collections that a line of the log names. */
const MAX_NAMED = 20;

/** The media store as a source: of files that the content API gives to everybody. */
function openMediaSource(options: DeliveryOptions): OriginalSource | undefined {
  const { config, mediaStore: store, registry, records, store: documents, logger, now } = options;
  if (!config.images.media.enabled || store === undefined) return undefined;
  const caller = createFileReader(options.createCaller(null), config.media);
  const mayRead = (collection: Collection) => caller.access(collection).read !== null;
  const closed = registry.list().filter((collection) => collection.settings.media && !mayRead(collection));
  if (closed.length > 0) {
    const collections = closed.slice(0, MAX_NAMED).map(({ path }) => path);
    const message = 'files of these media collections are not delivered: reading them needs a token';
    logger.info({ collections, count: closed.length }, message);
  }
  const createContext = (url: string): RequestContext => ({
    caller,
    deadline: now() + config.limits.queryMs,
    origin: { requestId: '', client: null, http: { method: 'GET', url, headers: {}, ip: '', client: null } },
  });
  const deps = { records, registry, store, documents, mayRead, createContext, now };
  return createMediaSource(store, createPublicRecords(deps));
}

/** The prefix of uploaded files in the bucket of originals, where they are in the same bucket. */
function uploadsIn({ images, media }: Config, store: DeliveryOptions['mediaStore']): string | undefined {
  const isSame = (['bucketName', 'endpoint'] as const).every((name) => images.s3[name] === media.s3[name]);
  return isSame && media.storage === 's3' ? store?.pathOf('x').slice(0, -1) : undefined;
}

/** The sources that the configuration names, in the order in which they are asked. */
export async function openSources(options: DeliveryOptions): Promise<{
  readonly source: OriginalSource;
  close(): Promise<void>;
}> {
  const { config, cwd, logger, now } = options;
  const { directory, s3 } = config.images;
  const media = openMediaSource(options);
  const bucket = s3.enabled
    ? (await import('./images.ts')).openBucket(s3, { prefix: '', logger, now })
    : undefined;
  const assets = config.assets.directory;
  const sources = [
    ...(assets.enabled ? [createAssetSource(resolve(cwd, assets.path))] : []),
    ...(directory.enabled ? [createDirectorySource(resolve(cwd, directory.path))] : []),
    ...(media === undefined ? [] : [media]),
    ...(bucket === undefined ? [] : [createBucketSource(bucket, uploadsIn(config, options.mediaStore))]),
  ];
  return { source: createSourceChain(sources), close: async () => bucket?.close() };
}

/** Undefined where other web servers are not asked. */
export function openRemote({
  config,
  names = createNameResolver(),
  now,
}: DeliveryOptions): RemoteSource | undefined {
  const { enabled, allow, allowPrivateAddresses, seconds } = config.images.remote;
  const { maxSourceBytes: maxBytes } = config.delivery.render;
  if (!enabled) return undefined;
  return createRemoteSource({ allow, allowPrivateAddresses, seconds, maxBytes, names, now });
}
