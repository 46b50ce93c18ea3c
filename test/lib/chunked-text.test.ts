import { describe, expect, it } from 'vitest';
import {
  type ChunkedText,
  joinTexts,
  MAX_CHUNK_LENGTH,
  MAX_JOINED_LENGTH,
  RECORD_SEPARATOR,
  splitTexts,
  textByteLength,
  textChunks,
  textLength,
} from '../../src/lib/chunked-text.ts';

const TEXTS: readonly (readonly [string, ChunkedText])[] = [
  ['nothing', ''],
  ['no piece', []],
  ['a short text', 'aü😀'],
  ['a long text', 'xyü'.repeat(100_000)],
  ['nothing but pairs', `x${'😀'.repeat(100_000)}`],
  ['many short pieces', Array.from({ length: 50_000 }, (_, n) => `,${n}`)],
  [
    'pieces of all kinds',
    ['a', '', 'é'.repeat(MAX_CHUNK_LENGTH), 'b', '😀'.repeat(MAX_CHUNK_LENGTH), 'c', 'd'],
  ],
];
const joined = (text: ChunkedText) => [text].flat().join('');

describe.each(TEXTS)('chunked text of %s', (_name, text) => {
  it('is complete, in chunks of limited length', () => {
    const slices = [...textChunks(text)];
    expect(slices.join('')).toBe(joined(text));
    for (const { length } of slices) expect(length).toBeLessThanOrEqual(MAX_CHUNK_LENGTH + 1);
    expect(slices.length).toBeLessThanOrEqual(2 * Math.ceil(joined(text).length / MAX_CHUNK_LENGTH) + 3);
  });

  it('has the same bytes when encoded by chunks', () => {
    const bytes = Buffer.from(joined(text));
    expect(Buffer.concat(Array.from(textChunks(text), (slice) => Buffer.from(slice))).equals(bytes)).toBe(
      true,
    );
    expect(textByteLength(text)).toBe(bytes.length);
    expect(textLength(text)).toBe(joined(text).length);
  });
});

it.each([
  ['one text', ['a', '', 'b,c']],
  ['pieces', ['a', 'b'.repeat(MAX_JOINED_LENGTH), '', 'c']],
  ['nothing', []],
])('texts that were joined to %s are split again', (_name, texts) => {
  const page = joinTexts(texts, RECORD_SEPARATOR);
  expect(page.count).toBe(texts.length);
  expect(joined(page.text)).toBe(texts.join(RECORD_SEPARATOR));
  expect(splitTexts(page)).toEqual(texts);
});
