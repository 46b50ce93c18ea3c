// Media in memory: a store with the rules of the port that a cache depends on, and the files of records with a switch to fail.

import { Readable } from 'node:stream';
import type { RecordFiles } from '../../../src/collections/writes/file-removals/remove-files.ts';
import { StoreError } from '../../../src/errors/errors.ts';
import type { MediaStore } from '../../../src/stores/media-store.ts';

export interface MemoryMedia extends MediaStore {
  readonly files: Map<string, Buffer>;
}

/** Opens an empty store. */
export function openMemoryMedia(): MemoryMedia {
  const files = new Map<string, Buffer>();
  return {
    files,
    async begin({ candidate }) {
      let bytes: Buffer = Buffer.alloc(0);
      let published: string | undefined;
      return {
        async write(source) {
          const pieces: Uint8Array[] = [];
          for await (const piece of source) pieces.push(piece);
          bytes = Buffer.concat(pieces);
          return bytes.length;
        },
        async publish() {
          let attempt = 0;
          while (files.has(candidate(attempt))) attempt += 1;
          published = candidate(attempt);
          files.set(published, bytes);
          return published;
        },
        settle: async () => undefined,
        async discard() {
          if (published !== undefined) files.delete(published);
        },
        abandon: () => undefined,
      };
    },
    async stat(key) {
      const bytes = files.get(key);
      return bytes && { size: bytes.length, modifiedAt: 0 };
    },
    async read(key, range) {
      const bytes = files.get(key);
      if (bytes === undefined) return undefined;
      return Readable.from([range === undefined ? bytes : bytes.subarray(range.start, range.end + 1)]);
    },
    async remove(keys) {
      for (const key of keys) files.delete(key);
    },
    async *list() {
      for (const [key, bytes] of [...files]) yield { key, size: bytes.length, modifiedAt: 0 };
    },
    async *unsettled() {
      // Nothing survives its process.
    },
    pathOf: (key) => key,
    keyOf: (path) => path,
    cloudUrlOf: () => undefined,
    health: async () => undefined,
    close: async () => undefined,
  };
}

export interface MemoryFiles extends RecordFiles {
  /** Keys and the times of their files, in epoch milliseconds. */
  readonly keys: Map<string, number>;
  /** From now on removals fail; the keys of those asked for first may be gone all the same. */
  fail(gone?: number): void;
  recover(): void;
}

/** Files at these keys, all of the time 0. */
export function createMemoryFiles(...keys: readonly string[]): MemoryFiles {
  const there = new Map(keys.map((key) => [key, 0]));
  let away: { readonly gone: number } | undefined;
  return {
    keys: there,
    fail(gone = 0) {
      away = { gone };
    },
    recover() {
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
