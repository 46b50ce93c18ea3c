// Objects of uploads besides their bytes: the journal that names the published file until it is settled, the reservation of a
// name, and the mark that tells to which upload an object belongs.

import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { isMediaKey, STAGING_FOLDER } from '../media-keys.ts';
import type { Bucket, ObjectHead } from './bucket.ts';
import { isAlreadyThere, isNotImplemented } from './s3-client.ts';

/** What a journal holds; nothing as long as no name was tried. */
export interface BucketJournalEntry {
  readonly key?: string;
  /** The multipart upload of its bytes. */
  readonly uploadId?: string;
}

/** Metadata of every object that an upload makes: its id. */
export const UPLOAD_ID_METADATA = 'cloister-upload';
/** Metadata of an object that only reserves a name. */
const RESERVED = 'cloister-reserved';
/** Bytes of such an object. A listing shows no metadata: what has this size is looked at. */
const RESERVATION = Buffer.from('this name is reserved by an upload');

const ID = /^(\d{13})-[0-9a-f]{16}$/;

export const isReservation = ({ metadata }: Pick<ObjectHead, 'metadata'>): boolean =>
  metadata[RESERVED] === '1';
export const mayBeReservation = (size: number): boolean => size === RESERVATION.length;

/** Journals and reservations of uploads below one prefix of a bucket. */
export class BucketJournal {
  readonly #bucket: Bucket;
  readonly #prefix: string;
  readonly #onNoConditions: () => void;
  #conditions: Promise<boolean> | undefined;

  /** `onNoConditions` is called once where the service overwrites objects although it is asked not to. */
  constructor(bucket: Bucket, prefix: string, onNoConditions: () => void) {
    this.#bucket = bucket;
    this.#prefix = `${prefix}${STAGING_FOLDER}/`;
    this.#onNoConditions = onNoConditions;
  }

  async write(id: string, entry: BucketJournalEntry): Promise<void> {
    const body = Buffer.from(JSON.stringify(entry));
    await this.#bucket.put(this.#keyOf(id), body, { contentType: 'application/json' });
  }

  async remove(id: string): Promise<void> {
    await this.#bucket.remove([this.#keyOf(id)]);
  }

  /** Empty when there is none, or it is not ours. */
  async read(id: string): Promise<BucketJournalEntry> {
    const answer = await this.#bucket.get(this.#keyOf(id), undefined);
    if (answer?.Body === undefined) return {};
    try {
      const entry: unknown = JSON.parse((await buffer(answer.Body as Readable)).toString());
      if (typeof entry !== 'object' || entry === null) return {};
      const key = 'key' in entry && typeof entry.key === 'string' ? entry.key : undefined;
      const uploadId = 'uploadId' in entry && typeof entry.uploadId === 'string' ? entry.uploadId : undefined;
      if (key === undefined || !isMediaKey(key)) return {};
      return { key, ...(uploadId === undefined ? {} : { uploadId }) };
    } catch (error) {
      if (error instanceof SyntaxError) return {};
      throw error;
    }
  }

  /** Ids of all uploads that have a journal, with the time at which they began. */
  async *ids(): AsyncGenerator<{ readonly id: string; readonly begun: number }> {
    for await (const { key } of this.#bucket.list(this.#prefix)) {
      const id = key.slice(this.#prefix.length).replace(/\.json$/, '');
      const begun = ID.exec(id)?.[1];
      if (begun !== undefined) yield { id, begun: Number(begun) };
    }
  }

  /** Reserves a key of the bucket for an upload. Returns the ETag of the reservation; undefined when the key is taken. */
  reserve(id: string, key: string): Promise<{ readonly etag: string | undefined } | undefined> {
    return this.putNew(id, key, {
      body: RESERVATION,
      contentType: 'text/plain',
      metadata: { [RESERVED]: '1' },
    });
  }

  /** Puts an object of an upload under a key of the bucket, unless that is taken: then returns undefined. */
  async putNew(
    id: string,
    key: string,
    {
      body,
      contentType,
      metadata = {},
    }: { body: Uint8Array; contentType: string; metadata?: Record<string, string> },
  ): Promise<{ readonly etag: string | undefined } | undefined> {
    const onlyNew = await this.#knowsConditions(id);
    if (!onlyNew && (await this.#bucket.head(key)) !== undefined) return undefined;
    try {
      const etag = await this.#bucket.put(key, body, {
        contentType,
        onlyNew,
        metadata: { ...metadata, [UPLOAD_ID_METADATA]: id },
      });
      return { etag };
    } catch (error) {
      if (!isAlreadyThere(error)) throw error;
      // A repeated request whose first answer was lost finds its own object.
      return (await this.isOf(id, key)) ? { etag: undefined } : undefined;
    }
  }

  /** Whether the object under a key of the bucket was made by this upload. */
  async isOf(id: string, key: string): Promise<boolean> {
    return (await this.#bucket.head(key))?.metadata[UPLOAD_ID_METADATA] === id;
  }

  /** Whether the service refuses to overwrite when it is asked to, tried out by the first upload. */
  #knowsConditions(id: string): Promise<boolean> {
    this.#conditions ??= this.#tryConditions(id).catch((error: unknown) => {
      this.#conditions = undefined;
      throw error;
    });
    return this.#conditions;
  }

  /** One more object beside the journal. One that a crash leaves is removed as an upload without a name. */
  async #tryConditions(id: string): Promise<boolean> {
    const probe = this.#keyOf(`${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`);
    try {
      await this.#bucket.put(probe, Buffer.from('{}'));
      await this.#bucket.put(probe, Buffer.from('{}'), { onlyNew: true });
    } catch (error) {
      if (isAlreadyThere(error)) return true;
      if (!isNotImplemented(error)) throw error;
    } finally {
      await this.#bucket.remove([probe]);
    }
    this.#onNoConditions();
    return false;
  }

  #keyOf(id: string): string {
    return `${this.#prefix}${id}.json`;
  }
}
