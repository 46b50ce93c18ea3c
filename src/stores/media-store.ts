// Where the bytes of uploaded files live. Interfaces only: `disk-media/` and `s3-media/` implement them, `app.ts` picks one.
import type { Readable } from 'node:stream';

/**
 * Path of a file below the base path or prefix of the store: `<version>/<database>/<collection>/…/<file name>`, parts
 * separated by `/`, none of them empty, `.` or `..`. The same file has the same key on every store.
 */
export type MediaKey = string;

export interface StoredFile {
  /** Bytes. */
  readonly size: number;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
}

/** Bytes `start` to `end`, both included, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** One file on its way in. Nothing can be read or listed under its key before `publish`. */
export interface MediaUpload {
  /**
   * Stores the bytes of `source`, without ever holding the whole file in memory; called once. Resolves with their number.
   * Rejects with the error of `source`, or with a StoreError.
   */
  write(source: AsyncIterable<Uint8Array>): Promise<number>;
  /**
   * Gives the complete file its key: the first candidate that no other file has. Atomic, and never overwrites. What it
   * resolves with survives the end of the process.
   */
  publish(): Promise<MediaKey>;
  /** The record of the file is stored: forgets that there was an upload. */
  settle(): Promise<void>;
  /** Removes everything that the upload left, a published file included. Allowed at any time before `settle`. */
  discard(): Promise<void>;
  /**
   * Leaves the upload to `unsettled`, because nobody knows here whether its record is stored. A `settle` or `discard` that
   * fails does the same.
   */
  abandon(): void;
}

/** An upload that neither `settle` nor `discard` has ended: its process did, or it was abandoned. */
export interface UnsettledUpload extends Pick<MediaUpload, 'settle' | 'discard'> {
  /** The published file, if the upload came so far. */
  readonly key: MediaKey | undefined;
}

export interface MediaUploadOptions {
  /**
   * The keys that the file may have, in order of preference: `candidate(0)` is the name as asked for, later ones carry
   * the suffix of a clash. Never ends.
   */
  readonly candidate: (attempt: number) => MediaKey;
  /** The declared media type: stored beside the bytes where the store can, without effect otherwise. */
  readonly contentType: string;
}

/** Every method rejects with a StoreError (`errors.ts`) and nothing else that a caller should expect. */
export interface MediaStore {
  begin(options: MediaUploadOptions): Promise<MediaUpload>;
  /** Undefined when there is no such file. */
  stat(key: MediaKey): Promise<StoredFile | undefined>;
  /** The bytes of a file, or a part of them. Undefined when there is no such file. The caller reads or destroys the stream. */
  read(key: MediaKey, range?: ByteRange): Promise<Readable | undefined>;
  /** Removes files. One that is missing is no error. Empty folders go too. */
  remove(keys: readonly MediaKey[]): Promise<void>;
  /** Every published file, in no particular order. */
  list(): AsyncIterable<StoredFile & { readonly key: MediaKey }>;
  /** Uploads begun before `before` (epoch milliseconds) that were never ended. */
  unsettled(before: number): AsyncIterable<UnsettledUpload>;
  /** What the record of a file carries as `path`: the key on disk; the key with the prefix, from the bucket's root, on S3. */
  pathOf(key: MediaKey): string;
  /** The key of a file from the `path` of its record, whichever store wrote the record. */
  keyOf(path: string): MediaKey;
  /** The public address of a file; undefined where the store has none. */
  cloudUrlOf(key: MediaKey): string | undefined;
  /** Resolves when the store answers, rejects with `unavailable` when it does not. */
  health(): Promise<void>;
  close(): Promise<void>;
}
