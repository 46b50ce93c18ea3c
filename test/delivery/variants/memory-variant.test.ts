// A variant in memory reads like one on disk.
import { expect, it } from 'vitest';
import { memoryVariant } from '../../../src/delivery/variants/memory-variant.ts';

it('opens whole and in part', async () => {
  const info = { contentType: 'image/png', width: 1, height: 1, recipe: 'thumb', path: 'a', query: '' };
  const variant = memoryVariant(info, Buffer.from('abcdef'));
  const textOf = async (range?: { start: number; end: number }) => {
    const pieces: Buffer[] = [];
    for await (const piece of await variant.open(range)) pieces.push(piece as Buffer);
    return Buffer.concat(pieces).toString();
  };
  expect([await textOf(), await textOf({ start: 1, end: 2 }), variant.size]).toEqual(['abcdef', 'bc', 6]);
});
