import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../../src/errors/errors.ts';
import { asStoreError } from '../../../../src/stores/sqlite-documents/data-file/storage-errors.ts';
import {
  captureResult,
  deserializeTexts,
  serializeTexts,
  transferListOf,
  unwrapResult,
} from '../../../../src/stores/sqlite-documents/threads/thread-messages.ts';

const across = <T>(work: () => T) => unwrapResult(structuredClone(captureResult(work)));

describe('a thread result', () => {
  it('carries a value across threads', () => {
    expect(across(() => ['a'])).toEqual(['a']);
  });

  it('carries a StoreError across threads', () => {
    const fail = () => {
      throw new StoreError('duplicate', { index: 3, fields: ['a'], explanation: 'why' });
    };
    expect(() => across(fail)).toThrow(StoreError);
    expect(() => across(fail)).toThrow(
      expect.objectContaining({ reason: 'duplicate', index: 3, fields: ['a'], explanation: 'why' }),
    );
  });

  it('carries other errors as unavailable, with the message of the driver for the log', () => {
    const fail = () => {
      throw new Error('disk I/O error');
    };
    expect(() => across(fail)).toThrow(
      expect.objectContaining({
        reason: 'unavailable',
        message: 'store: unavailable',
        cause: expect.objectContaining({ message: 'disk I/O error', kind: 'unexpected' }),
      }),
    );
    expect(asStoreError('odd').reason).toBe('unavailable');
  });
});

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
