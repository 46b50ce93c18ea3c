// Several sources as a chain: the first that has a file gives it, held to its size.
import { holdToLength } from '../../lib/async/stream-length.ts';
import type { OriginalFile, OriginalSource } from '../model/delivery-types.ts';

/**
 * The same file, whose streams have exactly the bytes that its size or the range says, and fail otherwise. Where no size is known,
 * the whole file is as long as it is. A file can be cut while it is sent, and
 * another server can send more than it announced. `createError` makes the errors; a StoreError `failed` unless given.
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

/**
 * How a name may be written: as it was sent, then in the two normal forms of Unicode, which people and programs take for the same.
 * Uploads have names in the composed form; folders and buckets that other programs fill have any.
 */
const spellingsOf = (path: string): ReadonlySet<string> =>
  new Set([path, path.normalize('NFC'), path.normalize('NFD')]);

/** Makes the source that asks others in order, each only when those before it have no such file, and holds files to their size. */
export function createSourceChain(sources: readonly OriginalSource[]): OriginalSource {
  return {
    async find(path) {
      for (const spelling of spellingsOf(path)) {
        for (const source of sources) {
          const file = await source.find(spelling);
          if (file !== undefined) return heldToSize(file);
        }
      }
      return undefined;
    },
  };
}
