// What is noted of files whose records are removed, in the commit that removes the records: until they are gone, somebody
// must see to it.
import type { Namespace, StoredDocument, Write } from '../../../stores/ports.ts';

/** One entry for each list of files that still have to go. */
export const REMOVALS_NAMESPACE: Namespace = { database: null, collection: 'cloister.media-removals' };

/** Milliseconds for which an entry belongs to whoever wrote or claimed it: another server leaves it alone. */
export const CLAIM_MS = 60_000;

/** Files of one entry: ten thousand documents may go at once, and no entry may be as large as all of their paths. */
const MAX_PATHS = 500;
/** Characters of a path; a longer one was made by nobody who stores files. */
const MAX_PATH_CHARACTERS = 4096;

/** Files that are to be removed, by the paths of the records that are gone. */
export interface RemovalEntry {
  readonly id: string;
  readonly v: number;
  /** Where the records were. */
  readonly namespace: Namespace;
  readonly paths: readonly string[];
  /** Epoch milliseconds: when the records were removed. */
  readonly createdAt: number;
  /** The server that sees to it. */
  readonly claimedBy: string;
  /** Epoch milliseconds: until then it does. */
  readonly claimedUntil: number;
}

/** Who claims entries, and when. */
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
  { by, at, newId }: EntryClaim & { readonly newId: () => string },
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
      ...{ id: newId(), v: 1, namespace, paths: some, createdAt: at },
      ...{ claimedBy: by, claimedUntil: at + CLAIM_MS },
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

/** The write that forgets an entry whose files are gone. */
export function deleteEntry({ id, v }: RemovalEntry): Write {
  return { kind: 'remove', ns: REMOVALS_NAMESPACE, id, v };
}
