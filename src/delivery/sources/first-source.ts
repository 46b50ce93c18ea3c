// Several sources as one: the first that has a file gives it.
import type { Source } from '../model/delivery.ts';

/** Makes the source that asks others in order, each only when those before it have no such file. */
export function createFirstSource(sources: readonly Source[]): Source {
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
