// Response headers of an uploaded file: its declared type, its name, and a sandbox against scripts in it.
import { BINARY_TYPE, isPassiveType } from '../../lib/http/media-types.ts';
import type { MediaFile } from '../../media/media-service-types.ts';

const MAX_TYPE_LENGTH = 255;
const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const MEDIA_TYPE = new RegExp(
  `^(${TOKEN}/${TOKEN})(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"))*$`,
);

/** Documents, archives and texts that a browser downloads or shows, but never runs. */
const PASSIVE_UPLOADS: ReadonlySet<string> = new Set([
  ...['text/calendar', 'text/vcard', 'application/rtf', 'application/msword', 'application/epub+zip'],
  ...['application/x-gzip', 'application/x-tar', 'application/x-bzip2', 'application/x-7z-compressed'],
  ...['application/vnd.rar', 'application/x-zip-compressed', 'application/zstd'],
  ...['application/vnd.ms-excel', 'application/vnd.ms-powerpoint'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ...['application/ogg', 'application/font-woff'],
]);

/** The declared type with its parameters; `application/octet-stream` if it is no media type. */
export function fileContentType(mimetype: string): string {
  return mimetype.length <= MAX_TYPE_LENGTH && MEDIA_TYPE.test(mimetype) ? mimetype : BINARY_TYPE;
}

/** True unless browsers are known to run nothing in a file of this type. */
export const isActiveType = (contentType: string): boolean => !isPassiveType(contentType, PASSIVE_UPLOADS);

/** A file name in the form that allows every character (RFC 8187). */
function encodeFilename(name: string): string {
  const escaped = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, escaped);
}

/** The ETag of a file: strong, since equal tags mean equal bytes. */
export const fileEtag = ({ validator }: Pick<MediaFile, 'validator'>) => `"${validator}"`;

/** Headers of every successful response. `isPublic`: the file can be read without a token. */
export function fileHeaders(file: MediaFile, isPublic: boolean): Readonly<Record<string, string>> {
  const type = fileContentType(file.mimetype);
  return {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    ...(isActiveType(type) && { 'content-security-policy': 'sandbox' }),
    'content-disposition': `inline; filename*=UTF-8''${encodeFilename(file.fileName)}`,
    'accept-ranges': 'bytes',
    etag: fileEtag(file),
    'last-modified': new Date(file.modifiedAt).toUTCString(),
    // Caches revalidate: the file may have been deleted, or become private.
    'cache-control': isPublic ? 'public, no-cache' : 'private, no-cache',
  };
}
