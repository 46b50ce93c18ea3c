// Watches a folder and, optionally, its subfolders for files that are added, changed or removed. Uses one watch per folder and compares
// snapshots, so that changes before a new folder is watched are found too.
import { type Dirent, type FSWatcher, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { mapConcurrent } from '../async/concurrency.ts';
import { isFileMissing, makeFolder } from './file-operations.ts';

// Debounce: a changed file is reported once it has stayed the same for this long.
const SETTLE_MS = 150;
// Polling interval while there is no watch: the folder was removed, or the system has no watch left.
const POLL_MS = 1000;
const MAX_CONCURRENT_STATS = 16;

interface WatchOptions {
  /** Levels of subfolders to watch. */
  readonly depth: number;
  /** Files that must exist: one that was removed before it was ever seen is reported too. */
  readonly expected?: () => Iterable<string>;
  /** Called when a file was added, changed or removed. */
  readonly onFile: (file: string) => void;
  readonly onError: (error: unknown) => void;
}

/** Changes whenever the file changes; `folder` for folders, undefined if there is nothing. */
async function markOf(path: string): Promise<string | 'folder' | undefined> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
  } catch {
    return undefined;
  }
}

/** Distinguishes a folder from a later one at the same path, which may reuse its inode number. */
async function identityOf(folder: string): Promise<string | undefined> {
  try {
    const { ino, birthtimeMs } = await stat(folder);
    return `${ino} ${birthtimeMs}`;
  } catch {
    return undefined;
  }
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isFileMissing(error)) return [];
    throw error;
  }
}

/** Reports changed files of a folder from when `start` resolves until `close` does. */
export class FolderWatcher {
  readonly #folder: string;
  readonly #options: WatchOptions;
  /** Files as last reported, or as first seen. */
  readonly #seen = new Map<string, string>();
  /** Files that have changed since, as of the last comparison. */
  readonly #changing = new Map<string, string>();
  readonly #folders = new Map<string, FolderWatcher>();
  #watcher: FSWatcher | undefined;
  /** Identity of the watched folder: another one may have taken its place. */
  #identity: string | undefined;
  #failed = false;
  /** True once the first snapshot is complete: everything else is a change. */
  #hasSnapshot = false;
  #timer: NodeJS.Timeout | undefined;
  #comparison: Promise<void> | undefined;
  #closed = false;

  constructor(folder: string, options: WatchOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Creates the folder if it is missing. Reports changes from when it resolves. */
  async start(): Promise<void> {
    await makeFolder(this.#folder);
    await this.#takeSnapshot();
  }

  /** Resolves when no change will be reported any more. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#watcher?.close();
    await Promise.all([...this.#folders.values()].map((inner) => inner.close()));
    await this.#comparison;
  }

  /** Takes the first snapshot. Changes meanwhile are compared after it. */
  #takeSnapshot(): Promise<void> {
    const taken = this.#open().then(async () => {
      for (const [path, mark] of await this.#marks()) this.#seen.set(path, mark);
      this.#hasSnapshot = true;
    });
    this.#comparison = taken.catch(() => {});
    return taken;
  }

  async #open(): Promise<void> {
    const identity = await identityOf(this.#folder);
    if (identity === this.#identity || this.#closed) return;
    this.#watcher?.close();
    this.#identity = undefined;
    // Subfolders moved away together with the former folder, and so did their watches.
    for (const inner of this.#folders.values()) inner.#schedule(SETTLE_MS);
    if (identity === undefined) return;
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, () => this.#schedule(SETTLE_MS));
      this.#watcher.on('error', (error) => this.#onWatchError(error));
      this.#identity = identity;
    } catch (error) {
      this.#onWatchError(error);
    }
  }

  /** Reports the first error, and looks again later. */
  #onWatchError(error: unknown): void {
    this.#watcher?.close();
    this.#identity = undefined;
    if (!isFileMissing(error) && !this.#failed) this.#options.onError(error);
    this.#failed = true;
    this.#schedule(POLL_MS);
  }

  #schedule(ms: number): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => this.#compareAgain(), ms).unref();
  }

  #compareAgain(): void {
    this.#timer = undefined;
    // A running comparison may have passed the file that just changed.
    const before = this.#comparison ?? Promise.resolve();
    this.#comparison = before.then(() => this.#compare()).catch((error) => this.#onWatchError(error));
  }

  /** The files with their marks. New folders are watched before they are read. */
  async #marks(): Promise<ReadonlyMap<string, string>> {
    const marks = new Map<string, string>();
    const folders = new Set<string>();
    await mapConcurrent(await entriesOf(this.#folder), MAX_CONCURRENT_STATS, async ({ name }) => {
      const path = join(this.#folder, name);
      const mark = await markOf(path);
      if (mark === 'folder') folders.add(path);
      else if (mark !== undefined) marks.set(path, mark);
    });
    if (this.#options.depth > 0) await this.#watchFolders(folders);
    return marks;
  }

  async #watchFolders(found: ReadonlySet<string>): Promise<void> {
    for (const [path, inner] of this.#folders) if (!found.has(path)) await this.#drop(path, inner);
    for (const path of found) {
      if (this.#closed || this.#folders.has(path)) continue;
      const inner = new FolderWatcher(path, { ...this.#options, depth: this.#options.depth - 1 });
      this.#folders.set(path, inner);
      if (this.#hasSnapshot) await inner.#startLate();
      else await inner.#takeSnapshot();
    }
  }

  /** Every file in a folder that was added later is a change. */
  async #startLate(): Promise<void> {
    this.#hasSnapshot = true;
    await this.#open();
    this.#schedule(SETTLE_MS);
  }

  async #drop(path: string, inner: FolderWatcher): Promise<void> {
    this.#folders.delete(path);
    await inner.close();
    for (const file of inner.#seen.keys()) this.#options.onFile(file);
  }

  async #compare(): Promise<void> {
    await this.#open();
    const marks = await this.#marks();
    if (this.#closed) return;
    for (const path of this.#changing.keys()) if (!marks.has(path)) this.#changing.delete(path);
    for (const path of new Set([...this.#seen.keys(), ...this.#expected()])) {
      if (!marks.has(path)) this.#report(path, undefined);
    }
    for (const [path, mark] of marks) {
      if (this.#seen.get(path) === mark) this.#changing.delete(path);
      else if (this.#changing.get(path) === mark) this.#report(path, mark);
      else this.#changing.set(path, mark);
    }
    if (this.#changing.size > 0) this.#schedule(SETTLE_MS);
    if (this.#identity === undefined) this.#schedule(POLL_MS);
  }

  /** Files expected in this folder, or in a missing subfolder. Existing subfolders have their own watcher. */
  #expected(): readonly string[] {
    return [...(this.#options.expected?.() ?? [])].filter((path) => {
      if (!path.startsWith(this.#folder + sep)) return false;
      const [first = '', ...rest] = relative(this.#folder, path).split(sep);
      return rest.length === 0 || !this.#folders.has(join(this.#folder, first));
    });
  }

  #report(path: string, mark: string | undefined): void {
    this.#changing.delete(path);
    if (mark === undefined) this.#seen.delete(path);
    else this.#seen.set(path, mark);
    this.#options.onFile(path);
  }
}
