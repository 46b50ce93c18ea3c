import { expect, test } from 'vitest';
import { FileBytes } from '../../../src/workers/images/image-bytes.ts';
import { readWebp } from '../../../src/workers/images/webp.ts';
import { encodedAnimation, noise, picture } from '../../helpers/fixtures/images.ts';

const read = (bytes: Buffer) => readWebp(new FileBytes(bytes));

test('lossy, lossless and animated WebP have their dimensions', async () => {
  expect(await read(await picture(401, 303, (image) => image.webp()))).toEqual({ width: 401, height: 303 });
  const lossless = await picture(401, 303, (image) => image.webp({ lossless: true }));
  expect(lossless.toString('latin1', 12, 16)).toBe('VP8L');
  expect(read(lossless)).toEqual({ width: 401, height: 303 });
  const moving = await encodedAnimation(20, 10, 3, (image) => image.webp());
  expect(moving.toString('latin1', 12, 16)).toBe('VP8X');
  expect(read(moving)).toEqual({ width: 20, height: 10 });
});

test('the EXIF orientation is applied, also where it stands in the last bytes of a long file', async () => {
  const turned = await picture(40, 30, (image) => image.webp().withMetadata({ orientation: 8 }));
  expect(read(turned)).toEqual({ width: 30, height: 40 });
  const long = await noise(300, 200, (image) =>
    image.webp({ quality: 100 }).withMetadata({ orientation: 8 }),
  );
  const head = long.subarray(0, 1000);
  expect(readWebp(new FileBytes(head, long.length, long.subarray(-1000)))).toEqual({
    width: 200,
    height: 300,
  });
  expect(readWebp(new FileBytes(head, long.length))).toEqual({ width: 300, height: 200 });
});

test('a frame that is no key frame, and a RIFF of another kind, have no dimensions', async () => {
  const lossy = await picture(40, 30, (image) => image.webp());
  expect(lossy.toString('latin1', 12, 16)).toBe('VP8 ');
  const between = Buffer.from(lossy);
  between[20] = (between[20] ?? 0) | 1;
  expect(read(between)).toBeUndefined();
  expect(read(Buffer.from('RIFF\x10\0\0\0WAVEfmt \x10\0\0\0', 'latin1'))).toBeUndefined();
});
