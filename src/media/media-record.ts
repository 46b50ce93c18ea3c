// What the record of a file says about it. Only the server sets these fields.
import type { JsonObject } from '../lib/json/json.ts';
import type { MediaKey, MediaStore } from '../stores/media-store.ts';

export interface UploadedFile {
  readonly key: MediaKey;
  readonly originalFileName: string;
  readonly mimetype: string;
  /** Bytes. */
  readonly size: number;
  /** Pixels; undefined for what is no image. */
  readonly dimensions: { readonly width: number; readonly height: number } | undefined;
}

interface Options {
  readonly store: Pick<MediaStore, 'pathOf' | 'cloudUrlOf'>;
  readonly publicUrl: string | undefined;
}

/** The address of the bytes: below `publicUrl` where that is set. */
function urlOf(key: MediaKey, publicUrl = ''): string {
  return [publicUrl.replace(/\/+$/, ''), ...key.split('/').map(encodeURIComponent)].join('/');
}

/** The fields of the record of a published file. */
export function createMediaRecord(file: UploadedFile, { store, publicUrl }: Options): JsonObject {
  const { key, originalFileName, mimetype, size, dimensions } = file;
  const cloudUrl = store.cloudUrlOf(key);
  return {
    fileName: key.slice(key.lastIndexOf('/') + 1),
    originalFileName,
    mimetype,
    ...(dimensions !== undefined && { width: dimensions.width, height: dimensions.height }),
    path: store.pathOf(key),
    contentLength: size,
    ...(cloudUrl !== undefined && { cloudUrl }),
    url: urlOf(key, publicUrl),
  };
}
