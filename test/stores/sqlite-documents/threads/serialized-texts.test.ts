import { describe, expect, it } from 'vitest';
import {
  deserializeTexts,
  serializeTexts,
  transferListOf,
} from '../../../../src/stores/sqlite-documents/threads/serialized-texts.ts';

describe('serialized texts', () => {
  it.each([
    ['none', []],
    ['short ones', ['{}', 'ü']],
    ['long ones', ['ü😀'.repeat(100_000), '', 'x'.repeat(200_000), '']],
    ['many', Array.from({ length: 100_000 }, (_, n) => `{"n":${n}}`)],
  ])('are the same after deserialization: %s', async (_name, texts) => {
    const packed = serializeTexts(texts);
    const sent = structuredClone(packed, { transfer: [...transferListOf(packed)] });
    expect(await deserializeTexts(sent)).toEqual(texts);
  });

  it('are transferred and not copied if long', () => {
    const packed = serializeTexts(['x'.repeat(1_000_000)]);
    const [bytes] = transferListOf(packed);
    expect(bytes?.byteLength).toBe(1_000_000);
    expect(transferListOf(serializeTexts(['x']))).toEqual([]);
  });
});
