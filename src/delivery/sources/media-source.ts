// Originals in the media store: the path of a delivered file is the `path` of its record.
import { StoreError } from '../../errors/errors.ts';
import type { PublicRecord, PublicRecords } from '../../media/public-records.ts';
import type { MediaKey, MediaStore, StoredFile } from '../../stores/media-store.ts';
import type { OriginalFile, OriginalSource } from '../model/delivery-types.ts';
import { isOriginalPath } from './original-path.ts';

type Store = Pick<MediaStore, 'keyOf' | 'stat' | 'read'>;

interface Described {
  readonly key: MediaKey;
  readonly file: StoredFile;
  readonly validator: string;
  /** Called when the file that was found is not there any more. */
  readonly onGone?: () => void;
}

function describeFile(store: Store, { key, file, validator, onGone }: Described): OriginalFile {
  return {
    size: file.size,
    modifiedAt: file.modifiedAt,
    validator,
    contentType: undefined,
    async open(range) {
      const stream = await store.read(key, range);
      if (stream !== undefined) return stream;
      onGone?.();
      throw new StoreError('conflict', { store: 'media' });
    },
  };
}

/**
 * Makes the source of a bucket of originals: all of it is there, but for what begins with `exceptBelow`, where uploaded files lie
 * that have their own visibility.
 */
export function createBucketSource(store: Store, exceptBelow?: string): OriginalSource {
  return {
    async find(path) {
      if (!isOriginalPath(path) || (exceptBelow !== undefined && path.startsWith(exceptBelow)))
        return undefined;
      const key = store.keyOf(path);
      const file = await store.stat(key);
      if (file === undefined) return undefined;
      // The time has whole seconds: a file may be replaced within one.
      const validator = `${file.size}-${file.modifiedAt}-${file.etag ?? ''}`;
      return describeFile(store, { key, file, validator });
    },
  };
}

/**
 * Makes the source of the media store, whose files are there where anybody may read their records. A stored file is never
 * overwritten, so its record, size and time say which one it is.
 */
export function createMediaSource(store: Store, records: PublicRecords): OriginalSource {
  /** The store is asked about a file once for each time that its record was looked for. */
  const files = new WeakMap<PublicRecord, StoredFile>();
  return {
    async find(path) {
      if (!isOriginalPath(path)) return undefined;
      const key = store.keyOf(path);
      const record = await records.find(key);
      if (record === undefined) return undefined;
      const file = files.get(record) ?? (await store.stat(key));
      if (file === undefined) return undefined;
      files.set(record, file);
      const validator = `${record.id}-${file.size}-${file.modifiedAt}`;
      return describeFile(store, { key, file, validator, onGone: () => files.delete(record) });
    },
  };
}
