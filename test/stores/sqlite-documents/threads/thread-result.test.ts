import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../../src/errors.ts';
import { asStoreError } from '../../../../src/stores/sqlite-documents/data-file/storage-errors.ts';
import {
  captureResult,
  unwrapResult,
} from '../../../../src/stores/sqlite-documents/threads/thread-result.ts';

const across = <T>(work: () => T) => unwrapResult(structuredClone(captureResult(work)));

describe('an outcome', () => {
  it('carries a value across threads', () => {
    expect(across(() => ['a'])).toEqual(['a']);
  });

  it('carries a StoreError across threads', () => {
    const fail = () => {
      throw new StoreError('duplicate', { index: 3, fields: ['a'] });
    };
    expect(() => across(fail)).toThrow(StoreError);
    expect(() => across(fail)).toThrow(
      expect.objectContaining({ reason: 'duplicate', index: 3, fields: ['a'] }),
    );
  });

  it('makes anything else unavailable, keeping what the driver said for the log', () => {
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
