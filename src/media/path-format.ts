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

type FoldersOf = (
  file: FileToPlace,
  sha1Of: Options['sha1Of'],
) => readonly string[] | Promise<readonly string[]>;

/** The hash of the name, with so many digits a folder. */
const hashFolders =
  (digits: number): FoldersOf =>
  async ({ name }, sha1Of) =>
    chunks(await sha1Of(name), digits);

/** A row per value of the setting: the type names a format without one, or one without a format. */
const FOLDERS: Readonly<Record<PathFormat, FoldersOf>> = {
  none: () => [],
  date: ({ at }) => partsOf(at).slice(0, 3),
  datetime: ({ at }) => partsOf(at),
  'sha1/4': hashFolders(4),
  'sha1/5': hashFolders(5),
  'sha1/8': hashFolders(8),
};

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
  const folder = [...folders, ...(await FOLDERS[options.format](file, options.sha1Of))].join('/');
  return (attempt) => `${folder}/${attempt === 0 ? name : withSuffix(name, at + attempt - 1)}`;
}
