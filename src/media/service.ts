// Creates the media service from uploads and file lookups.
import { createFileFinder } from './find-file.ts';
import type { MediaService } from './media.ts';
import { createUpload, type UploadDeps } from './upload.ts';

/** Creates the service. Files are in `store`, their records in `documents`. */
export function createMediaService(deps: UploadDeps): MediaService {
  const { records, store } = deps;
  return { upload: createUpload(deps), ...createFileFinder({ records, store }) };
}
