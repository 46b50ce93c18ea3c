// A short name for a text: whoever has both can tell that they belong together.
import { createHash } from 'node:crypto';

/** SHA-256 of a text, in hexadecimal digits. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
