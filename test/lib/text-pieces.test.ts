import { describe, expect, it } from 'vitest';
import { byteLengthOf, lengthOf, SLICE_CHARACTERS, slicesOf, type Text } from '../../src/lib/text-pieces.ts';

const TEXTS: readonly (readonly [string, Text])[] = [
  ['nothing', ''],
  ['no piece', []],
  ['a short text', 'aü😀'],
  ['a long text', 'xyü'.repeat(100_000)],
  ['nothing but pairs', `x${'😀'.repeat(100_000)}`],
  ['many short pieces', Array.from({ length: 50_000 }, (_, n) => `,${n}`)],
  [
    'pieces of all kinds',
    ['a', '', 'é'.repeat(SLICE_CHARACTERS), 'b', '😀'.repeat(SLICE_CHARACTERS), 'c', 'd'],
  ],
];
const joined = (text: Text) => [text].flat().join('');

describe.each(TEXTS)('%s', (_name, text) => {
  it('comes whole, in slices of bounded length', () => {
    const slices = [...slicesOf(text)];
    expect(slices.join('')).toBe(joined(text));
    for (const { length } of slices) expect(length).toBeLessThanOrEqual(SLICE_CHARACTERS + 1);
    expect(slices.length).toBeLessThanOrEqual(2 * Math.ceil(joined(text).length / SLICE_CHARACTERS) + 3);
  });

  it('is the same in bytes', () => {
    const bytes = Buffer.from(joined(text));
    expect(Buffer.concat(Array.from(slicesOf(text), (slice) => Buffer.from(slice))).equals(bytes)).toBe(true);
    expect(byteLengthOf(text)).toBe(bytes.length);
    expect(lengthOf(text)).toBe(joined(text).length);
  });
});
