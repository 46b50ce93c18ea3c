// Media stores in buckets of a real server.
import { randomBytes } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { MediaStore } from '../../../src/stores/media-store.ts';
import { openS3Media } from '../../../src/stores/s3-media/s3-media.ts';
import type { OpenedMedia } from '../../contracts/media-cases.ts';
import { type BucketAccess, objectsIn, type S3Server } from '../../helpers/store/redis-and-s3.ts';

const STORE = new URL('../../../src/stores/s3-media/s3-media.ts', import.meta.url).href;
export const PREFIX = 'workspace/media/';

export interface LogLine {
  readonly fields: unknown;
  readonly message: string;
}

interface S3MediaOptions {
  readonly lines?: LogLine[];
  readonly timeoutMs?: number;
  readonly prefix?: string;
  readonly parts?: { readonly max: number; readonly waitMs: number };
}

/** A store on this bucket; its log lines are put into `lines`. */
export function s3Media(
  settings: BucketAccess,
  { lines = [], timeoutMs, prefix = PREFIX, parts }: S3MediaOptions = {},
): MediaStore {
  const log = (fields: unknown, message?: string) => void lines.push({ fields, message: message ?? '' });
  return openS3Media({
    settings,
    prefix,
    log: { error: log, warn: log },
    now: Date.now,
    random: () => randomBytes(8).toString('hex'),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(parts === undefined ? {} : { parts }),
  });
}

/** An empty bucket for the contract. */
export async function openInBucket(server: S3Server): Promise<OpenedMedia> {
  const settings = await server.createBucket();
  return {
    store: s3Media(settings),
    another: () => s3Media(settings),
    program: `
      const { openS3Media } = await import(${JSON.stringify(STORE)});
      const { randomBytes } = await import('node:crypto');
      const store = openS3Media({
        settings: ${JSON.stringify(settings)}, prefix: ${JSON.stringify(PREFIX)}, log: console, now: Date.now,
        random: () => randomBytes(8).toString('hex'),
      });
    `,
    put: (key, Body) =>
      server.client.send(new PutObjectCommand({ Bucket: settings.bucketName, Key: PREFIX + key, Body })),
    everything: () => objectsIn(server.client, settings.bucketName, PREFIX),
    dispose: async () => undefined,
  };
}
