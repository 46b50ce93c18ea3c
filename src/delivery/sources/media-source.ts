// Originals in the media store: the path of a delivered file is the `path` of its record.
import { StoreError } from '../../errors/errors.ts';
import type { MediaStore } from '../../stores/media-store.ts';
import type { OriginalSource } from '../model/delivery-types.ts';
import { isOriginalPath } from './original-path.ts';

/** Makes the source. A stored file is never overwritten, so its size and time say which one it is. */
export function createMediaSource(store: Pick<MediaStore, 'keyOf' | 'stat' | 'read'>): OriginalSource {
  return {
    async find(path) {
      if (!isOriginalPath(path)) return undefined;
      const key = store.keyOf(path);
      const file = await store.stat(key);
      if (file === undefined) return undefined;
      return {
        size: file.size,
        modifiedAt: file.modifiedAt,
        validator: `${file.size}-${file.modifiedAt}`,
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
