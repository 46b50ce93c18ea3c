// An upload to a bucket. A short file is buffered and put under the first free key. A longer one reserves its key with a small
// object, which the completed multipart upload replaces.
import { StoreError } from '../../errors/errors.ts';
import type { Permits } from '../../lib/async/permits.ts';
import { findFreeKey, uploadDiscardedError } from '../media-keys.ts';
import type { MediaKey, MediaUpload, MediaUploadOptions } from '../media-store.ts';
import { isReservation, UPLOAD_ID_METADATA } from './bucket-journal.ts';
import { errorNameOf, isAlreadyThere } from './s3-client.ts';
import { abortUploads, removeTraces, type TraceDeps } from './upload-traces.ts';

/** Size of a part; the last one may be shorter. */
const PART_BYTES = 8_388_608;
/** Longest file that is buffered until `publish`. What is longer needs room for a part. */
const MAX_HELD_BYTES = 1_048_576;
const MAX_PARTS = 10_000;

interface S3UploadDeps extends TraceDeps {
  /** Room for parts in memory, of all uploads to the bucket together. */
  readonly partPermits: Pick<Permits, 'acquire' | 'release'>;
  /** Throws `unavailable` once the store is closed. */
  readonly assertOpen: () => void;
  /** Called when the upload is settled, discarded or abandoned, also if that fails. */
  readonly onEnd: () => void;
}

/** A running multipart upload. */
interface Parts {
  readonly key: MediaKey;
  readonly uploadId: string;
  /** ETag of the reservation. */
  readonly etag: string | undefined;
  /** False where the request that began it was repeated: others of its kind may be open. */
  readonly isOnly: boolean;
  readonly done: { readonly number: number; readonly etag: string | undefined }[];
}

export class S3Upload implements MediaUpload {
  readonly #options: MediaUploadOptions;
  readonly #deps: S3UploadDeps;
  #held: Uint8Array | undefined;
  #parts: Parts | undefined;
  /** Whether there is room for the part that is being gathered. */
  #hasPermit = false;
  /** Set by the first part, before `#parts`. */
  #isLong = false;
  #bytes = 0;
  /** The last key that was tried: it may have an object of this upload. */
  #key: MediaKey | undefined;
  #journaled = false;
  #discarded = false;
  /** The running request to the bucket. */
  #sending: Promise<unknown> = Promise.resolve();

  constructor(options: MediaUploadOptions, deps: S3UploadDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  async write(source: AsyncIterable<Uint8Array>): Promise<number> {
    let gathered: Uint8Array[] = [];
    let waiting = 0;
    const gather = () => {
      const body = Buffer.concat(gathered);
      gathered = [];
      waiting = 0;
      return body;
    };
    try {
      for await (const chunk of source) {
        this.#assertRunning();
        for (let rest = chunk; rest.length > 0; ) {
          const piece = rest.subarray(0, PART_BYTES - waiting);
          rest = rest.subarray(piece.length);
          gathered.push(piece);
          waiting += piece.length;
          this.#bytes += piece.length;
          if (waiting > MAX_HELD_BYTES) await this.#acquirePermit();
          if (waiting === PART_BYTES) await this.#sendPart(gather());
        }
      }
      await this.#finishWriting(gather());
    } finally {
      this.#releasePermit();
    }
    return this.#bytes;
  }

  publish(): Promise<MediaKey> {
    return this.#send(async () => {
      if (this.#parts !== undefined) return this.#publishParts(this.#parts);
      if (this.#held !== undefined) return this.#publishHeld(this.#held);
      throw new StoreError('failed', { store: 'media', cause: new Error('published before it was written') });
    });
  }

  async settle(): Promise<void> {
    try {
      await this.#attempt(() => this.#deps.journal.remove(this.#deps.id));
    } finally {
      this.#deps.onEnd();
    }
  }

  abandon(): void {
    this.#deps.onEnd();
  }

  async discard(): Promise<void> {
    this.#discarded = true;
    this.#held = undefined;
    await this.#sending.catch(() => undefined);
    const { id, onEnd, journal } = this.#deps;
    try {
      await this.#attempt(async () => {
        if (this.#key !== undefined) await removeTraces(this.#deps, this.#key, this.#parts?.uploadId);
        if (this.#journaled) await journal.remove(id);
      });
    } finally {
      onEnd();
    }
  }

  async #finishWriting(rest: Buffer): Promise<void> {
    this.#assertRunning();
    if (!this.#isLong && rest.length <= MAX_HELD_BYTES) {
      this.#held = rest;
      return;
    }
    if (rest.length > 0) await this.#sendPart(rest);
    await this.#send(async () => undefined);
  }

