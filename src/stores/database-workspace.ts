// A workspace in a database that several servers share: one document for each text, under the path that it would have as a file.
import { sep } from 'node:path';
import { AppError, isLostRace, StoreError } from '../errors/errors.ts';
import { jitteredBackOff, retry } from '../lib/async/retry.ts';
import { sha256Hex } from '../lib/sha256.ts';
import { type Filter, filterById, MATCH_ALL } from './filter.ts';
import type { DocumentStore, Namespace, StoredDocument, Write } from './ports.ts';
import type {
  WorkspaceContent,
  WorkspaceFiles,
  WorkspaceFolders,
  WorkspaceWatchOptions,
} from './workspace-files.ts';
import { isAtDepth, isWithinLevels } from './workspace-paths.ts';

// Not reachable over HTTP.
const NAMESPACE: Namespace = { database: null, collection: 'cloister.workspace' };
const EVERY_DOCUMENT = Number.MAX_SAFE_INTEGER;
const BACK_OFF = { firstMs: 5, maxMs: 100 };
/** Of one text: MongoDB stores documents of at most 16 MiB. */
export const MAX_WORKSPACE_TEXT_BYTES = 8_388_608;

/** The same in every database, whatever the settings say of the folders of files. */
export const DATABASE_FOLDERS: WorkspaceFolders = {
  collections: 'collections',
  endpoints: 'endpoints',
  hooks: 'hooks',
  routes: 'routes',
  recipes: 'recipes',
};

/** A text as a list shows it. */
interface WorkspaceEntry {
  readonly path: string;
  /** SHA-256 of the text. */
  readonly hash: string;
  /** Number of its writes. */
  readonly v: number;
}

/** A text that replaces what is at its path; without a text, that is removed. */
interface WorkspaceChange {
  readonly path: string;
  readonly text: string | undefined;
}

export interface DatabaseWorkspace extends WorkspaceFiles {
  /** All texts, sorted by path. */
  entries(): Promise<readonly WorkspaceEntry[]>;
  /**
   * Makes all changes, or none. `entries` are those that the changes were computed from: rejects with a `conflict` where
   * somebody has changed one of them since.
   */
  replace(changes: readonly WorkspaceChange[], entries: readonly WorkspaceEntry[]): Promise<void>;
  /** Reports to those who watch what has changed. Rejects with the store's StoreError: to be called again. */
  refresh(): Promise<void>;
}

interface DatabaseWorkspaceDeps {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
}

const idOf = (path: string) => sha256Hex(path).slice(0, 24);
/** In every database, paths are written as on Linux. */
const stored = (path: string) => path.split(sep).join('/');

function documentOf(path: string, text: string, v: number): StoredDocument {
  return { _id: idOf(path), v, path, hash: sha256Hex(text), text };
}

/** The write that brings a text about, or its absence; undefined where that is so already. */
function writeOf({ path, text }: WorkspaceChange, v: number | undefined): Write | undefined {
  const id = idOf(path);
  if (text === undefined) return v === undefined ? undefined : { kind: 'remove', ns: NAMESPACE, id, v };
  const document = documentOf(path, text, (v ?? 0) + 1);
  if (v === undefined) return { kind: 'insert', ns: NAMESPACE, document };
  return { kind: 'update', ns: NAMESPACE, id, v, document, changed: ['v', 'hash', 'text'] };
}

function assertSize({ path, text = '' }: WorkspaceChange): void {
  if (Buffer.byteLength(text) <= MAX_WORKSPACE_TEXT_BYTES) return;
  const message = `${path} has more than ${MAX_WORKSPACE_TEXT_BYTES} bytes`;
  throw new AppError('PAYLOAD_TOO_LARGE', { message });
}

/** Marks of texts by their paths: another one whenever the text is another. */
type Marks = ReadonlyMap<string, string>;

interface MarkWatch extends Omit<WorkspaceWatchOptions, 'depth'> {
  readonly isMeant: (path: string) => boolean;
}

/** Notices which texts others have changed: compares a mark of each with the one that was seen last. */
class WorkspaceMarks {
  readonly #load: () => Promise<Marks>;
  readonly #watches = new Set<MarkWatch>();
  /** Undefined until all have been read once: then everything may have changed. */
  #seen: Map<string, string> | undefined;

  constructor(load: () => Promise<Marks>) {
    this.#load = load;
  }

