// What one upload has in the staging folder: its bytes, under a name that says for which key, and until it is settled a
// symbolic link to the published file where that has another key. The published file is a hard link to the same bytes, which
// proves that it belongs to this upload.
import {
  link,
  lstat,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { errorCodeOf } from '../../errors/errors.ts';
import { isFileMissing, OWNER_ONLY_MODE } from '../../lib/files/file-operations.ts';
import { createUploadId } from '../media-keys.ts';
import { isNoFileError, type MediaFolder } from './media-folder.ts';

/** Tells a file from every other one that may come under its name: number and time of last change of the content. */
export type FileIdentity = string;

/** What a journal says. */
export interface DiskJournalEntry {
  readonly key: string;
  /** That of the published file, if it is the one of the upload. */
  readonly identity: FileIdentity | undefined;
}

/** Where a file is to be published. */
interface Target {
  readonly key: string;
  /** Absolute path of the key. */
  readonly file: string;
}

/** Epoch milliseconds of the beginning, then chance, then the first candidate's key in base64url unless that is too long. */
const ID = /^(\d{13})-[0-9a-f]{16}(?:-([\w-]+))?$/;
/** Leaves room for an ending in the 255 bytes of a name. */
const MAX_ID = 240;
/** The way from the staging folder to the media folder. */
const UP = '../';
/** File systems without links say one of these. */
const NO_LINKS: ReadonlySet<unknown> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EXDEV',
  'EMLINK',
]);

/** Id of an upload that is to have `key`, and names its files; the random part in hexadecimal. */
export function uploadId(now: number, random: string, key: string): string {
  const id = createUploadId(now, random);
  const named = `${id}-${Buffer.from(key).toString('base64url')}`;
  return named.length <= MAX_ID ? named : id;
}

/** The key that the id of an upload names; undefined when it names none. */
function keyIn(id: string): string | undefined {
  const encoded = ID.exec(id)?.[2];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64url').toString();
}

export const bytesPath = (folder: MediaFolder, id: string): string => join(folder.staging, `${id}.part`);
const linkPath = (folder: MediaFolder, id: string) => join(folder.staging, `${id}.link`);
/** Stands for both links where the file system has none. */
const journalPath = (folder: MediaFolder, id: string) => join(folder.staging, `${id}.json`);

const identityOf = ({ ino, mtimeNs }: { ino: bigint; mtimeNs: bigint }): FileIdentity => `${ino} ${mtimeNs}`;

/** The identity of a file; undefined when there is none. A symbolic link is not followed. */
export async function findFileIdentity(file: string): Promise<FileIdentity | undefined> {
  try {
    const found = await lstat(file, { bigint: true });
    return found.isFile() ? identityOf(found) : undefined;
  } catch (error) {
    if (isNoFileError(error)) return undefined;
    throw error;
  }
}

/** Removes a file. Returns false when there was none. */
export async function removeStoredFile(file: string): Promise<boolean> {
  try {
    await unlink(file);
    return true;
  } catch (error) {
    if (!isFileMissing(error)) throw error;
    return false;
  }
}

/** What the file of a journal says; undefined when there is none, or when the process ended while it was written. */
async function readFileJournal(folder: MediaFolder, id: string): Promise<DiskJournalEntry | undefined> {
  try {
    const entry: unknown = JSON.parse(await readFile(journalPath(folder, id), 'utf8'));
    if (typeof entry !== 'object' || entry === null || !('key' in entry) || !('identity' in entry))
      return undefined;
    const { key, identity } = entry;
    return typeof key === 'string' && typeof identity === 'string' ? { key, identity } : undefined;
  } catch (error) {
    // Nothing is published before its journal is complete.
    if (error instanceof SyntaxError || isFileMissing(error)) return undefined;
    throw error;
  }
}

