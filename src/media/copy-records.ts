// Brings records of files up to date after their files moved to another store: `path` and `cloudUrl` say where they are now.
import { StoreError } from '../errors/errors.ts';
import { mapConcurrent } from '../lib/async/concurrency.ts';
import { documentVersion } from '../lib/json/stored-json.ts';
import { filterAfterId, filterByIds, MATCH_ALL } from '../stores/filter.ts';
import type { MediaKey, MediaStore } from '../stores/media-store.ts';
import { type DocumentStore, type Namespace, namespaceKey, type StoredDocument } from '../stores/ports.ts';

const PAGE = 200;
const MAX_AT_ONCE = 8;
/** Times that a record is read again because somebody else wrote it meanwhile. */
const MAX_ATTEMPTS = 5;

export interface CopyRecordsDeps {
  readonly documents: Pick<DocumentStore, 'find' | 'commit'>;
  readonly target: Pick<MediaStore, 'list' | 'stat' | 'pathOf' | 'keyOf' | 'cloudUrlOf'>;
  /** Where the record of a file is, by its key. */
  readonly namespaceOf: (key: MediaKey) => Namespace;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds for each operation of the database. */
  readonly queryMs: number;
  readonly signal: AbortSignal;
}

/** The collections that files of the store belong to. */
async function namespacesOf({ target, namespaceOf }: CopyRecordsDeps): Promise<readonly Namespace[]> {
  const found = new Map<string, Namespace>();
  for await (const { key } of target.list()) {
    const ns = namespaceOf(key);
    found.set(namespaceKey(ns), ns);
  }
  return [...found.values()];
}

/** The record as it should be; undefined for one that is right, for other documents, and where the store has no such file. */
async function corrected(
  record: StoredDocument,
  { target }: CopyRecordsDeps,
): Promise<StoredDocument | undefined> {
  const { path, contentLength, cloudUrl, ...others } = record;
  if (typeof path !== 'string' || typeof contentLength !== 'number') return undefined;
  const key = target.keyOf(path);
  const now = { path: target.pathOf(key), cloudUrl: target.cloudUrlOf(key) };
  if (now.path === path && now.cloudUrl === cloudUrl) return undefined;
  if ((await target.stat(key))?.size !== contentLength) return undefined;
  return {
    ...others,
    path: now.path,
    contentLength,
    ...(now.cloudUrl === undefined ? {} : { cloudUrl: now.cloudUrl }),
    v: documentVersion(record) + 1,
  };
}

/** Writes one record unless it is right. Returns whether it was written. */
async function update(ns: Namespace, first: StoredDocument, deps: CopyRecordsDeps): Promise<boolean> {
  const { documents, now, queryMs } = deps;
  let record: StoredDocument | undefined = first;
  for (let attempt = 1; record !== undefined; attempt += 1) {
    const document: StoredDocument | undefined = await corrected(record, deps);
    if (document === undefined) return false;
    const v = documentVersion(record);
    const changed = ['path', 'cloudUrl', 'v'];
    try {
      const write = { kind: 'update', ns, id: record._id, v, document, changed } as const;
      await documents.commit([write], { deadline: now() + queryMs });
      return true;
    } catch (error) {
      const isConflict = error instanceof StoreError && error.reason === 'conflict';
      if (!isConflict || attempt === MAX_ATTEMPTS) throw error;
    }
    const query = { filter: filterByIds([record._id]), sort: [], skip: 0, limit: 1 };
    [record] = await documents.find(ns, query, { deadline: now() + queryMs });
  }
  return false;
}

/**
 * Corrects the records of all files that the target has, in small steps beside a running server. Each one counts as a write of
 * its record (`v`), so that it cannot be undone by a write that was computed before. Returns the number of written records.
 */
export async function copyRecords(deps: CopyRecordsDeps): Promise<number> {
  const { documents, now, queryMs, signal } = deps;
  let written = 0;
  for (const ns of await namespacesOf(deps)) {
    let filter = MATCH_ALL;
    for (;;) {
      signal.throwIfAborted();
      const query = { filter, sort: [], skip: 0, limit: PAGE };
      const page = await documents.find(ns, query, { deadline: now() + queryMs });
      const results = await mapConcurrent(page, MAX_AT_ONCE, (record) => update(ns, record, deps));
      written += results.filter((wasWritten) => wasWritten).length;
      const last = page.at(-1)?._id;
      if (page.length < PAGE || typeof last !== 'string') break;
      filter = filterAfterId(last);
    }
  }
  return written;
}
