// Holds what a source opens to what it said: a file can be cut while it is sent, and another server can send more than it announced.

import { holdToLength } from '../../lib/async/stream-length.ts';
import type { OriginalFile } from '../model/delivery-types.ts';

/**
 * The same file, whose streams have exactly the bytes that its size or the range says, and fail otherwise. Where no size is known,
 * the whole file is as long as it is. `createError` makes the errors; a StoreError `failed` unless given.
 */
export function heldToSize(file: OriginalFile, createError?: (message: string) => Error): OriginalFile {
  return {
    ...file,
    async open(range) {
      const stream = await file.open(range);
      const bytes = range === undefined ? file.size : range.end - range.start + 1;
      return bytes === undefined ? stream : holdToLength(stream, bytes, createError);
    },
  };
}
