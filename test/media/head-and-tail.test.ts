import { expect, it } from 'vitest';
import { createHeadAndTail } from '../../src/media/head-and-tail.ts';

const BYTES = Buffer.from(Array.from({ length: 100 }, (_, index) => index));

function endsOf(bytes: Uint8Array, length: number) {
  const ends = createHeadAndTail(10, 4);
  for (let at = 0; at < bytes.length; at += length) ends.take(bytes.subarray(at, at + length));
  return { head: [...ends.head(10)], tail: [...ends.tail(4)] };
}

it('the ends of a file are its first and last bytes, whatever chunks it comes in', () => {
  for (const length of [1, 3, 4, 5, 10, 11, 99, 100]) {
    expect(endsOf(BYTES, length)).toEqual({ head: [...BYTES.subarray(0, 10)], tail: [96, 97, 98, 99] });
  }
});

it('fewer bytes of head and tail than are kept may be read', () => {
  for (const length of [1, 3, 10, 100]) {
    const ends = createHeadAndTail(10, 4);
    for (let at = 0; at < BYTES.length; at += length) ends.take(BYTES.subarray(at, at + length));
    expect([[...ends.head(2)], [...ends.tail(2)], [...ends.head(0)]]).toEqual([[0, 1], [98, 99], []]);
  }
});

it('the ends of a short file overlap', () => {
  expect(endsOf(BYTES.subarray(0, 3), 2)).toEqual({ head: [0, 1, 2], tail: [0, 1, 2] });
  expect(endsOf(BYTES.subarray(0, 0), 1)).toEqual({ head: [], tail: [] });
});

it('of a long file little is kept', () => {
  const ends = createHeadAndTail(10, 4);
  const chunks = Array.from({ length: 1000 }, () => Buffer.alloc(10, 1));
  for (const chunk of chunks) ends.take(chunk);
  expect([ends.head(99).length, ends.tail(99).length]).toEqual([10, 4]);
});
