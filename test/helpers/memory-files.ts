// The files of records in memory: which there are, and a switch for a bucket that does not answer.
import type { RecordFiles } from '../../src/collections/writes/file-removals/remove-files.ts';
import { StoreError } from '../../src/errors/errors.ts';

export interface MemoryFiles extends RecordFiles {
  /** Keys and the times of their files, in epoch milliseconds. */
  readonly there: Map<string, number>;
  /** From now on removals fail; the keys of those asked for first may be gone all the same. */
  leave(gone?: number): void;
  comeBack(): void;
}

/** Files at these keys, all of the time 0. */
export function createMemoryFiles(...keys: readonly string[]): MemoryFiles {
  const there = new Map(keys.map((key) => [key, 0]));
  let away: { readonly gone: number } | undefined;
  return {
    there,
    leave(gone = 0) {
      away = { gone };
    },
    comeBack() {
      away = undefined;
    },
    keyOf(path) {
      if (path.split('/').some((part) => part === '' || part === '..')) throw new StoreError('refused');
      return path.replace(/^bucket\//, '');
    },
    pathOf: (key) => `bucket/${key}`,
    async stat(key) {
      const modifiedAt = there.get(key);
      return modifiedAt === undefined ? undefined : { modifiedAt };
    },
    async remove(asked) {
      for (const key of asked.slice(0, away?.gone)) there.delete(key);
      if (away !== undefined) throw new StoreError('unavailable');
    },
  };
}
