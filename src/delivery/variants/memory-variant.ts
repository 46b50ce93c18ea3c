// A variant whose body is in memory.
import { Readable } from 'node:stream';
import type { StoredVariant, VariantInfo } from './variant-store.ts';

export function memoryVariant(info: VariantInfo, bytes: Buffer): StoredVariant {
  return {
    info,
    size: bytes.length,
    bytes,
    open: async (range) =>
      Readable.from([range === undefined ? bytes : bytes.subarray(range.start, range.end + 1)]),
  };
}
