// A variant in memory reads like one on disk.
import { expect, it } from 'vitest';
import { createMemoryVariant } from '../../../src/delivery/variants/variant-store.ts';

it('a variant in memory opens whole and in part', async () => {
  const shown = { contentType: 'image/png', width: 1, height: 1 };
  const info = { ...shown, recipe: 'thumb', path: 'a', source: 'file:a', settings: '[]' };
  const variant = createMemoryVariant(info, Buffer.from('abcdef'));
  const textOf = async (range?: { start: number; end: number }) => {
    const pieces: Buffer[] = [];
    for await (const piece of await variant.open(range)) pieces.push(piece as Buffer);
    return Buffer.concat(pieces).toString();
  };
  expect([await textOf(), await textOf({ start: 1, end: 2 }), variant.size]).toEqual(['abcdef', 'bc', 6]);
});
