// Several sources as one: the first that has a file gives it.
import type { OriginalSource } from '../model/delivery-types.ts';

/** Makes the source that asks others in order, each only when those before it have no such file. */
export function createFirstSource(sources: readonly OriginalSource[]): OriginalSource {
  return {
    async find(path) {
      for (const source of sources) {
        const file = await source.find(path);
        if (file !== undefined) return file;
      }
      return undefined;
    },
  };
}
