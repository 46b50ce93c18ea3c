// The file that stands in for missing images.
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { isMissing } from '../../lib/missing-file.ts';
import { contentTypeOf } from '../answers/content-types.ts';
import type { SourceFile } from '../delivery.ts';
import { describeFile } from './directory.ts';

/** Makes the function that finds it. `file`: absolute path; undefined where nothing stands in. */
export function createFallback(file: string | undefined): () => Promise<SourceFile | undefined> {
  return async () => {
    if (file === undefined) return undefined;
    try {
      const stats = await stat(file);
      if (!stats.isFile()) return undefined;
      return { ...describeFile(file, stats), contentType: contentTypeOf(basename(file), undefined) };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };
}
