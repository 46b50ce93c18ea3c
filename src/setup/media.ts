// The part of the composition root for media: the configured store, the threads that read images, the service, the cleanup.
import { isAbsolute } from 'node:path';
import type { RecordService } from '../collections/model/documents.ts';
import { createFileRemovals, type FileRemovals } from '../collections/writes/file-removals/file-removals.ts';
import { MEDIA_IN_WORKSPACE, mediaFolderOf } from '../config/folder-check.ts';
import type { Config } from '../config/schema.ts';
import type { Pause } from '../lib/async/retry.ts';
import type { Logger } from '../lib/logger.ts';
import { createMediaService } from '../media/media-service.ts';
import type { MediaService } from '../media/media-service-types.ts';
import { createUploadCleanup, type UploadCleanupDeps } from '../media/upload-cleanup.ts';
import { UploadQuota } from '../media/upload-quota.ts';
import { openDiskMedia } from '../stores/disk-media/disk-media.ts';
import { bucketKeyPrefix } from '../stores/media-keys.ts';
import type { MediaStore } from '../stores/media-store.ts';
import { isSoleProcess } from '../stores/open/document-store.ts';
import type { DocumentStore, Namespace } from '../stores/ports.ts';
import { createMediaWorkers, IMAGE_HEAD_BYTES, IMAGE_TAIL_BYTES } from '../workers/media-tasks.ts';

/** Milliseconds by which an upload may outlive `media.requestSeconds`: its commit, and clocks of several servers. */
const MAX_OVERTIME_MS = 60_000;

interface MediaSetupOptions {
  readonly config: Config;
  /** Relative paths start here. */
  readonly cwd: string;
  readonly documents: Pick<DocumentStore, 'find' | 'commit'>;
  /** Used in place of the store that the configuration names. */
  readonly mediaStore?: MediaStore | undefined;
  readonly generateId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly logger: Logger;
  readonly pause?: Pause | undefined;
}

export interface MediaSetup {
  readonly store: MediaStore;
  /** For the service of documents, which removes files with their records. */
  readonly removals: FileRemovals;
  createService(records: RecordService): MediaService;
  /** Uploads under way, and the bytes of their files. */
  uploads(): ReturnType<UploadQuota['status']>;
  /** Ends, behind, what a crash has left of uploads and removals; again from time to time. Not before the database is there. */
  start(): void;
  close(): Promise<void>;
}

/** The prefix of the bucket. Where files lie in a folder with an absolute path, a bucket takes them below the default. */
const bucketPrefix = ({ media }: Config) =>
  bucketKeyPrefix(isAbsolute(media.basePath) ? MEDIA_IN_WORKSPACE : media.basePath);

interface OpenMediaOptions {
  readonly cwd: string;
  readonly now: () => number;
  readonly log: Logger;
  /** In place of `media.storage`. */
  readonly storage?: Config['media']['storage'];
}

/** Opens the store that `media.storage` names. Nothing is asked of it yet. */
export async function openMediaStore(
  config: Config,
  { cwd, now, log, storage = config.media.storage }: OpenMediaOptions,
): Promise<MediaStore> {
  return OPENERS[storage](config, { cwd, now, log });
}

type Opener = (
  config: Config,
  options: Omit<OpenMediaOptions, 'storage'>,
) => Promise<MediaStore> | MediaStore;

/** A row per value of the setting: the type names a storage without one. */
const OPENERS: Readonly<Record<Config['media']['storage'], Opener>> = {
  disk: (config, { cwd, now, log }) => {
    const { sync } = config.media;
    return openDiskMedia({
      path: mediaFolderOf(config, cwd),
      prefix: bucketPrefix(config),
      sync,
      now,
      log,
    });
  },
  s3: async (config, { now, log }) => {
    // Imported on demand: the client takes long to load.
    const { openS3Media } = await import('../stores/s3-media/s3-media.ts');
    return openS3Media({ settings: config.media.s3, prefix: bucketPrefix(config), now, log });
  },
};

/** The documents of the collection that a key is below, whether or not there is a specification of it. */
export function namespaceOfMediaKey(key: string, separateDatabases: boolean): Namespace {
  const [, database = '', collection = ''] = key.split('/');
  return { database: separateDatabases ? database : null, collection };
}

/** Puts media together. Nothing is read or written before an upload, a download, or `start`. */
export async function createMediaSetup(options: MediaSetupOptions): Promise<MediaSetup> {
  const { config, cwd, documents, generateId, now, logger: log, pause } = options;
  const { limits, media, publicUrl, database } = config;
  const { jsonValues, queryMs } = limits;
  const store = options.mediaStore ?? (await openMediaStore(config, { cwd, now, log }));
  // Whoever has the database to itself has the files of its records, too.
  const isSole = isSoleProcess(config);
  const quota = new UploadQuota(limits);
  const tasks = createMediaWorkers({
    onFailure: (error) => log.error({ err: error }, 'image reader pool failed'),
  });
  const removals = createFileRemovals({
    store: documents,
    files: store,
    generateId,
    now,
    queryMs,
    log,
    pause,
    isSole,
  });
  const hasRecord: UploadCleanupDeps['hasRecord'] = async (key, path, deadline) => {
    const filter = { kind: 'field', path: 'path', tests: [{ kind: 'eq', value: path }] } as const;
    const ns = namespaceOfMediaKey(key, database.enableCollectionDatabases);
    const found = await documents.find(ns, { filter, sort: [], skip: 0, limit: 1 }, { deadline });
    return found.length > 0;
  };
  const livesMs = media.requestSeconds * 1000 + MAX_OVERTIME_MS;
  const cleanup = createUploadCleanup({
    store,
    documents,
    hasRecord,
    maxUploadMs: livesMs,
    isSole,
    queryMs,
    now,
    log,
  });

  return {
    store,
    removals,
    createService: (records) =>
      createMediaService({
        store,
        documents,
        records,
        tasks,
        quota,
        now,
        log,
        ends: { head: IMAGE_HEAD_BYTES, tail: IMAGE_TAIL_BYTES },
        settings: { pathFormat: media.pathFormat, publicUrl, jsonValues, queryMs },
      }),
    uploads: () => quota.status(),
    start() {
      void cleanup.start();
      removals.start();
    },
    async close() {
      await cleanup.close();
      await removals.close();
      await tasks.close();
      await store.close();
    },
  };
}
