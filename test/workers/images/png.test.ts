import { expect, test } from 'vitest';
import { FileBytes } from '../../../src/workers/images/image-bytes.ts';
import { readPng } from '../../../src/workers/images/png.ts';
import { picture } from '../../helpers/fixtures/images.ts';

test('a PNG has the dimensions of its header, turned as its EXIF chunk says', async () => {
  const plain = await picture(40, 30, (image) => image.png());
  const turned = await picture(40, 30, (image) => image.png().withMetadata({ orientation: 6 }));
  expect(turned.includes('eXIf')).toBe(true);
  expect(readPng(new FileBytes(plain))).toEqual({ width: 40, height: 30 });
  expect(readPng(new FileBytes(turned))).toEqual({ width: 30, height: 40 });
});

test('a PNG that is cut off behind its header still has dimensions', async () => {
  const plain = await picture(40, 30, (image) => image.png());
  expect(readPng(new FileBytes(plain.subarray(0, 35)))).toEqual({ width: 40, height: 30 });
});

test('a PNG whose first chunk is another one is none', () => {
  const bytes = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\x0dIDAT\0\0\0\x28\0\0\0\x1e', 'latin1');
  expect(readPng(new FileBytes(bytes))).toBeUndefined();
});
