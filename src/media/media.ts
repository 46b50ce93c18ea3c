// What the HTTP layer and posted code may ask of media. Types only; `service.ts` does it.
import type { Readable } from 'node:stream';
import type { Collection } from '../collections/model/collection.ts';
import type { RequestContext } from '../collections/model/documents.ts';
import type { ByteRange } from '../stores/media-store.ts';

/** One part of a multipart form, in the order in which it arrives. */
export type FormPart =
  | {
      readonly kind: 'file';
      /** File name as sent, cleaned by nobody yet. */
      readonly fileName: string;
      /** Media type as declared, never guessed. */
      readonly mimetype: string;
      /** Rejects with an AppError when the form breaks off or the file is longer than `media.maxFileSize`. */
      readonly bytes: AsyncIterable<Uint8Array>;
    }
  | { readonly kind: 'field'; readonly name: string; readonly value: string };

/** What a signed upload token allows, once it is verified. */
export interface UploadGrant {
  /** Identifies the token: it is used up by the upload that succeeds. */
  readonly tokenId: string;
  /** Epoch milliseconds; the record of the used token may go after that. */
  readonly expiresAt: number;
  readonly fileName: string;
  readonly mimetype: string;
  /** The client that signed: `createdBy` of the record. */
  readonly signedBy: string | null;
}

export interface UploadRequest {
  readonly collection: Collection;
  readonly parts: AsyncIterable<FormPart>;
  readonly context: RequestContext;
  /** Present: exactly one file, named and typed as the grant says, and once. */
  readonly grant?: UploadGrant;
}

/** A stored file and what its answer needs. */
export interface MediaFile {
  readonly fileName: string;
  readonly mimetype: string;
  /** Bytes. */
  readonly size: number;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
  /** Identifies these bytes: a file under one path never changes. */
  readonly validator: string;
  open(range?: ByteRange): Promise<Readable>;
}

export interface MediaService {
  /** Stores the files of a form and their records, all or none. `results` are the records as JSON text, in order of the form. */
  upload(request: UploadRequest): Promise<{ readonly results: readonly string[] }>;
  /** The file of a record. Throws NOT_FOUND when there is no such record or its file is gone. */
  fileById(collection: Collection, id: string, context: RequestContext): Promise<MediaFile>;
  /** The same by path below the collection's own path, percent-decoded: `2026/11/22/photo.jpg`. */
  fileByPath(collection: Collection, path: string, context: RequestContext): Promise<MediaFile>;
}
