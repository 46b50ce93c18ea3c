import { expect, test } from 'vitest';
import {
  applyOrientation,
  FileBytes,
  OutOfReachError,
  readOr,
} from '../../../src/workers/images/image-bytes.ts';

const HEAD = Uint8Array.of(0x01, 0x02, 0x03, 0x04);
const TAIL = Uint8Array.of(0x41, 0x42);

test('numbers are read in both byte orders, from the head and from the tail', () => {
  const bytes = new FileBytes(HEAD, 100, TAIL);
  expect([bytes.u8(1), bytes.u16(0), bytes.u16(0, true), bytes.u32(0), bytes.u32(0, true)]).toEqual([
    2, 0x0102, 0x0201, 0x01020304, 0x04030201,
  ]);
  expect(bytes.missed).toBe(false);
  expect([bytes.u16(98), bytes.text(98, 2), bytes.has(98, 'AB')]).toEqual([0x4142, 'AB', true]);
});

test('what lies between head and tail, or outside the file, is out of reach', () => {
  const bytes = new FileBytes(HEAD, 100, TAIL);
  for (const offset of [-1, 3, 50, 97, 99, 100, 2 ** 40, Number.NaN]) {
    expect(() => bytes.u16(offset)).toThrow(OutOfReachError);
    expect(bytes.has(offset, 'AB')).toBe(false);
    expect(bytes.missed).toBe(true);
  }
});

test('a view into a larger buffer shows none of what surrounds it', () => {
  const bytes = new FileBytes(Buffer.from('xxabxx').subarray(2, 4));
  expect(bytes.text(0, 2)).toBe('ab');
  expect(() => bytes.u8(2)).toThrow(OutOfReachError);
});

test('what is out of reach has another value in its place, and other errors stay errors', () => {
  const bytes = new FileBytes(HEAD);
  expect([readOr(() => bytes.u8(3), 'none'), readOr(() => bytes.u8(4), 'none')]).toEqual([4, 'none']);
  const broken = () => {
    throw new RangeError('a defect');
  };
  expect(() => readOr(broken, 'none')).toThrow(new RangeError('a defect'));
});

test('orientations 5 to 8 swap width and height, all others leave them', () => {
  const widths = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(
    (value) => applyOrientation({ width: 3, height: 2 }, value).width,
  );
  expect(widths).toEqual([3, 3, 3, 3, 3, 2, 2, 2, 2, 3]);
  expect(applyOrientation({ width: 3, height: 2 })).toEqual({ width: 3, height: 2 });
});
