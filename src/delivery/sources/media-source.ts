// Originals in the media store: the path of a delivered file is the `path` of its record.
import { StoreError } from '../../errors/errors.ts';
import type { PublicRecords } from '../../media/public-records.ts';
import type { MediaStore } from '../../stores/media-store.ts';
import type { OriginalSource } from '../model/delivery-types.ts';
import { isOriginalPath } from './original-path.ts';

/**
 * Makes the source. With `records`, files have the visibility of their records; without, everything in the store is there:
 * for a bucket that holds nothing else. A stored file is never overwritten, so its record, size and time say which one it is.
 */
export function createMediaSource(
  store: Pick<MediaStore, 'keyOf' | 'stat' | 'read'>,
  records?: Pick<PublicRecords, 'find'>,
): OriginalSource {
  return {
    async find(path) {
      if (!isOriginalPath(path)) return undefined;
      const key = store.keyOf(path);
      const record = records === undefined ? '' : await records.find(key);
      if (record === undefined) return undefined;
      const file = await store.stat(key);
      if (file === undefined) return undefined;
      return {
        size: file.size,
        modifiedAt: file.modifiedAt,
        validator: `${record}${file.size}-${file.modifiedAt}`,
        contentType: undefined,
        async open(range) {
          const stream = await store.read(key, range);
          // Removed since it was found.
          if (stream === undefined) throw new StoreError('conflict', { store: 'media' });
          return stream;
        },
      };
    },
  };
}
