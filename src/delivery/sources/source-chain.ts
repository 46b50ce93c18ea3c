// Several sources as a chain: the first that has a file gives it.
import type { OriginalSource } from '../model/delivery-types.ts';
import { heldToSize } from './held-file.ts';

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
