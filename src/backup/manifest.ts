// The manifest of a backup: one line of JSON about the backup, one for each file with its size and checksum, and one at the end.
// What it says is taken from nobody but a file whose last line has the checksum of all others.
import { constants as bufferLimits } from 'node:buffer';
import { createHash } from 'node:crypto';
import { AppError } from '../errors/errors.ts';
import { isFileMissing } from '../lib/files/file-operations.ts';
import { openForReading } from '../lib/files/read-whole-file.ts';

export const MANIFEST_FILE = 'manifest.jsonl';
/** Its name until it is whole. */
export const MANIFEST_DRAFT = `${MANIFEST_FILE}.new`;

/** The folders of a backup. */
export const AREAS = ['workspace', 'database', 'audit', 'media', 'other'] as const;
export type Area = (typeof AREAS)[number];

export interface BackupFile {
  /** Below the backup: an area, then names, separated by `/`. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface BackupHeader {
  readonly format: 'cloister-backup';
  readonly version: 1;
  /** The version of the server. */
  readonly cloister: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly engine: string;
  /** The setting `database.enableCollectionDatabases`. */
  readonly separateDatabases: boolean;
}

export interface Manifest {
  readonly header: BackupHeader;
  readonly files: readonly BackupFile[];
}

/** What fits into one text. */
const MAX_MANIFEST_BYTES = bufferLimits.MAX_STRING_LENGTH;
const MAX_PATH_BYTES = 4096;
const SHA256 = /^[0-9a-f]{64}$/;
/** Control characters, and what some systems take for a separator. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\u0000-\u001f\u007f\\]/;

/** The error of a backup that cannot be used. */
export function backupError(message: string, cause?: unknown): AppError {
  return new AppError('CONFIGURATION_INVALID', { message, cause });
}

/** True for a path that stays inside of its area on every system. */
export function isSafePath(path: string): boolean {
  if (FORBIDDEN.test(path) || !path.isWellFormed() || Buffer.byteLength(path) > MAX_PATH_BYTES) return false;
  const [area = '', ...names] = path.split('/');
  const isName = (name: string) => name !== '' && name !== '.' && name !== '..';
  return AREAS.some((known) => known === area) && names.length > 0 && names.every(isName);
}

/** The area that a path begins with, and the rest of it. */
export function splitPath(path: string): { readonly area: Area; readonly rest: string } {
  const slash = path.indexOf('/');
  const area = AREAS.find((known) => known === path.slice(0, slash));
  if (area === undefined) throw backupError(`${path}: no such place in a backup`);
  return { area, rest: path.slice(slash + 1) };
}

/** The whole text, files in the order of their paths. */
export function formatManifest({ header, files }: Manifest): string {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const lines = [header, ...sorted].map((line) => `${JSON.stringify(line)}\n`).join('');
  const sha256 = createHash('sha256').update(lines).digest('hex');
  return `${lines}${JSON.stringify({ files: files.length, sha256 })}\n`;
}

/** Tells a backup from all others. */
export const manifestId = (manifest: Manifest): string =>
  createHash('sha256').update(formatManifest(manifest)).digest('hex');

function readHeader(value: unknown): BackupHeader {
  const header = (value ?? {}) as Partial<BackupHeader>;
  if (header.format !== 'cloister-backup') throw backupError('the manifest is not one of a backup');
  if (header.version !== 1)
    throw backupError('the backup was made by a newer version, which is needed to restore it');
  const { createdAt, engine, separateDatabases } = header;
  const isWhole = typeof createdAt === 'string' && typeof engine === 'string';
  if (!isWhole || typeof separateDatabases !== 'boolean') throw backupError('the manifest is incomplete');
  return header as BackupHeader;
}

function readFileLine(value: unknown): BackupFile {
  const { path, size, sha256 } = (value ?? {}) as Partial<BackupFile>;
  if (typeof path !== 'string' || typeof size !== 'number' || typeof sha256 !== 'string')
    throw backupError('the manifest has a line that describes no file');
  if (!isSafePath(path)) throw backupError(`the manifest names a path that a backup cannot have: ${path}`);
  if (!Number.isSafeInteger(size) || size < 0 || !SHA256.test(sha256))
    throw backupError(`${path}: the manifest has no valid size or checksum`);
  return { path, size, sha256 };
}

/** Two files of which one would have to be a folder, or the same file. */
function conflictIn(files: readonly BackupFile[]): string | undefined {
  const paths = new Set(files.map(({ path }) => path));
  if (paths.size < files.length) return 'the manifest names a file twice';
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      if (paths.has(path.slice(0, end))) return `${path}: the manifest has a file where its folder would be`;
  }
  return undefined;
}

/** Parses a whole manifest. Throws CONFIGURATION_INVALID for one that was changed or cut. */
export function parseManifest(text: string): Manifest {
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  const [lines, last] = [text.slice(0, end), text.slice(end)];
  try {
    const { sha256 } = JSON.parse(last) as { sha256: unknown };
    if (sha256 !== createHash('sha256').update(lines).digest('hex'))
      throw backupError('the manifest was changed or cut');
    const [header, ...files] = lines
      .split('\n')
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line));
    const manifest = { header: readHeader(header), files: files.map(readFileLine) };
    const conflict = conflictIn(manifest.files);
    if (conflict !== undefined) throw backupError(conflict);
    return manifest;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw backupError('the manifest was changed or cut', error);
  }
}

/** Opens a regular file for reading: no link, no device, no pipe that would wait for a writer. */
export async function openRegular(file: string) {
  const handle = await openForReading(file, false);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw backupError(`${file} is not a file`);
    return { handle, size: stats.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads the manifest of the backup in `folder`. Throws CONFIGURATION_INVALID where there is none that can be used. */
export async function readManifest(folder: string): Promise<Manifest> {
  const opened = await openRegular(`${folder}/${MANIFEST_FILE}`).catch((error: unknown) => {
    if (!isFileMissing(error)) throw error;
    throw backupError(`${folder} holds no complete backup: it has no ${MANIFEST_FILE}`);
  });
  try {
    if (opened.size > MAX_MANIFEST_BYTES)
      throw backupError(`the manifest has more than ${MAX_MANIFEST_BYTES} bytes`);
    return parseManifest(await opened.handle.readFile('utf8'));
  } finally {
    await opened.handle.close();
  }
}
