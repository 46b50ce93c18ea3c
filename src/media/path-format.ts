// The key of a new file: folders by `media.pathFormat`, and a suffix if the name is taken.
import type { CollectionAddress } from '../collections/model/collection.ts';
import type { Config } from '../config/schema.ts';
import type { MediaKey } from '../stores/media-store.ts';
import { withSuffix } from './file-name.ts';

export type PathFormat = Config['media']['pathFormat'];

interface FileToPlace {
  readonly collection: CollectionAddress;
  /** The sanitized name. */
  readonly name: string;
  /** Start of the upload, in epoch milliseconds. */
  readonly at: number;
}

interface Options {
  readonly format: PathFormat;
  readonly sha1Of: (text: string) => Promise<string>;
}

/** Year, month, day, hour, minute, second in UTC, with leading zeros. */
const partsOf = (at: number) => new Date(at).toISOString().slice(0, 19).split(/[-T:]/);

/** Splits a text into pieces of `length` characters; the last may be shorter. */
function chunks(text: string, length: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
    text.slice(index * length, (index + 1) * length),
  );
}

async function foldersOf({ name, at }: FileToPlace, { format, sha1Of }: Options): Promise<readonly string[]> {
  switch (format) {
    case 'none':
      return [];
    case 'date':
      return partsOf(at).slice(0, 3);
    case 'datetime':
      return partsOf(at);
    default:
      return chunks(await sha1Of(name), Number(format.slice('sha1/'.length)));
  }
}

/**
 * Creates the candidates for the key of a file: the name itself, then the name with the time in milliseconds, incremented at each
 * further attempt.
 */
export async function createKeyCandidates(
  file: FileToPlace,
  options: Options,
): Promise<(attempt: number) => MediaKey> {
  const { collection, name, at } = file;
  const folders = [collection.version, collection.database, collection.name];
  const folder = [...folders, ...(await foldersOf(file, options))].join('/');
  return (attempt) => `${folder}/${attempt === 0 ? name : withSuffix(name, at + attempt - 1)}`;
}
