// Port to what a person writes into a workspace: specifications, code with policies, routes and recipes, each a text by its path.
// The adapters are `folder-workspace.ts` and `database-workspace.ts`. Types only.

/** What there is at a path. `unreadable`: something that has no bytes to give. */
export type WorkspaceContent =
  | { readonly state: 'absent' }
  | { readonly state: 'bytes'; readonly bytes: Uint8Array }
  | {
      readonly state: 'unreadable';
      /** `exhausted`: the system has no descriptors or memory left, and nothing is wrong with the file. */
      readonly reason: 'no-file' | 'too-long' | 'link' | 'failed' | 'exhausted';
      /** Of the operating system. */
      readonly code?: string;
    };

export interface WorkspaceReadOptions {
  /** A longer file is not read. */
  readonly maxBytes: number;
  /** False: a symbolic link is `unreadable`. */
  readonly followLinks: boolean;
}

export interface WorkspaceWatchOptions {
  /** Levels of subfolders to watch. */
  readonly depth: number;
  /** Files that must exist: one that was removed before it was ever seen is reported too. */
  readonly expected: () => Iterable<string>;
  /** Called when a file was added, changed or removed; perhaps also after a write of this object. */
  readonly onFile: (file: string) => void;
  readonly onError: (error: unknown) => void;
}

/** Where the texts are in a database, every method may reject with its StoreError. */
export interface WorkspaceFiles {
  /** The paths exactly `depth` folders below a folder, sorted. A missing folder holds none. */
  list(folder: string, depth: number): Promise<readonly string[]>;
  /** The paths of all files at most `levels` folders below a folder, in any order. */
  listAll(folder: string, levels: number): Promise<readonly string[]>;
  read(file: string, options: WorkspaceReadOptions): Promise<WorkspaceContent>;
  /** Whoever reads the file finds the old text or the new one, also after a crash. Throws WORKSPACE_UNAVAILABLE. */
  write(file: string, text: string): Promise<void>;
  /** A file that is not there is no error. Throws WORKSPACE_UNAVAILABLE. */
  remove(file: string): Promise<void>;
  /** Reports changes from when it resolves. Resolves with what ends the watch. */
  watch(folder: string, options: WorkspaceWatchOptions): Promise<() => Promise<void>>;
}

/** The folders of the parts of a workspace, as the adapter names them. */
export interface WorkspaceFolders {
  readonly collections: string;
  readonly endpoints: string;
  readonly hooks: string;
  readonly routes: string;
  readonly recipes: string;
}
