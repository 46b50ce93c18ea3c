// What a failure of the bucket means: the error of the port, and one line a minute for the operator.
import { StoreError } from '../../errors.ts';
import { createLogLimit } from '../../lib/log-limit.ts';
import type { Logger } from '../../lib/logger.ts';

type Fault = 'away' | 'credentials' | 'bucket' | 'region' | 'clock' | 'unexpected';

const FAULTS: ReadonlyMap<string, Fault> = new Map([
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

const MESSAGES: Readonly<Record<Fault, string>> = {
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
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** HTTP status of an answer of the service; undefined where it gave none. */
function statusOf(error: unknown): number | undefined {
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
export const isMissingObject = (error: unknown): boolean => MISSING.has(nameOf(error));
/** True when an object is under a key that should have been free. */
export const isTaken = (error: unknown): boolean => TAKEN.has(nameOf(error)) || statusOf(error) === 412;
/** True when the service does not know conditions on requests. */
export const isNotImplemented = (error: unknown): boolean => statusOf(error) === 501;

function faultOf(error: unknown): Fault {
  const named = FAULTS.get(nameOf(error));
  if (named !== undefined) return named;
  const status = statusOf(error);
  if (status === 403) return 'credentials';
  if (status === 301) return 'region';
  if (status === 429 || (status !== undefined && status >= 500)) return 'away';
  // Without an answer it is the network, whose errors have the code of the operating system.
  return status === undefined && error instanceof Error && 'code' in error ? 'away' : 'unexpected';
}

/** Turns what the client of the service throws into a StoreError, and logs it. */
export type ToStoreError = (error: unknown) => StoreError;

/**
 * Makes the function that turns failures into StoreErrors: `unavailable` for a service that is away, else `failed`. Each
 * kind is logged once a minute; `now` is in milliseconds.
 */
export function createFailures(log: Pick<Logger, 'error'>, now: () => number): ToStoreError {
  const limit = createLogLimit({ everyMs: EVERY_MS, now });
  return (error) => {
    if (error instanceof StoreError) return error;
    const fault = faultOf(error);
    const line = limit(fault);
    if (line !== undefined) {
      // Messages of the service may repeat the access key: its name for the failure is enough.
      const detail = nameOf(error) === 'Error' && error instanceof Error ? error.message : nameOf(error);
      log.error({ fault, detail, ...line }, MESSAGES[fault]);
    }
    return new StoreError(fault === 'away' ? 'unavailable' : 'failed', { store: 'media', cause: error });
  };
}
