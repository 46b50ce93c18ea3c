// Reads files of a folder that strangers may have filled: regular files within bounds, by way of no link unless it is told to.
import { lstat, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { errorCodeOf } from '../../errors/errors.ts';
import { isWithin } from '../../lib/files/containment.ts';
import { readWholeFile, WholeFileError, type WholeFileIssue } from '../../lib/files/read-whole-file.ts';

/** Bytes of one file. */
export const MAX_FILE_BYTES = 1_048_576;

type SourceKind = 'file' | 'folder' | 'other';

/** The text of a file, or why there is none. */
type SourceText = { readonly text: string } | { readonly why: string };

export interface SourceFiles {
  /** What is at an absolute path; undefined where there is nothing that may be read. */
  kindOf(path: string): Promise<SourceKind | undefined>;
  /** Reads a file as UTF-8, without a byte order mark. Never rejects. */
  read(path: string, maxBytes?: number): Promise<SourceText>;
  /** The path that stands for a file, however it was reached. */
  identityOf(path: string): Promise<string>;
}

const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['ELOOP', 'it is a link'],
  ['EMLINK', 'it is a link'],
  ['ENOENT', 'it is not there'],
  ['ENOTDIR', 'it is not there'],
  ['EACCES', 'it may not be read'],
  ['EPERM', 'it may not be read'],
  ['ENXIO', 'it is not a file'],
  ['ENAMETOOLONG', 'its name is too long'],
]);

const CHANGED = 'it changed while it was read';

/** What keeps a file from being read as a whole, in words. */
function issueText(issue: WholeFileIssue, maxBytes: number): string {
  if (issue === 'special') return 'it is not a file';
  return issue === 'changed' ? CHANGED : `it has more than ${maxBytes} bytes`;
}

class UnreadableError extends Error {}

function kind(stats: { isFile(): boolean; isDirectory(): boolean }): SourceKind {
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : 'other';
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableError('it is not UTF-8');
  }
}

async function attempt(maxBytes: number, work: () => Promise<string>): Promise<SourceText> {
  try {
    return { text: await work() };
  } catch (error) {
    if (error instanceof WholeFileError) return { why: issueText(error.issue, maxBytes) };
    if (error instanceof UnreadableError) return { why: error.message };
    const code = errorCodeOf(error);
    if (code === undefined) throw error;
    return { why: REASONS.get(code) ?? `it cannot be read (${String(code)})` };
  }
}

/** Opens the files at and below `root`, an absolute path without links. No link is followed, on the way or at its end. */
export function openContainedFiles(root: string): SourceFiles {
  /** Whether each folder on the way is a folder of its own, and no link. */
  const isOwn = async (path: string): Promise<boolean> => {
    if (!isWithin(root, path)) return false;
    const parts = relative(root, path).split(sep);
    for (let count = 1; count < parts.length; count += 1) {
      const stats = await lstat(join(root, ...parts.slice(0, count))).catch(() => undefined);
      if (stats?.isDirectory() !== true) return false;
    }
    return true;
  };
  return {
    async kindOf(path) {
      if (!(await isOwn(path))) return undefined;
      const stats = await lstat(path).catch(() => undefined);
      return stats === undefined ? undefined : kind(stats);
    },
    read: (path, maxBytes = MAX_FILE_BYTES) =>
      attempt(maxBytes, async () => {
        if (!(await isOwn(path))) throw new UnreadableError('it is behind a link, or not there');
        const bytes = await readWholeFile(path, { maxBytes, followsLink: false });
        // A folder on the way may have become a link meanwhile.
        if ((await realpath(path)) !== path) throw new UnreadableError(CHANGED);
        return decode(bytes);
      }),
    identityOf: async (path) => path,
  };
}

/** Opens the files of the machine, as a person's own tools read them: links are followed. */
export function openLinkedFiles(): SourceFiles {
  return {
    async kindOf(path) {
      const stats = await stat(path).catch(() => undefined);
      return stats === undefined ? undefined : kind(stats);
    },
    read: (path, maxBytes = MAX_FILE_BYTES) =>
      attempt(maxBytes, async () => decode(await readWholeFile(path, { maxBytes, followsLink: true }))),
    identityOf: (path) => realpath(path).catch(() => path),
  };
}
