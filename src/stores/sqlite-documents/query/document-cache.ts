// Cache of documents that others refer to: their texts by id, valid until the next write to their collection.
import type { CollectionEntry } from '../data-file/catalogue.ts';

/** The cached texts of one state of a collection. */
interface CachedCollection {
  readonly writes: number;
  readonly texts: Map<string, string>;
  bytes: number;
}

export interface DocumentCache {
  /** The cached texts of the collection as it is now, by id. */
  textsOf(entry: CollectionEntry): ReadonlyMap<string, string>;
  /** `id` must not be a part of a longer text, which it would keep in memory. */
  add(entry: CollectionEntry, id: string, text: string): void;
}

/** Longer documents are not cached. */
const MAX_TEXT_LENGTH = 32_768;
/** Approximate memory of an entry without its text. */
const ENTRY_BYTES = 120;
const BYTES_PER_UNIT = 2;

/** Creates an empty cache. When all collections together need more than `maxBytes`, it is emptied. */
export function createDocumentCache(maxBytes: number): DocumentCache {
  const collections = new Map<number, CachedCollection>();
  let bytes = 0;

  const collectionOf = ({ n, writes }: CollectionEntry): CachedCollection => {
    const known = collections.get(n);
    if (known?.writes === writes) return known;
    bytes -= known?.bytes ?? 0;
    const empty: CachedCollection = { writes, texts: new Map(), bytes: 0 };
    collections.set(n, empty);
    return empty;
  };

  return {
    textsOf: (entry) => collectionOf(entry).texts,
    add(entry, id, text) {
      if (text.length > MAX_TEXT_LENGTH || collectionOf(entry).texts.has(id)) return;
      const size = text.length * BYTES_PER_UNIT + ENTRY_BYTES;
      if (bytes + size > maxBytes) {
        collections.clear();
        bytes = 0;
      }
      const cached = collectionOf(entry);
      cached.texts.set(id, text);
      cached.bytes += size;
      bytes += size;
    },
  };
}
