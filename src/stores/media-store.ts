// Port to media stores, which hold the bytes of uploaded files. Interfaces only: `disk-media/` and `s3-media/` implement them.
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
  /** Of a store that tells by it equal bytes from others of the same size and time. */
  readonly etag?: string;
}

/** Bytes `start` to `end`, both included, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** An upload of one file. Nothing can be read or listed under its key before `publish`. */
export interface MediaUpload {
  /**
   * Stores the bytes of `source` without holding the whole file in memory. Call it once. Resolves with their number.
   * Rejects with the error of `source`, or with a StoreError.
   */
  write(source: AsyncIterable<Uint8Array>): Promise<number>;
  /**
   * Publishes the complete file under its key, the first candidate that is free. Atomic, never overwrites, durable when it
   * resolves.
   */
  publish(): Promise<MediaKey>;
  /** Call after the record of the file is stored: removes the traces of the upload. */
  settle(): Promise<void>;
  /** Removes everything of the upload, also a published file. Allowed at any time before `settle`. */
  discard(): Promise<void>;
  /**
   * Leaves the upload to `unsettled`, because it is unknown whether its record is stored. A failed `settle` or `discard` has the
   * same effect.
   */
  abandon(): void;
}

/** An upload that ended without `settle` or `discard`: its process ended, or it was abandoned. */
export interface UnsettledUpload extends Pick<MediaUpload, 'settle' | 'discard'> {
  /** The published file, if there is one. */
  readonly key: MediaKey | undefined;
}

export interface MediaUploadOptions {
  /**
   * The keys that the file may have, in order of preference: `candidate(0)` is the requested name, later ones have a suffix.
   * Never ends.
   */
  readonly candidate: (attempt: number) => MediaKey;
  /** The declared media type, stored with the bytes if the store supports that. */
  readonly contentType: string;
}

/** Every method rejects with StoreErrors (`errors.ts`) only. */
export interface MediaStore {
  begin(options: MediaUploadOptions): Promise<MediaUpload>;
  /** Undefined if the file does not exist. */
  stat(key: MediaKey): Promise<StoredFile | undefined>;
  /** The bytes of a file or of a range of it. Undefined if it does not exist. The caller must read or destroy the stream. */
  read(key: MediaKey, range?: ByteRange): Promise<Readable | undefined>;
  /** Removes files and the folders that become empty. Ignores missing files. */
  remove(keys: readonly MediaKey[]): Promise<void>;
  /** Every published file, in no particular order. */
  list(): AsyncIterable<StoredFile & { readonly key: MediaKey }>;
  /** Uploads that began before `before` (epoch milliseconds) and were not ended. */
  unsettled(before: number): AsyncIterable<UnsettledUpload>;
  /** `path` in the record of a file: the key on disk, the key with the prefix on S3. */
  pathOf(key: MediaKey): string;
  /** The key of a file by the `path` of its record, whichever store wrote it. */
  keyOf(path: string): MediaKey;
  /** The public URL of a file; undefined if the store has none. */
  cloudUrlOf(key: MediaKey): string | undefined;
  /** Resolves if the store responds, rejects with `unavailable` if not. */
  health(): Promise<void>;
  close(): Promise<void>;
}
