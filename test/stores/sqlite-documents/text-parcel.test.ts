import { describe, expect, it } from 'vitest';
import { packTexts, transferOf, unpackTexts } from '../../../src/stores/sqlite-documents/text-parcel.ts';

describe('texts', () => {
  it.each([
    ['none', []],
    ['short ones', ['{}', 'ü']],
    ['long ones', ['ü😀'.repeat(100_000), '', 'x'.repeat(200_000), '']],
    ['many', Array.from({ length: 100_000 }, (_, n) => `{"n":${n}}`)],
  ])('come as they went: %s', async (_name, texts) => {
    const packed = packTexts(texts);
    const sent = structuredClone(packed, { transfer: [...transferOf(packed)] });
    expect(await unpackTexts(sent)).toEqual(texts);
  });

  it('that are long are not copied', () => {
    const packed = packTexts(['x'.repeat(1_000_000)]);
    const [bytes] = transferOf(packed);
    expect(bytes?.byteLength).toBe(1_000_000);
    expect(transferOf(packTexts(['x']))).toEqual([]);
  });
});
