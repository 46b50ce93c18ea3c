// Entries for the files of removed records, stored in the commit that removes the records: a server claims an entry, removes
// its files, then the entry.
import type { Namespace, StoredDocument, Write } from '../../../stores/ports.ts';

/** Where the entries are stored. */
export const REMOVALS_NAMESPACE: Namespace = { database: null, collection: 'cloister.media-removals' };

/** Milliseconds for which an entry belongs to the server that wrote or claimed it. */
export const CLAIM_MS = 60_000;

/** Files of one entry: a removal of ten thousand records makes several entries of a moderate size. */
const MAX_PATHS = 500;
/** Characters of a path; the server stores no file under a longer one. */
const MAX_PATH_CHARACTERS = 4096;

/** Files to remove, by the paths of the removed records. */
export interface RemovalEntry {
  readonly id: string;
  readonly v: number;
  /** The namespace of the records. */
  readonly namespace: Namespace;
  readonly paths: readonly string[];
  /** Epoch milliseconds: when the records were removed. */
  readonly createdAt: number;
  /** The server that holds the claim. */
  readonly claimedBy: string;
  /** Epoch milliseconds: end of the claim. */
  readonly claimedUntil: number;
}

/** Which server claims entries, and when. */
interface EntryClaim {
  readonly by: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

function encodeEntry({ id, namespace, paths, ...entry }: RemovalEntry): StoredDocument {
  const { createdAt, claimedBy, claimedUntil, v } = entry;
  const { database, collection } = namespace;
  return { database, collection, paths, createdAt, claimedBy, claimedUntil, v, _id: id };
}

/** The entries for `records`, which are about to be removed from `namespace`. */
export function createEntries(
  namespace: Namespace,
  records: readonly StoredDocument[],
  { by, at, generateId }: EntryClaim & { readonly generateId: () => string },
): readonly RemovalEntry[] {
  const paths = new Set<string>();
  for (const { path } of records) {
    if (typeof path === 'string' && path !== '' && path.length <= MAX_PATH_CHARACTERS) paths.add(path);
  }
  const all = [...paths];
  const entries: RemovalEntry[] = [];
  for (let from = 0; from < all.length; from += MAX_PATHS) {
    const some = all.slice(from, from + MAX_PATHS);
    entries.push({
      id: generateId(),
      v: 1,
      namespace,
      paths: some,
      createdAt: at,
      claimedBy: by,
      claimedUntil: at + CLAIM_MS,
    });
  }
  return entries;
}

/** Reads an entry as it is stored. */
export function decodeEntry(stored: StoredDocument): RemovalEntry {
  const { database, collection, paths, createdAt, claimedBy, claimedUntil, v } = stored;
  return {
    id: stored._id,
    v: Number(v),
    namespace: {
      database: typeof database === 'string' ? database : null,
      collection: String(collection),
    },
    paths: Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [],
    createdAt: Number(createdAt),
    claimedBy: String(claimedBy),
    claimedUntil: Number(claimedUntil),
  };
}

/** The write that stores a new entry. */
export function insertEntry(entry: RemovalEntry): Write {
  return { kind: 'insert', ns: REMOVALS_NAMESPACE, document: encodeEntry(entry) };
}

/** The entry as `by` claims it, and the write for that. */
export function claimEntry(
  entry: RemovalEntry,
  { by, at }: EntryClaim,
): { readonly entry: RemovalEntry; readonly write: Write } {
  const claimed = { ...entry, v: entry.v + 1, claimedBy: by, claimedUntil: at + CLAIM_MS };
  const changed = ['claimedBy', 'claimedUntil', 'v'];
  const document = encodeEntry(claimed);
  return {
    entry: claimed,
    write: { kind: 'update', ns: REMOVALS_NAMESPACE, id: entry.id, v: entry.v, document, changed },
  };
}

/** The write that removes an entry whose files are gone. */
export function deleteEntry({ id, v }: RemovalEntry): Write {
  return { kind: 'remove', ns: REMOVALS_NAMESPACE, id, v };
}
