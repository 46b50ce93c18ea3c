// Removes the files of one entry: which of them may go, and then the entry itself.
import { mapConcurrent } from '../../../lib/async/concurrency.ts';
import type { Filter } from '../../../stores/filter.ts';
import type { DocumentStore, Namespace } from '../../../stores/ports.ts';
import { deleteEntry, type RemovalEntry } from './removal-entries.ts';

/** The files of records: a media store. */
export interface RecordFiles {
  /** The key of a file, `<version>/<database>/<collection>/…`, from the `path` of its record. */
  keyOf(path: string): string;
  /** What the records that this store has files for carry as `path`. */
  pathOf(key: string): string;
  /** `modifiedAt` in epoch milliseconds; undefined when there is no such file. */
  stat(key: string): Promise<{ readonly modifiedAt: number } | undefined>;
  /** One that is missing is no error. */
  remove(keys: readonly string[]): Promise<void>;
}

export interface RemoveFilesDeps {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  readonly files: RecordFiles;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
  readonly warn: (fields: object, message: string) => void;
}

const MAX_CONCURRENT_FILES = 8;
const RECORDS_PER_QUERY = 1000;

/** True for a key below the folder of a collection with these documents: nobody else's file goes with its records. */
function isInCollection(key: string, { database, collection }: Namespace): boolean {
  const [, keyDatabase, keyCollection, ...rest] = key.split('/');
  return keyCollection === collection && rest.length > 0 && (database === null || keyDatabase === database);
}

const oneOf = (path: string, values: readonly string[]): Filter => ({
  kind: 'field',
  path,
  tests: [{ kind: 'in', values }],
});

/**
 * Makes the function that removes the files of a claimed entry, then the entry. `isLate`: others may have used its keys
 * since the records were removed. Rejects with what the files or the documents fail with; it may be repeated then.
 */
export function createRemoveFiles(options: RemoveFilesDeps) {
  const { store, files, now, queryMs, warn } = options;
  const within = () => ({ deadline: now() + queryMs });

  /** The keys of an entry, each with the paths by which a record may have its file. */
  const filesOf = ({ namespace, paths }: RemovalEntry): ReadonlyMap<string, readonly string[]> => {
    const found = new Map<string, readonly string[]>();
    for (const path of paths) {
      try {
        const key = files.keyOf(path);
        if (isInCollection(key, namespace)) found.set(key, [path, key, files.pathOf(key)]);
        else warn({ path }, 'deleted record names a file of another collection: the file stays');
      } catch (error) {
        warn({ err: error, path }, 'deleted record names no valid file');
      }
    }
    return found;
  };

  /** Those keys of an entry whose file no record has any more. */
  const withoutRecord = async (entry: RemovalEntry): Promise<readonly string[]> => {
    const free = new Map(filesOf(entry));
    const keys = new Map([...free].flatMap(([key, paths]) => paths.map((path) => [path, key] as const)));
    for (let found = RECORDS_PER_QUERY; found === RECORDS_PER_QUERY && free.size > 0; ) {
      const filter = oneOf('path', [...new Set([...free.values()].flat())]);
      const projection = { include: ['path'] };
      const query = { filter, sort: [], skip: 0, limit: RECORDS_PER_QUERY, projection };
      const records = await store.find(entry.namespace, query, within());
      for (const { path } of records) {
        for (const one of [path].flat()) free.delete(keys.get(String(one)) ?? '');
      }
      found = records.length;
    }
    return [...free.keys()];
  };

  /** A file that came later has its key from another upload, whose record may be on its way. */
  const olderThan = async (time: number, keys: readonly string[]): Promise<readonly string[]> => {
    const found = await mapConcurrent(keys, MAX_CONCURRENT_FILES, async (key) => ({
      key,
      file: await files.stat(key),
    }));
    return found.flatMap(({ key, file }) => (file !== undefined && file.modifiedAt <= time ? [key] : []));
  };

  return async (entry: RemovalEntry, isLate: boolean): Promise<void> => {
    const all = await withoutRecord(entry);
    const keys = isLate ? await olderThan(entry.createdAt, all) : all;
    if (keys.length > 0) await files.remove(keys);
    await store.commit([deleteEntry(entry)], within());
  };
}