  /** Waits until there is room for the part that is being gathered. */
  async #acquirePermit(): Promise<void> {
    if (this.#hasPermit) return;
    await this.#deps.partPermits.acquire();
    this.#hasPermit = true;
  }

  #releasePermit(): void {
    if (this.#hasPermit) this.#deps.partPermits.release();
    this.#hasPermit = false;
  }

  /** Sends a part while the source fills the next one: waits for the previous part, not for this one. */
  async #sendPart(body: Buffer): Promise<void> {
    this.#isLong = true;
    await this.#sending;
    // The part keeps its room until it is sent; the next one needs its own.
    const leave = this.#hasPermit ? () => this.#deps.partPermits.release() : () => undefined;
    this.#hasPermit = false;
    const sent = this.#send(async () => {
      this.#assertRunning();
      const { key, uploadId, done } = this.#parts ?? (await this.#beginParts());
      const number = done.length + 1;
      if (number > MAX_PARTS) throw new StoreError('too-large', { store: 'media' });
      done.push(await this.#deps.bucket.putPart(this.#keyOf(key), uploadId, { number, body }));
    });
    // The next step rejects with the error.
    sent.then(leave, leave);
  }

  async #beginParts(): Promise<Parts> {
    const { id, bucket, journal } = this.#deps;
    const { key, etag } = await this.#firstFree((bucketKey) => journal.reserve(id, bucketKey));
    const metadata = { [UPLOAD_ID_METADATA]: id };
    const { contentType } = this.#options;
    const { uploadId, isOnly } = await bucket.beginParts(this.#keyOf(key), { contentType, metadata });
    // Known before the journal is written, which may fail.
    const parts: Parts = { key, uploadId, etag, isOnly, done: [] };
    this.#parts = parts;
    await journal.write(id, { key, uploadId });
    return parts;
  }

  async #publishHeld(body: Uint8Array): Promise<MediaKey> {
    const { id, journal } = this.#deps;
    const { contentType } = this.#options;
    const { key } = await this.#firstFree((bucketKey) =>
      journal.putNew(id, bucketKey, { body, contentType }),
    );
    this.#held = undefined;
    return key;
  }

  async #publishParts({ key, uploadId, etag, isOnly, done }: Parts): Promise<MediaKey> {
    const { id, bucket } = this.#deps;
    const bucketKey = this.#keyOf(key);
    this.#assertRunning();
    const refused = await bucket
      .completeParts(bucketKey, uploadId, { parts: done, replaces: etag })
      .then(() => undefined)
      .catch((error: unknown) => {
        // May be a repeated request whose first response was lost: the object shows that.
        if (isAlreadyThere(error) || errorNameOf(error) === 'NoSuchUpload') return error;
        throw error;
      });
    const head = await bucket.head(bucketKey);
    const isOurs = head !== undefined && head.metadata[UPLOAD_ID_METADATA] === id && !isReservation(head);
    if (!isOurs)
      throw (
        refused ?? new StoreError('unavailable', { store: 'media', cause: new Error('the object is gone') })
      );
    if (head.size !== this.#bytes) {
      throw new StoreError('unavailable', {
        store: 'media',
        cause: new Error(`the object has ${head.size} bytes of ${this.#bytes}`),
      });
    }
    if (!isOnly) await abortUploads(this.#deps, key);
    return key;
  }

  /** Tries candidates until `put` finds a free one. The journal names each of them before it is tried. */
  async #firstFree(
    put: (bucketKey: string) => Promise<{ readonly etag: string | undefined } | undefined>,
  ): Promise<{ readonly key: MediaKey; readonly etag: string | undefined }> {
    return findFreeKey(this.#options.candidate, async (key) => {
      this.#assertRunning();
      this.#journaled = true;
      await this.#deps.journal.write(this.#deps.id, { key });
      this.#key = key;
      const created = await put(this.#keyOf(key));
      return created === undefined ? undefined : { key, etag: created.etag };
    });
  }

  #keyOf(key: MediaKey): string {
    return this.#deps.prefix + key;
  }

  #assertRunning(): void {
    this.#deps.assertOpen();
    if (this.#discarded) throw uploadDiscardedError();
  }

  /** Runs one step after the other. A failed step fails later ones. */
  #send<T>(step: () => Promise<T>): Promise<T> {
    const sent = this.#attempt(() => this.#sending.then(step));
    this.#sending = sent;
    return sent;
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#deps.translateError(error);
    }
  }
}
