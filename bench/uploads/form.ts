// The form that is uploaded: one PNG of noise, some 200 KB, under a name of its own each time.
import { randomBytes } from 'node:crypto';
import { noise } from '../../test/helpers/fixtures/images.ts';
import type { Load } from '../measure.ts';

const BOUNDARY = 'cloister-bench-0123456789';
const END = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);

export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** What stands before the bytes of a file in a form. */
export function formHead(fileName: string, type: string): Buffer {
  const disposition = `Content-Disposition: form-data; name="file"; filename="${fileName}"`;
  return Buffer.from(`--${BOUNDARY}\r\n${disposition}\r\nContent-Type: ${type}\r\n\r\n`);
}

export const formEnd = END;

/** Uploads of the picture to `path`. */
export async function uploadLoad(
  path: string,
  connections: number,
): Promise<Load & { readonly bytes: number }> {
  const png = await noise(268, 268, (image) => image.png({ compressionLevel: 6 }));
  const body = () =>
    Buffer.concat([formHead(`${randomBytes(8).toString('hex')}.png`, 'image/png'), png, END]);
  return { method: 'POST', paths: [path], body, contentType: FORM_TYPE, connections, bytes: png.length };
}
