// The file that stands in for missing images.
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { isFileMissing } from '../../lib/files/missing-file.ts';
import type { SourceFile } from '../model/delivery.ts';
import { deliveredContentType } from '../responses/content-types.ts';
import { describeFile } from './directory.ts';

/** Makes the function that finds it. `file`: absolute path; undefined where nothing stands in. */
export function createFallback(file: string | undefined): () => Promise<SourceFile | undefined> {
  return async () => {
    if (file === undefined) return undefined;
    try {
      const stats = await stat(file);
      if (!stats.isFile()) return undefined;
      return { ...describeFile(file, stats), contentType: deliveredContentType(basename(file), undefined) };
    } catch (error) {
      if (isFileMissing(error)) return undefined;
      throw error;
    }
  };
}