  /** A text that this process has written, or removed: nobody has to be told. */
  set(path: string, mark: string | undefined): void {
    if (mark === undefined) this.#seen?.delete(path);
    else this.#seen?.set(path, mark);
  }

  /** Reports changes from when it resolves, which needs no database: what was before is reported where nobody has seen it. */
  async watch(watch: MarkWatch): Promise<() => Promise<void>> {
    this.#watches.add(watch);
    try {
      this.#seen ??= new Map(await this.#load());
    } catch {
      // The first comparison reports everything.
    }
    return async () => {
      this.#watches.delete(watch);
    };
  }

  /** Looks at all texts, and reports those that have changed. Rejects as the load does. */
  async compare(): Promise<void> {
    if (this.#watches.size === 0) return;
    const marks = await this.#load();
    const before = this.#seen ?? new Map<string, string>();
    this.#seen = new Map(marks);
    const paths = new Set([...before.keys(), ...marks.keys()]);
    for (const watch of this.#watches) {
      const isExpected = new Set(watch.expected());
      for (const path of new Set([...paths, ...isExpected])) {
        const isLost = isExpected.has(path) && !marks.has(path);
        const isChanged = before.get(path) !== marks.get(path) || isLost;
        if (isChanged && watch.isMeant(path)) watch.onFile(path);
      }
    }
  }
}

/** Opens the workspace of a database. Nothing is read yet. */
export function createDatabaseWorkspace({ store, now, queryMs }: DatabaseWorkspaceDeps): DatabaseWorkspace {
  const timely = () => ({ deadline: now() + queryMs });
  const find = (filter: Filter, include: readonly string[]) => {
    const query = { filter, sort: [], skip: 0, limit: EVERY_DOCUMENT, projection: { include } };
    return store.find(NAMESPACE, query, timely());
  };
  const entries = async (): Promise<readonly WorkspaceEntry[]> => {
    const documents = await find(MATCH_ALL, ['path', 'hash', 'v']);
    return documents
      .map(({ path, hash, v }) => ({ path: String(path), hash: String(hash), v: Number(v) }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  };
  const paths = async (isMeant: (path: string) => boolean) =>
    (await entries()).map(({ path }) => path).filter(isMeant);
  const marks = new WorkspaceMarks(
    async () => new Map((await entries()).map(({ path, hash }) => [path, hash])),
  );

  /** Writes whatever is there: callers see to it that nobody else changes the same text meanwhile. */
  const put = async (change: WorkspaceChange): Promise<void> => {
    assertSize(change);
    const { deadline } = timely();
    const attempt = async () => {
      const [found] = await find(filterById(idOf(change.path)), ['v']);
      const write = writeOf(change, found === undefined ? undefined : Number(found['v']));
      if (write !== undefined) await store.commit([write], { deadline });
    };
    await retry(attempt, {
      shouldRetry: (error) => isLostRace(error) && now() < deadline,
      delayMs: (n) => jitteredBackOff(n, BACK_OFF),
    });
    marks.set(change.path, change.text === undefined ? undefined : sha256Hex(change.text));
  };

  return {
    entries,
    list: (folder, depth) => paths(isAtDepth(stored(folder), depth)),
    listAll: (folder, levels) => paths(isWithinLevels(stored(folder), levels)),
    async read(file, { maxBytes }): Promise<WorkspaceContent> {
      const [found] = await find(filterById(idOf(stored(file))), ['text']);
      if (found === undefined) return { state: 'absent' };
      const { text } = found;
      if (typeof text !== 'string') return { state: 'unreadable', reason: 'no-file' };
      const bytes = Buffer.from(text);
      return bytes.length > maxBytes
        ? { state: 'unreadable', reason: 'too-long' }
        : { state: 'bytes', bytes };
    },
    write: (file, text) => put({ path: stored(file), text }),
    remove: (file) => put({ path: stored(file), text: undefined }),
    watch: (folder, options) =>
      marks.watch({ ...options, isMeant: isWithinLevels(stored(folder), options.depth) }),
    refresh: () => marks.compare(),
    async replace(changes, known) {
      const versions = new Map(known.map(({ path, v }) => [path, v]));
      changes.forEach(assertSize);
      const writes = changes.flatMap((change) => writeOf(change, versions.get(change.path)) ?? []);
      if (writes.length === 0) return;
      try {
        await store.commit(writes, timely());
      } catch (error) {
        // An insert meets what somebody has added meanwhile.
        if (isLostRace(error)) throw new StoreError('conflict', { cause: error });
        throw error;
      }
    },
  };
}
