// Copies the data file while servers and commands use it: one snapshot, whatever is written meanwhile, and a check of its pages.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { backup } from 'node:sqlite';
import { StoreError } from '../../../errors/errors.ts';
import { openConnection } from './connection.ts';
import { DATA_FILE, ensurePrivateFile } from './data-folder.ts';

const BUSY_TIMEOUT_MS = 5000;
const CACHE_SIZE_KB = 2000;
/** Pages of a step, between which the process does other things. */
const STEP_PAGES = 500;

interface CopyOptions {
  /** The folders of the data file and of its copy. */
  readonly path: string;
  readonly target: string;
  /** Stops between two steps. */
  readonly signal: AbortSignal;
  /** Bytes that are copied, and of how many. */
  readonly onProgress: (done: number, total: number) => void;
}

function assertSound(file: string): void {
  const connection = openConnection({
    file,
    readOnly: true,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    cacheSizeKb: CACHE_SIZE_KB,
  });
  try {
    const [first] = connection.statement('pragma quick_check(1)').all() as unknown as [string][];
    if (first?.[0] !== 'ok')
      throw new StoreError('unavailable', { cause: new Error(`the data file is damaged: ${first?.[0]}`) });
  } finally {
    connection.close();
  }
}

/**
 * Copies the data file into the folder `target`, where no file of its name is. Returns false where there is none. Rejects with
 * `unavailable` if it cannot be read or is damaged, and with the reason of the signal.
 */
export async function copyDataFile({ path, target, signal, onProgress }: CopyOptions): Promise<boolean> {
  const file = join(path, DATA_FILE);
  if (!existsSync(file)) return false;
  const copy = join(target, DATA_FILE);
  try {
    const source = openConnection({
      file,
      readOnly: true,
      busyTimeoutMs: BUSY_TIMEOUT_MS,
      cacheSizeKb: CACHE_SIZE_KB,
    });
    try {
      // A read transaction holds the snapshot: without it each commit of a server would start the copy again.
      source.db.exec('begin');
      source.statement('select count(*) from sqlite_schema').get();
      const [bytes] = source.statement('pragma page_size').get() as unknown as [number];
      ensurePrivateFile(copy);
      await backup(source.db, copy, {
        rate: STEP_PAGES,
        progress: ({ totalPages, remainingPages }) => {
          signal.throwIfAborted();
          onProgress((totalPages - remainingPages) * bytes, totalPages * bytes);
        },
      });
      signal.throwIfAborted();
    } finally {
      source.close();
    }
    assertSound(copy);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StoreError) throw error;
    // Whoever reads "disk is full" looks at the wrong disk unless the copy is named.
    const explanation = `${file} cannot be copied to ${copy}: ${error instanceof Error ? error.message : error}`;
    throw new StoreError('unavailable', { cause: error, explanation });
  }
  return true;
}
