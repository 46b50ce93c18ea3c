// A built page in memory: every file is read once and found by its exact name, so that no path leads anywhere else.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { BINARY_TYPE } from '../../lib/http/media-types.ts';

/** Bounds of what is kept: a build has some fifty files and three megabytes. */
const MAX_FILES = 500;
const MAX_BYTES = 20_000_000;
/** Name of the page. */
export const PAGE = 'index.html';
/** Prefix of the files whose names change with their content. */
export const HASHED = 'assets/';
/** Shorter files gain nothing. */
const MIN_GZIP_BYTES = 1024;

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.json', 'application/json'],
  ['.md', 'text/markdown; charset=utf-8'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.woff2', 'font/woff2'],
]);
/** What is compressed already. */
const COMPRESSED: ReadonlySet<string> = new Set(['.woff2']);

export interface BuiltFile {
  readonly body: Buffer;
  /** The same compressed; undefined where that gains nothing. */
  readonly gzip: Buffer | undefined;
  readonly type: string;
  /** Hash of the content. */
  readonly hash: string;
}

/** By path below the folder, with slashes: `assets/index-4f2a.js`. */
export type BuiltFiles = ReadonlyMap<string, BuiltFile>;

const compress = promisify(gzip);

async function readBuiltFile(path: string): Promise<BuiltFile> {
  const body = await readFile(path);
  const extension = extname(path);
  const isWorth = body.length >= MIN_GZIP_BYTES && !COMPRESSED.has(extension);
  return {
    body,
    gzip: isWorth ? await compress(body) : undefined,
    type: TYPES.get(extension) ?? BINARY_TYPE,
    hash: createHash('sha256').update(body).digest('base64url').slice(0, 22),
  };
}

/** Reads every file below the folder. Undefined where there is no page; rejects with what the system says of any other failure. */
export async function readBuiltFiles(folder: string): Promise<BuiltFiles | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  if (paths.length > MAX_FILES) throw new Error(`more than ${MAX_FILES} files are in ${folder}`);
  const files = new Map<string, BuiltFile>();
  let bytes = 0;
  for (const path of paths) {
    const file = await readBuiltFile(path);
    bytes += file.body.length;
    if (bytes > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes are in ${folder}`);
    files.set(relative(folder, path).split(sep).join('/'), file);
  }
  return files.has(PAGE) ? files : undefined;
}
