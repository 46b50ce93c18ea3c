import { expect, test } from 'vitest';
import { detectImageType } from '../../../src/delivery/responses/image-signature.ts';

test.each([
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['\x89PNG\r\n\x1a\n....', 'image/png'],
  ['GIF89a......', 'image/gif'],
  ['RIFF\n\r\u2028.WEBP', 'image/webp'],
  ['II*\0........', 'image/tiff'],
  ['\0\0\0\x20ftypavif', 'image/avif'],
  ['\0\0\0\x20ftypmp42', undefined],
  ['<svg xmlns=', undefined],
  ['', undefined],
])('the bytes %j are of the type %j', (head, type) => {
  expect(detectImageType(Buffer.from(head, 'latin1'))).toBe(type);
});
