// SHA-256 of texts.
import { createHash } from 'node:crypto';

/** The SHA-256 of the UTF-8 bytes of a text in 64 lower-case hexadecimal digits. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The same in 43 characters of unpadded base64url. */
export function sha256Base64Url(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
