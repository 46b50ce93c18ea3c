// The S3 client: created from the settings of a bucket, and its errors, as a StoreError for the caller and a rate-limited log line
// for the operator.
import type { S3Client } from '@aws-sdk/client-s3';
import { StoreError } from '../../errors/errors.ts';
import { http, https } from '../../lib/http/node-http.ts';
import { createLogThrottle, type Logger } from '../../lib/logger.ts';
import type { TranslateError } from '../media-keys.ts';

export type AwsSdk = typeof import('@aws-sdk/client-s3');

/** A block `s3` of the configuration. What it requires is checked there. */
export interface BucketSettings {
  readonly accessKey?: string | undefined;
  readonly secretKey?: string | undefined;
  readonly bucketName?: string | undefined;
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly forcePathStyle: boolean;
}

/** Region of a service with its own endpoint: most of them have none. */
const DEFAULT_REGION = 'us-east-1';

const CONNECTION_TIMEOUT_MS = 5000;
/** Longest pause on a connection. A slow reader of a file may cause one. */
const SOCKET_TIMEOUT_MS = 120_000;
/** Creates a client with so many connections of its own. It sends nothing yet. */
export function createS3Client(
  { S3Client: Client }: AwsSdk,
  settings: BucketSettings,
  maxSockets: number,
): S3Client {
  const { accessKey = '', secretKey = '', region = DEFAULT_REGION, endpoint, forcePathStyle } = settings;
  const agent = { keepAlive: true, maxSockets };
  return new Client({
    region,
    forcePathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    // Services other than AWS often know no other checksums than they must.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
      httpAgent: new http.Agent(agent),
      httpsAgent: new https.Agent(agent),
    },
  });
}

type S3ErrorKind = 'away' | 'credentials' | 'bucket' | 'region' | 'clock' | 'unexpected';

const KIND_BY_NAME: ReadonlyMap<string, S3ErrorKind> = new Map([
  ['AccessDenied', 'credentials'],
  ['Forbidden', 'credentials'],
  ['InvalidAccessKeyId', 'credentials'],
  ['SignatureDoesNotMatch', 'credentials'],
  ['ExpiredToken', 'credentials'],
  ['NoSuchBucket', 'bucket'],
  ['InvalidBucketName', 'bucket'],
  ['PermanentRedirect', 'region'],
  ['AuthorizationHeaderMalformed', 'region'],
  ['IllegalLocationConstraintException', 'region'],
  ['RequestTimeTooSkewed', 'clock'],
  ['SlowDown', 'away'],
  ['TimeoutError', 'away'],
  ['AbortError', 'away'],
]);

const MESSAGES: Readonly<Record<S3ErrorKind, string>> = {
  away: 'the bucket of media files does not answer: uploads and downloads are answered with 503',
  credentials:
    'the bucket of media files refuses `media.s3.accessKey` and `media.s3.secretKey`, or what they ask for',
  bucket: 'there is no bucket with the name in `media.s3.bucketName`',
  region: 'the bucket of media files is in another region than `media.s3.region`',
  clock: 'the clock of this machine differs too much from that of the bucket',
  unexpected: 'the bucket of media files failed',
};

const EVERY_MS = 60_000;

/** Name of an error of the service, such as `NoSuchKey`; empty for any other value. */
export function errorNameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** HTTP status of an answer of the service; undefined where it gave none. */
function httpStatusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const metadata = error.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}

const MISSING: ReadonlySet<string> = new Set(['NoSuchKey', 'NotFound']);
/** The last one comes from services that keep objects as files, for a key that is a folder there. */
const TAKEN: ReadonlySet<string> = new Set([
  ...['PreconditionFailed', 'ConditionalRequestConflict', 'ExistingObjectIsDirectory'],
]);

/** True when there is no object under the key. */
export const isMissingObject = (error: unknown): boolean => MISSING.has(errorNameOf(error));
/** True when an object is under a key that should have been free. */
export const isAlreadyThere = (error: unknown): boolean =>
  TAKEN.has(errorNameOf(error)) || httpStatusOf(error) === 412;
/** True when the service does not know conditions on requests. */
export const isNotImplemented = (error: unknown): boolean => httpStatusOf(error) === 501;

function errorKindOf(error: unknown): S3ErrorKind {
  const named = KIND_BY_NAME.get(errorNameOf(error));
  if (named !== undefined) return named;
  const status = httpStatusOf(error);
  if (status === 403) return 'credentials';
  if (status === 301) return 'region';
  if (status === 429 || (status !== undefined && status >= 500)) return 'away';
  // Without an answer it is the network, whose errors have the code of the operating system.
  return status === undefined && error instanceof Error && 'code' in error ? 'away' : 'unexpected';
}

/**
 * Creates the translation of errors: `unavailable` for a service that is away, else `failed`. Each kind is logged once a
 * minute; `now` is in milliseconds.
 */
export function createS3ErrorTranslator(log: Pick<Logger, 'error'>, now: () => number): TranslateError {
  const limit = createLogThrottle({ everyMs: EVERY_MS, now });
  return (error) => {
    if (error instanceof StoreError) return error;
    const kind = errorKindOf(error);
    const line = limit(kind);
    if (line !== undefined) {
      // Messages of the service may repeat the access key: its name for the failure is enough.
      const detail =
        errorNameOf(error) === 'Error' && error instanceof Error ? error.message : errorNameOf(error);
      log.error({ fault: kind, detail, ...line }, MESSAGES[kind]);
    }
    return new StoreError(kind === 'away' ? 'unavailable' : 'failed', { store: 'media', cause: error });
  };
}
