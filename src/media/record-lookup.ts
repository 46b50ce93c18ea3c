// The record of a stored file by its key.
import type { Collection } from '../collections/model/collection.ts';
import type { RecordService, RequestContext } from '../collections/model/documents.ts';
import type { MediaKey, MediaStore } from '../stores/media-store.ts';
import type { StoredDocument } from '../stores/ports.ts';

interface RecordLookupDeps {
  readonly records: Pick<RecordService, 'findRecord'>;
  readonly store: Pick<MediaStore, 'pathOf'>;
}

/** Undefined where there is no such record, or the caller is not shown it. `collection` is the one that the key is below. */
export async function findRecordByKey(
  { records, store }: RecordLookupDeps,
  { collection, key }: { readonly collection: Collection; readonly key: MediaKey },
  context: RequestContext,
): Promise<StoredDocument | undefined> {
  const written = store.pathOf(key);
  const record = await records.findRecord(collection, { path: written }, context);
  // The record of a file that was copied from another store may have the path of that store.
  if (record !== undefined || written === key) return record;
  return records.findRecord(collection, { path: key }, context);
}
