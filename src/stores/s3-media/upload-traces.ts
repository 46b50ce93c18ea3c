// What an upload has in a bucket, and how it is removed: an object under the key, which is a reservation or the file, multipart
// uploads to that key, and the journal that names it.
import type { TranslateError } from '../media-keys.ts';
import type { MediaKey, UnsettledUpload } from '../media-store.ts';
import type { Bucket } from './bucket.ts';
import { type BucketJournal, isReservation, UPLOAD_ID_METADATA } from './bucket-journal.ts';

export interface TraceDeps {
  /** Id of the upload. */
  readonly id: string;
  readonly bucket: Bucket;
  readonly journal: BucketJournal;
  /** Of all keys in the bucket. */
  readonly prefix: string;
  readonly translateError: TranslateError;
}

/** Ends every multipart upload to a key. The object of this upload is under it, so that nobody else uploads to it. */
export async function abortUploads({ bucket, prefix }: TraceDeps, key: MediaKey): Promise<void> {
  for (const uploadId of await bucket.uploadsTo(prefix + key))
    await bucket.abortParts(prefix + key, uploadId);
}

/**
 * Removes the object of an upload, file or reservation, and its multipart uploads, also those of which nobody was told: the
 * answer to the request that began them was lost. Objects of others are kept, and what they upload.
 */
export async function removeTraces(
  deps: TraceDeps,
  key: MediaKey,
  uploadId: string | undefined,
): Promise<void> {
  const { id, bucket, journal, prefix } = deps;
  if (uploadId !== undefined) await bucket.abortParts(prefix + key, uploadId);
  if (!(await journal.isOf(id, prefix + key))) return;
  await abortUploads(deps, key);
  await bucket.remove([prefix + key]);
}

/** Restores the upload of an ended process from its journal. */
export async function recoverS3Upload(deps: TraceDeps): Promise<UnsettledUpload> {
  const { id, bucket, journal, prefix, translateError } = deps;
  const { key, uploadId } = await journal.read(id);
  const head = key === undefined ? undefined : await bucket.head(prefix + key);
  const isOurs = head?.metadata[UPLOAD_ID_METADATA] === id;
  const end = async (work: () => Promise<void>) => {
    try {
      await work();
      await journal.remove(id);
    } catch (error) {
      throw translateError(error);
    }
  };
  return {
    key: isOurs && !isReservation(head) ? key : undefined,
    settle: () =>
      end(async () => {
        if (key !== undefined && (await journal.isOf(id, prefix + key))) await abortUploads(deps, key);
      }),
    discard: () =>
      end(async () => {
        if (key !== undefined) await removeTraces(deps, key, uploadId);
      }),
  };
}
