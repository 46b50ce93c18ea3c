// Media store in a bucket: files are at `<prefix><key>`, journals of running uploads in a staging prefix.
import { Readable } from 'node:stream';
import { StoreError } from '../../errors/errors.ts';
import { Permits } from '../../lib/async/permits.ts';
import type { Logger } from '../../lib/logger.ts';
import {
  createMediaOperations,
  createUploadId,
  isMediaKey,
  mediaKeyOfPath,
  randomHex,
} from '../media-keys.ts';
import type { ByteRange, MediaKey, MediaStore, StoredFile } from '../media-store.ts';
import { Bucket } from './bucket.ts';
import { BucketJournal, isReservation, mayBeReservation } from './bucket-journal.ts';
import { type BucketSettings, createS3ErrorTranslator, errorNameOf } from './s3-client.ts';
import { S3Upload } from './s3-upload.ts';
import { recoverS3Upload } from './upload-traces.ts';

interface S3MediaOptions {
  readonly settings: BucketSettings;
  /** Prefix of all keys in the bucket: see `bucketKeyPrefix`. */
  readonly prefix: string;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Sixteen hexadecimal characters, different at each call. Default: random. */
  readonly random?: () => string;
  /** Time limit of a request including its retries, in milliseconds. */
  readonly timeoutMs?: number;
  /** Parts of files that may be in memory, all uploads together, and milliseconds that an upload waits for room. */
  readonly parts?: { readonly max: number; readonly waitMs: number };
}

/** Of 8 MiB each. */
const MAX_PARTS_IN_MEMORY = 32;
/** Milliseconds. */
const MAX_PART_WAIT = 20_000;

const tooManyParts = () =>
  new StoreError('busy', { store: 'media', explanation: 'Too many large files are being uploaded' });

/** Escapes a path for a URL, except for `/`. */
function escapePath(path: string): string {
  const escapeMore = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return path
    .split('/')
    .map((part) => encodeURIComponent(part).replace(/[!'()*]/g, escapeMore))
    .join('/');
}

/** Public URL of an object, whether or not the bucket is public. */
export function cloudUrl({ endpoint, bucketName = '' }: BucketSettings, bucketKey: string): string {
  const path = escapePath(bucketKey);
  return endpoint === undefined
    ? `https://${bucketName}.s3.amazonaws.com/${path}`
    : `${endpoint.replace(/\/+$/, '')}/${bucketName}/${path}`;
}

async function readObject(
  bucket: Bucket,
  key: string,
  range: ByteRange | undefined,
): Promise<Readable | undefined> {
  const header = range === undefined ? undefined : `bytes=${range.start}-${range.end}`;
  try {
    const answer = await bucket.get(key, header);
    if (answer === undefined) return undefined;
    const body = answer.Body as Readable;
    if (!isReservation({ metadata: answer.Metadata ?? {} })) return body;
    body.destroy();
    return undefined;
  } catch (error) {
    // The range begins after the end of the file.
    if (errorNameOf(error) === 'InvalidRange') return Readable.from([]);
    throw error;
  }
}

/** Connections of reads, which last as long as clients take to read. */
const MAX_READS = 256;
/** Connections that look whether a file is there, so that cached answers need none of the reads'. */
const MAX_LOOKUPS = 64;
/** Connections of everything else: uploads and removals go on, whoever reads. */
const MAX_OTHER_REQUESTS = 128;

const NO_CONDITIONS =
  'the service of `media.s3` knows no conditional requests: two uploads with the same name at the same moment may overwrite each other';

/** Opens the bucket. Nothing is sent before the first operation. */
export function openS3Media({
  settings,
  prefix,
  log,
  now,
  random = randomHex,
  timeoutMs,
  parts = { max: MAX_PARTS_IN_MEMORY, waitMs: MAX_PART_WAIT },
}: S3MediaOptions): MediaStore {
  const withConnections = (maxSockets: number) => new Bucket({ settings, timeoutMs, maxSockets });
  const bucket = withConnections(MAX_OTHER_REQUESTS);
  const reads = withConnections(MAX_READS);
  const lookups = withConnections(MAX_LOOKUPS);
  const partPermits = new Permits({ permits: parts.max, maxWaitMs: parts.waitMs, createError: tooManyParts });
  const journal = new BucketJournal(bucket, prefix, () => log.warn({}, NO_CONDITIONS));
  const translateError = createS3ErrorTranslator(log, now);
  const operations = createMediaOperations(translateError);
  const { assertOpen, run, iterate } = operations;

  const statIn = async (share: Bucket, key: MediaKey): Promise<StoredFile | undefined> => {
    const head = isMediaKey(key) ? await share.head(prefix + key) : undefined;
    if (head === undefined || isReservation(head)) return undefined;
    const { size, modifiedAt, etag } = head;
    return { size, modifiedAt, ...(etag !== undefined && { etag }) };
  };
  async function* files() {
    for await (const { key: bucketKey, size, modifiedAt, etag } of bucket.list(prefix)) {
      const key = bucketKey.slice(prefix.length);
      // Journals, and the folder objects of some programs, are not valid keys.
      if (!isMediaKey(key)) continue;
      if (mayBeReservation(size) && (await statIn(bucket, key)) === undefined) continue;
      yield { key, size, modifiedAt, ...(etag !== undefined && { etag }) };
    }
  }

  return {
    begin: (options) =>
      run(async () => {
        const id = createUploadId(now(), random());
        const onEnd = operations.startUpload(id);
        return new S3Upload(options, {
          id,
          bucket,
          journal,
          prefix,
          partPermits,
          translateError,
          assertOpen,
          onEnd,
        });
      }),
    stat: (key) => run(() => statIn(lookups, key)),
    read: (key, range) =>
      run(async () => (isMediaKey(key) ? readObject(reads, prefix + key, range) : undefined)),
    remove: (keys) =>
      run(async () => {
        const removable = keys.filter(isMediaKey).map((key) => prefix + key);
        await bucket.remove([...new Set(removable)]);
      }),
    list: () => iterate(files),
    unsettled: (before) =>
      iterate(async function* () {
        for await (const { id, begun } of journal.ids()) {
          if (begun >= before || operations.isRunning(id)) continue;
          yield await recoverS3Upload({ id, bucket, journal, prefix, translateError });
        }
      }),
    pathOf: (key) => prefix + key,
    keyOf: (path) => mediaKeyOfPath(path, prefix),
    cloudUrlOf: (key) => cloudUrl(settings, prefix + key),
    health: () =>
      run(async () => {
        await bucket.check();
      }),
    async close() {
      operations.close();
      await Promise.all([bucket, reads, lookups].map((share) => share.close()));
    },
  };
}
