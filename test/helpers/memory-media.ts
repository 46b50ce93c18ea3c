// A media store in memory, with the rules of the port that a cache depends on: nothing is overwritten, nothing is seen early.
import { Readable } from 'node:stream';
import type { MediaStore } from '../../src/stores/media-store.ts';

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
