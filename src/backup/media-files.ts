// Media files of a backup: all that the site has, and all that the records of the copied database name.
import { rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaStore } from '../stores/media-store.ts';
import { type Content, contentOf, isPresent, walkFollowing, writeNew } from './copy.ts';
import { isSafePath } from './manifest.ts';

export interface BackupWatch {
  readonly signal: AbortSignal;
  /** Files and bytes that are done. */
  readonly onProgress: (files: number, bytes: number) => void;
}

/** A media file that the site has, or that a record names. */
export interface NamedFile {
  readonly key: string;
  /** Bytes; undefined where the record does not say. */
  readonly size: number | undefined;
  /** Epoch milliseconds; undefined where only the record is known. */
  readonly modifiedAt?: number;
}

interface MediaCopyTask {
  readonly media: Pick<MediaStore, 'list' | 'read'>;
  readonly named: AsyncIterable<NamedFile>;
  /** Where the files go. */
  readonly folder: string;
}

export interface MediaCopyResult {
  /** By key. */
  readonly copied: ReadonlyMap<string, Content>;
  /** Keys of files that a record names and that are nowhere. */
  readonly lost: readonly string[];
}

/** Whether the copy is of this state of the file: uploads never overwrite, but a name may be used again. */
async function isCopyOf(copy: string, { size, modifiedAt }: NamedFile): Promise<boolean> {
  if (!(await isPresent(copy))) return false;
  const found = await stat(copy);
  return (
    (size === undefined || found.size === size) &&
    (modifiedAt === undefined || Math.floor(found.mtimeMs) === modifiedAt)
  );
}

/** Copies one file, or takes the copy that is there. Undefined where the site has none and there is no copy. */
async function copyFile(
  file: NamedFile,
  { media, folder }: MediaCopyTask,
  watch: BackupWatch,
): Promise<Content | undefined> {
  const copy = join(folder, ...file.key.split('/'));
  if (await isCopyOf(copy, file)) return contentOf(copy, watch);
  const bytes = await media.read(file.key);
  if (bytes === undefined) return undefined;
  let content: Content;
  try {
    await rm(copy, { force: true });
    content = await writeNew(copy, bytes, watch);
  } finally {
    // Where nothing could be written, nobody has begun to read.
    bytes.destroy();
  }
  if (file.modifiedAt !== undefined) await utimes(copy, file.modifiedAt / 1000, file.modifiedAt / 1000);
  return content;
}

/** Removes what an interrupted run left and nobody has any more. */
async function removeOthers(folder: string, copied: ReadonlyMap<string, Content>): Promise<void> {
  for await (const { path } of walkFollowing(folder, { leaveOut: () => false }))
    if (!copied.has(path)) await rm(join(folder, path), { force: true });
}

/** Copies the files. May be repeated: what is there with the same size stays. */
export async function copyMedia(task: MediaCopyTask, watch: BackupWatch): Promise<MediaCopyResult> {
  const copied = new Map<string, Content>();
  const lost: string[] = [];
  let bytes = 0;
  const copy = async (file: NamedFile) => {
    watch.signal.throwIfAborted();
    const content = await copyFile(file, task, watch);
    if (content === undefined) return false;
    copied.set(file.key, content);
    bytes += content.size;
    watch.onProgress(copied.size, bytes);
    return true;
  };
  for await (const file of task.media.list()) await copy(file);
  for await (const file of task.named) {
    const size = copied.get(file.key)?.size;
    // A record that another program wrote may say anything.
    if (!isSafePath(`media/${file.key}`)) {
      lost.push(file.key);
      continue;
    }
    const isThere = size !== undefined && (file.size === undefined || file.size === size);
    if (!isThere && !(await copy(file))) lost.push(file.key);
  }
  await removeOthers(task.folder, copied);
  return { copied, lost };
}
