// Several sources as a chain: the first that has a file gives it.
import type { OriginalSource } from '../model/delivery-types.ts';
import { heldToSize } from './held-file.ts';

/** Makes the source that asks others in order, each only when those before it have no such file, and holds files to their size. */
export function createSourceChain(sources: readonly OriginalSource[]): OriginalSource {
  return {
    async find(path) {
      for (const source of sources) {
        const file = await source.find(path);
        if (file !== undefined) return heldToSize(file);
      }
      return undefined;
    },
  };
}
