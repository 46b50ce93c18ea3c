// The fields of a media record that only the server sets.
import type { JsonObject } from '../lib/json/json.ts';
import type { MediaKey, MediaStore } from '../stores/media-store.ts';

export interface UploadedFile {
  readonly key: MediaKey;
  readonly originalFileName: string;
  readonly mimetype: string;
  /** Bytes. */
  readonly size: number;
  /** Pixels; undefined for files that are not images. */
  readonly dimensions: { readonly width: number; readonly height: number } | undefined;
}

interface Options {
  readonly store: Pick<MediaStore, 'pathOf' | 'cloudUrlOf'>;
  readonly publicUrl: string | undefined;
}

/** The URL of the file, below `publicUrl` if that is set. */
function urlOf(key: MediaKey, publicUrl = ''): string {
  return [publicUrl.replace(/\/+$/, ''), ...key.split('/').map(encodeURIComponent)].join('/');
}

/** Creates these fields for a published file. */
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
