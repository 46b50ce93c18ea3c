// Originals whose size is known, not known, or not true.
import { expect, it } from 'vitest';
import { createSourceBuffer } from '../../../src/delivery/images/source-buffer.ts';

it.each([undefined, 0, 3, 6, 100])('holds all the bytes when their number is said to be %j', (size) => {
  const source = createSourceBuffer();
  source.add(Buffer.from('of the one before'));
  source.expect(size);
  for (const piece of ['ab', 'cd', 'ef']) source.add(Buffer.from(piece));
  expect(source.take().toString()).toBe('abcdef');
  expect(source.take()).toHaveLength(0);
});
