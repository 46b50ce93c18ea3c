// Which files anybody may read: those with a record that a caller without a token is shown. Asked for every delivered file,
// so answers are kept for a moment, and no longer than until the next write.
import { LRUCache } from 'lru-cache';
import { type Collection, type CollectionRegistry, hasReadHooks } from '../collections/model/collection.ts';
import type { RecordService, RequestContext } from '../collections/model/documents.ts';
import { AppError } from '../errors/errors.ts';
import type { MediaKey, MediaStore } from '../stores/media-store.ts';
import { type DocumentStore, namespaceKey } from '../stores/ports.ts';
import { findRecordByKey } from './record-lookup.ts';

export interface PublicRecordsDeps {
  readonly records: Pick<RecordService, 'findRecord'>;
  readonly registry: Pick<CollectionRegistry, 'get'>;
  readonly store: Pick<MediaStore, 'pathOf'>;
  readonly documents: Pick<DocumentStore, 'onCommit'>;
  /** Whether a caller without a token may read the files of this collection. */
  readonly mayRead: (collection: Collection) => boolean;
  /** The request of a caller without a token for the file at this path of the content API. */
  readonly createContext: (path: string) => RequestContext;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** One object until the record has to be looked for again: what was found out about its file in that time is kept by it. */
export interface PublicRecord {
  readonly id: string;
}

export interface PublicRecords {
  /**
   * The record of a file; undefined where the file has none that anybody may read. Rejects with a StoreError while
   * the database is away.
   */
  find(key: MediaKey): Promise<PublicRecord | undefined>;
}

/** Another server may write to the same database: what it changed is in force after so many milliseconds. */
const MAX_AGE_MS = 1000;
/** Characters of all keys whose answers are kept. */
const MAX_KEPT_CHARACTERS = 4_194_304;
/** An entry beside its key, in characters. */
const ENTRY_SIZE = 100;

interface Entry {
  readonly record: Promise<PublicRecord | undefined>;
  readonly collection: Collection;
  /** Number of the writes that counted when the record was looked for. */
  readonly writes: number;
  readonly at: number;
}

/** Creates the lookup. It listens to the database for as long as that lives. */
export function createPublicRecords(deps: PublicRecordsDeps): PublicRecords {
  const { records, registry, store, documents, mayRead, createContext, now } = deps;
  const kept = new LRUCache<MediaKey, Entry>({
    maxSize: MAX_KEPT_CHARACTERS,
    sizeCalculation: (_entry, key) => key.length + ENTRY_SIZE,
  });
  const writesTo = new Map<string, number>();
  let allWrites = 0;
  documents.onCommit((changed) => {
    allWrites += 1;
    for (const namespace of changed) {
      const space = namespaceKey(namespace);
      writesTo.set(space, (writesTo.get(space) ?? 0) + 1);
    }
  });

  /** Default filters and hooks may read any collection. */
  const writesOf = (collection: Collection): number =>
    collection.settings.defaultFilters !== null || hasReadHooks(collection)
      ? allWrites
      : (writesTo.get(namespaceKey(collection.namespace)) ?? 0);

  const collectionOf = (key: MediaKey): Collection | undefined => {
    const [version = '', database = '', name = ''] = key.split('/', 3);
    const collection = registry.get(version, database, name);
    return collection?.settings.media && mayRead(collection) ? collection : undefined;
  };

  const look = async (collection: Collection, key: MediaKey): Promise<PublicRecord | undefined> => {
    const context = createContext(`/${key.split('/').map(encodeURIComponent).join('/')}`);
    try {
      const record = await findRecordByKey({ records, store }, { collection, key }, context);
      return record === undefined ? undefined : { id: record._id };
    } catch (error) {
      // A hook that refuses hides the record.
      if (error instanceof AppError && error.status < 500) return undefined;
      throw error;
    }
  };

  return {
    async find(key) {
      const collection = collectionOf(key);
      if (collection === undefined) return undefined;
      const writes = writesOf(collection);
      const at = now();
      const known = kept.get(key);
      const isFresh = known?.collection === collection && known.writes === writes;
      if (isFresh && Math.abs(at - known.at) < MAX_AGE_MS) return known.record;
      const entry: Entry = { record: look(collection, key), collection, writes, at };
      kept.set(key, entry);
      entry.record.catch(() => {
        if (kept.peek(key) === entry) kept.delete(key);
      });
      return entry.record;
    },
  };
}
