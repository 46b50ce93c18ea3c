import { expect, test } from 'vitest';
import { readBmp, readGif } from '../../../src/workers/images/gif-and-bmp.ts';
import { FileBytes } from '../../../src/workers/images/image-bytes.ts';
import { bmp, encodedAnimation, picture } from '../../helpers/fixtures/images.ts';

test('a GIF has the dimensions of its screen, animated or not', async () => {
  const still = await picture(31, 17, (image) => image.gif());
  const moving = await encodedAnimation(20, 10, 3, (image) => image.gif());
  expect(readGif(new FileBytes(still))).toEqual({ width: 31, height: 17 });
  expect(readGif(new FileBytes(moving))).toEqual({ width: 20, height: 10 });
  expect(readGif(new FileBytes(Buffer.from('GIF88a0000')))).toBeUndefined();
});

test('a BMP may store its rows downwards, or have the header of OS/2', () => {
  expect(readBmp(new FileBytes(bmp(300, 200)))).toEqual({ width: 300, height: 200 });
  expect(readBmp(new FileBytes(bmp(300, -200)))).toEqual({ width: 300, height: 200 });
  expect(readBmp(new FileBytes(bmp(30, 20, 'core')))).toEqual({ width: 30, height: 20 });
});

test('a text that begins with BM is no BMP', () => {
  expect(
    readBmp(new FileBytes(Buffer.from('BMW and other makes of cars, in alphabetical order'))),
  ).toBeUndefined();
});
