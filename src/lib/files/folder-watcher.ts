// Watches a folder, and perhaps the folders in it, for files that come, change and go. One watch a folder, whatever the number
// of files: what happened is found by comparing, so that nothing is missed that happens before a new folder is watched.
import { type Dirent, type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { mapConcurrent } from '../async/concurrency.ts';
import { isFileMissing } from './missing-file.ts';

// A file that an editor is still writing is named when it has kept its state for this long.
const SETTLE_MS = 150;
// How often is looked where nothing tells of changes: the folder went, or the machine has no watch left.
const LOST_MS = 1000;
const STATS_AT_ONCE = 16;

interface WatchOptions {
  /** Levels of folders below that are watched too. */
  readonly depth: number;
  /** Files that must be there: one that went before it was ever seen is named too. */
  readonly expected?: () => Iterable<string>;
  /** A file came, changed or went. */
  readonly onFile: (file: string) => void;
  readonly onError: (error: unknown) => void;
}

/** What tells two states of a file apart; undefined for what is no file. */
async function markOf(path: string): Promise<string | 'folder' | undefined> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
  } catch {
    return undefined;
  }
}

/** Tells a folder from another in its place, which often gets the number of the one that went. */
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

/** Names the files of a folder that come, change and go, from when `begin` resolves until `close` does. */
export class FolderWatcher {
  readonly #folder: string;
  readonly #options: WatchOptions;
  /** Files as they were last named, or as they were at first. */
  readonly #seen = new Map<string, string>();
  /** Files that changed since, as they were at the last look. */
  readonly #moving = new Map<string, string>();
  readonly #folders = new Map<string, FolderWatcher>();
  #watcher: FSWatcher | undefined;
  /** The folder that is watched: another one may have taken its place. */
  #identity: string | undefined;
  #failed = false;
  /** What was there at first is known: everything else is news. */
  #began = false;
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> | undefined;
  #closed = false;

  constructor(folder: string, options: WatchOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Makes the folder if it is missing. What is in it when this resolves is known; changes from then on are named. */
  async start(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await this.#learn();
  }

  /** Resolves when nothing more will be named. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#watcher?.close();
    await Promise.all([...this.#folders.values()].map((inner) => inner.close()));
    await this.#look;
  }

  /** Takes what is there for known. What changes meanwhile is compared after it, not beside it. */
  #learn(): Promise<void> {
    const learnt = this.#open().then(async () => {
      for (const [path, mark] of await this.#marks()) this.#seen.set(path, mark);
      this.#began = true;
    });
    this.#look = learnt.catch(() => {});
    return learnt;
  }

  async #open(): Promise<void> {
    const identity = await identityOf(this.#folder);
    if (identity === this.#identity || this.#closed) return;
    this.#watcher?.close();
    this.#identity = undefined;
    // Folders below have moved with the one that was here, and their watches with them.
    for (const inner of this.#folders.values()) inner.#soon(SETTLE_MS);
    if (identity === undefined) return;
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, () => this.#soon(SETTLE_MS));
      this.#watcher.on('error', (error) => this.#lose(error));
      this.#identity = identity;
    } catch (error) {
      this.#lose(error);
    }
  }

  #lose(error: unknown): void {
    this.#watcher?.close();
    this.#identity = undefined;
    if (!isFileMissing(error) && !this.#failed) this.#options.onError(error);
    this.#failed = true;
    this.#soon(LOST_MS);
  }

  #soon(ms: number): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => this.#lookAgain(), ms).unref();
  }

  #lookAgain(): void {
    this.#timer = undefined;
    // A look that is under way may have passed what just happened.
    const before = this.#look ?? Promise.resolve();
    this.#look = before.then(() => this.#compare()).catch((error) => this.#options.onError(error));
  }

  /** Files with their marks. New folders are watched before they are read. */
  async #marks(): Promise<ReadonlyMap<string, string>> {
    const marks = new Map<string, string>();
    const folders = new Set<string>();
    await mapConcurrent(await entriesOf(this.#folder), STATS_AT_ONCE, async ({ name }) => {
      const path = join(this.#folder, name);
      const mark = await markOf(path);
      if (mark === 'folder') folders.add(path);
      else if (mark !== undefined) marks.set(path, mark);
    });
    if (this.#options.depth > 0) await this.#watchFolders(folders);
    return marks;
  }

  async #watchFolders(found: ReadonlySet<string>): Promise<void> {
    for (const [path, inner] of this.#folders) if (!found.has(path)) await this.#forget(path, inner);
    for (const path of found) {
      if (this.#closed || this.#folders.has(path)) continue;
      const inner = new FolderWatcher(path, { ...this.#options, depth: this.#options.depth - 1 });
      this.#folders.set(path, inner);
      if (this.#began) await inner.#arrive();
      else await inner.#learn();
    }
  }

  /** Everything in a folder that was not there at first is news. */
  async #arrive(): Promise<void> {
    this.#began = true;
    await this.#open();
    this.#soon(SETTLE_MS);
  }

  async #forget(path: string, inner: FolderWatcher): Promise<void> {
    this.#folders.delete(path);
    await inner.close();
    for (const file of inner.#seen.keys()) this.#options.onFile(file);
  }

  async #compare(): Promise<void> {
    await this.#open();
    const marks = await this.#marks();
    if (this.#closed) return;
    for (const path of this.#moving.keys()) if (!marks.has(path)) this.#moving.delete(path);
    for (const path of new Set([...this.#seen.keys(), ...this.#expected()])) {
      if (!marks.has(path)) this.#name(path, undefined);
    }
    for (const [path, mark] of marks) {
      if (this.#seen.get(path) === mark) this.#moving.delete(path);
      else if (this.#moving.get(path) === mark) this.#name(path, mark);
      else this.#moving.set(path, mark);
    }
    if (this.#moving.size > 0) this.#soon(SETTLE_MS);
    if (this.#identity === undefined) this.#soon(LOST_MS);
  }

  /** Files that must be in this folder, or in one below that is not there. Those below are looked at by their own watch. */
  #expected(): readonly string[] {
    return [...(this.#options.expected?.() ?? [])].filter((path) => {
      if (!path.startsWith(this.#folder + sep)) return false;
      const [first = '', ...rest] = relative(this.#folder, path).split(sep);
      return rest.length === 0 || !this.#folders.has(join(this.#folder, first));
    });
  }

  #name(path: string, mark: string | undefined): void {
    this.#moving.delete(path);
    if (mark === undefined) this.#seen.delete(path);
    else this.#seen.set(path, mark);
    this.#options.onFile(path);
  }
}
