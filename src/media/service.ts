// The media service: uploads and downloads, put together.
import { createFileFinder } from './find-file.ts';
import type { MediaService } from './media.ts';
import { createUpload, type UploadDeps } from './upload.ts';

/** Files of media collections, kept in `store`, their records in `documents`. */
export function createMediaService(deps: UploadDeps): MediaService {
  const { records, store } = deps;
  return { upload: createUpload(deps), ...createFileFinder({ records, store }) };
}
