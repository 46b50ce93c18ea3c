// What the server writes into the record of a file, read from a document of a media collection.

import type { StoredDocument } from '../../api/types-collections.ts';

export interface FileRecord {
  readonly id: string;
  readonly fileName: string;
  readonly originalFileName: string;
  readonly mimetype: string;
  /** In the store; what delivery and recipes call the original. */
  readonly path: string;
  readonly url: string;
  readonly contentLength: number;
  /** Pixels, of images alone. */
  readonly width: number | undefined;
  readonly height: number | undefined;
}

/** What is asked for to show a file in a list. */
export const RECORD_FIELDS: readonly string[] = [
  ...['_id', 'fileName', 'originalFileName', 'mimetype', 'path', 'url', 'contentLength', 'width', 'height'],
];

/** Types that every browser shows as a picture, and that run nothing. */
const PICTURES: ReadonlySet<string> = new Set([
  ...['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'],
]);

/** Bytes and pixels of a picture that is loaded to be shown; a browser needs four bytes for each pixel. */
const MAX_PICTURE_BYTES = 8_000_000;
const MAX_PICTURE_PIXELS = 40_000_000;

export function recordOf(document: StoredDocument): FileRecord {
  const text = (name: string) => String(document[name] ?? '');
  const number = (name: string) => {
    const value = document[name];
    return typeof value === 'number' ? value : undefined;
  };
  return {
    id: document._id,
    fileName: text('fileName') || document._id,
    originalFileName: text('originalFileName'),
    mimetype: text('mimetype'),
    path: text('path'),
    url: text('url'),
    contentLength: number('contentLength') ?? 0,
    width: number('width'),
    height: number('height'),
  };
}

/** True where the file is a picture that may be loaded to be shown. Its pixels are known, or it is damaged. */
export function isPicture({ mimetype, contentLength, width, height }: FileRecord): boolean {
  if (!PICTURES.has(mimetype) || width === undefined || height === undefined) return false;
  return contentLength <= MAX_PICTURE_BYTES && width * height <= MAX_PICTURE_PIXELS;
}

/** `1600 × 1067`; undefined where there are none. */
export const dimensionsOf = ({ width, height }: FileRecord): string | undefined =>
  width === undefined || height === undefined ? undefined : `${width} × ${height}`;
