// The media service: uploads, and files by the id or path of their records. Files without a record are never served: they
// belong to incomplete uploads.

import { createHash } from 'node:crypto';
import type { RecordService } from '../collections/model/documents.ts';
import { AppError } from '../errors/errors.ts';
import type { MediaKey, MediaStore, StoredFile } from '../stores/media-store.ts';
import type { StoredDocument } from '../stores/ports.ts';
import type { MediaFile, MediaService } from './media-service-types.ts';
import { findRecordByKey } from './record-lookup.ts';
import { createUpload, type UploadDeps } from './upload.ts';

export interface FileFinderDeps {
  readonly records: Pick<RecordService, 'findRecord'>;
  readonly store: Pick<MediaStore, 'stat' | 'read' | 'pathOf' | 'keyOf'>;
}

const UNKNOWN_TYPE = 'application/octet-stream';

const textOf = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise);

// The record's `v` is not part of it: changing a record does not change the bytes of its file.
function validatorOf({ _id }: StoredDocument, key: MediaKey, { size, modifiedAt }: StoredFile): string {
  const facts = JSON.stringify([_id, key, size, modifiedAt]);
  return createHash('sha256').update(facts).digest('base64url').slice(0, 27);
}

/** Creates the two lookups. Both throw NOT_FOUND if the record or its file does not exist. */
export function createFileFinder({
  records,
  store,
}: FileFinderDeps): Pick<MediaService, 'fileById' | 'fileByPath'> {
  const fileOf = async (record: StoredDocument | undefined): Promise<MediaFile> => {
    const path = record?.['path'];
    if (record === undefined || typeof path !== 'string') throw new AppError('NOT_FOUND');
    const key = store.keyOf(path);
    const stored = await store.stat(key);
    if (stored === undefined) throw new AppError('NOT_FOUND');
    return {
      fileName: textOf(record['fileName'], key.slice(key.lastIndexOf('/') + 1)),
      mimetype: textOf(record['mimetype'], UNKNOWN_TYPE),
      size: stored.size,
      modifiedAt: stored.modifiedAt,
      validator: validatorOf(record, key, stored),
      async open(range) {
        const bytes = await store.read(key, range);
        if (bytes === undefined) throw new AppError('NOT_FOUND');
        return bytes;
      },
    };
  };

  return {
    fileById: async (collection, id, context) =>
      fileOf(await records.findRecord(collection, { id }, context)),
    async fileByPath(collection, path, context) {
      const key = `${collection.path.slice(1)}/${path}`;
      return fileOf(await findRecordByKey({ records, store }, { collection, key }, context));
    },
  };
}

/** Creates the service. Files are in `store`, their records in `documents`. */
export function createMediaService(deps: UploadDeps): MediaService {
  const { records, store } = deps;
  return { upload: createUpload(deps), ...createFileFinder({ records, store }) };
}
