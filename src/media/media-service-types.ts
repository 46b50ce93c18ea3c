// Interface of the media service for the HTTP layer and posted code. Types only: `media-service.ts` implements it.
import type { Readable } from 'node:stream';
import type { Collection } from '../collections/model/collection.ts';
import type { RequestContext } from '../collections/model/documents.ts';
import type { ByteRange } from '../stores/media-store.ts';

/** One part of a multipart form, in the order in which it arrives. */
export type FormPart =
  | {
      readonly kind: 'file';
      /** File name as sent, not sanitized. */
      readonly fileName: string;
      /** Media type as declared, never guessed. */
      readonly mimetype: string;
      /** Rejects with an AppError if the form ends early or the file is longer than `media.maxFileSize`. */
      readonly bytes: AsyncIterable<Uint8Array>;
    }
  | { readonly kind: 'field'; readonly name: string; readonly value: string };

/** What a verified upload token allows. */
export interface UploadGrant {
  /** Identifies the token, which is valid for one successful upload. */
  readonly tokenId: string;
  /** Epoch milliseconds. After that the record of a used token may be removed. */
  readonly expiresAt: number;
  readonly fileName: string;
  /** Null: any. */
  readonly mimetype: string | null;
}

export interface UploadRequest {
  readonly collection: Collection;
  readonly parts: AsyncIterable<FormPart>;
  /** What the request says about the length of its body, in bytes. */
  readonly declaredBytes?: number | undefined;
  readonly context: RequestContext;
  /** With a grant the form must have exactly one file, with the name and type of the grant. */
  readonly grant?: UploadGrant;
}

/** A stored file and what its response needs. */
export interface MediaFile {
  readonly fileName: string;
  readonly mimetype: string;
  /** Bytes. */
  readonly size: number;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
  /** Identifies the bytes. The file under one path never changes. */
  readonly validator: string;
  open(range?: ByteRange): Promise<Readable>;
}

export interface MediaService {
  /** Stores the files of a form and their records, all or none. `results` are the records as JSON, in the order of the form. */
  upload(request: UploadRequest): Promise<{ readonly results: readonly string[] }>;
  /** The file of a record. Throws NOT_FOUND if the record or its file does not exist. */
  fileById(collection: Collection, id: string, context: RequestContext): Promise<MediaFile>;
  /** The same by percent-decoded path below the path of the collection: `2026/11/22/photo.jpg`. */
  fileByPath(collection: Collection, path: string, context: RequestContext): Promise<MediaFile>;
}
