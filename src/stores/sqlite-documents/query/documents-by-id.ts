// Reads documents by their ids, without a plan: one of them, or those that others refer to, which are cached until the next
// write to their collection.
import type { Namespace } from '../../ports.ts';
import { type CollectionEntry, onSnapshot } from '../data-file/catalogue.ts';
import { documentTable, documentText } from '../data-file/schema.ts';
import type { WorkLimit } from '../data-file/work-limit.ts';
import type { QueryContext } from './execute.ts';
import { isShort } from './ordered-table.ts';

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

/** Finds the text of one document by its id, without a plan. */
export function findById(context: QueryContext, ns: Namespace, id: string): string | undefined {
  return onSnapshot(context, ns, (entry) => {
    const row = entry && (context.statementById(entry).get(id) as unknown as [unknown] | undefined);
    return row === undefined ? undefined : documentText(row[0]);
  });
}

const NO_DOCUMENTS: ReadonlyMap<string, string> = new Map();

/** Finds the texts of documents by their ids, perhaps among others. Ids without a document are missing. */
export function findByIds(
  context: QueryContext,
  ns: Namespace,
  ids: readonly string[],
  { workLimit, cache }: { readonly workLimit: WorkLimit; readonly cache: DocumentCache },
): ReadonlyMap<string, string> {
  return onSnapshot(context, ns, (entry) => {
    if (entry === undefined) return NO_DOCUMENTS;
    const cached = cache.textsOf(entry);
    if (ids.every((id) => cached.has(id))) return cached;
    const found = new Map<string, string>();
    const missing = new Set<string>();
    for (const id of ids) {
      const text = cached.get(id);
      if (text === undefined) missing.add(id);
      else found.set(id, text);
    }
    const statement = context.connection.statement(
      `select id, json from ${documentTable(entry.n)} where id = ?`,
    );
    const isUnchecked = isShort(entry, missing.size);
    for (const wanted of missing) {
      const row = statement.get(wanted) as unknown as [string, unknown] | undefined;
      if (row === undefined) continue;
      const [id, text] = [row[0], documentText(row[1])];
      if (!isUnchecked) workLimit.tick(text.length);
      found.set(id, text);
      // The id of the row, as `wanted` may be a part of the text of a whole document.
      cache.add(entry, id, text);
    }
    return found;
  });
}
