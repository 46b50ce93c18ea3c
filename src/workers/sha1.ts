// Worker task: the SHA1 of a text.
import { hash } from 'node:crypto';

/** 40 hexadecimal digits in lower case, of the UTF-8 bytes of the text. */
export function sha1(text: string): string {
  return hash('sha1', text);
}