/** What the journal of an upload says; undefined when it has none. */
export async function readJournal(folder: MediaFolder, id: string): Promise<DiskJournalEntry | undefined> {
  try {
    const key = (await readlink(linkPath(folder, id))).slice(UP.length);
    return { key, identity: await findFileIdentity(bytesPath(folder, id)) };
  } catch (error) {
    if (!isFileMissing(error) && errorCodeOf(error) !== 'EINVAL') throw error;
  }
  const key = keyIn(id);
  const identity = key === undefined ? undefined : await findFileIdentity(bytesPath(folder, id));
  if (key !== undefined && identity !== undefined) return { key, identity };
  return readFileJournal(folder, id);
}

/** Removes the bytes and the journal of an upload. */
export async function removeStaged(folder: MediaFolder, id: string): Promise<void> {
  const files = [bytesPath(folder, id), linkPath(folder, id), journalPath(folder, id)];
  await Promise.all(files.map(removeStoredFile));
}

/** Removes what a settled upload left; `key` is that of its file. */
export async function settleStaged(folder: MediaFolder, id: string, key: string | undefined): Promise<void> {
  // Under the key that its name says there is nothing but the bytes, unless these were moved.
  if (key !== undefined && key === keyIn(id) && (await removeStoredFile(bytesPath(folder, id)))) return;
  await removeStaged(folder, id);
}

/** Ids of all uploads that left something in the staging folder, with the time at which they began. */
export async function stagedUploads(folder: MediaFolder): Promise<ReadonlyMap<string, number>> {
  const uploads = new Map<string, number>();
  const names = await readdir(folder.staging).catch((error: unknown) => {
    if (isFileMissing(error)) return [];
    throw error;
  });
  for (const name of names) {
    const id = name.replace(/\.(part|link|json)$/, '');
    const begun = ID.exec(id)?.[1];
    if (begun !== undefined && id !== name) uploads.set(id, Number(begun));
  }
  return uploads;
}

/** Whether the bytes of an upload are still there. */
export async function isStaged(folder: MediaFolder, id: string): Promise<boolean> {
  return (await findFileIdentity(bytesPath(folder, id))) !== undefined;
}

/** Makes the symbolic link that says which key an upload is to have. */
async function makePointer(folder: MediaFolder, id: string, key: string): Promise<void> {
  const pointer = linkPath(folder, id);
  try {
    await symlink(UP + key, pointer);
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
    // That of the candidate before.
    await unlink(pointer);
    await symlink(UP + key, pointer);
  }
  await folder.flushName(pointer);
}

/** Publishes the bytes of an upload by a hard link, unless the name is taken. Returns false when it is. */
async function publishByLink(folder: MediaFolder, id: string, to: Target): Promise<boolean> {
  if (to.key !== keyIn(id)) await makePointer(folder, id, to.key);
  try {
    await link(bytesPath(folder, id), to.file);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The same on a file system without links: an empty file reserves the name, and the bytes are moved to it. */
export async function publishByMove(
  folder: MediaFolder,
  id: string,
  { key, file }: Target,
): Promise<boolean> {
  const staged = bytesPath(folder, id);
  const entry = JSON.stringify({ key, identity: await findFileIdentity(staged) });
  await removeStoredFile(linkPath(folder, id));
  await writeFile(journalPath(folder, id), entry, { mode: OWNER_ONLY_MODE, flush: folder.isFlushed });
  await folder.flushName(journalPath(folder, id));
  try {
    await (await open(file, 'wx', OWNER_ONLY_MODE)).close();
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    await rename(staged, file);
    return true;
  } catch (error) {
    await unlink(file);
    throw error;
  }
}

/** Gives the bytes of an upload their final name, unless that is taken. Returns false when it is. */
export async function publishStaged(folder: MediaFolder, id: string, to: Target): Promise<boolean> {
  try {
    return await publishByLink(folder, id, to);
  } catch (error) {
    if (!NO_LINKS.has(errorCodeOf(error))) throw error;
    return publishByMove(folder, id, to);
  }
}
