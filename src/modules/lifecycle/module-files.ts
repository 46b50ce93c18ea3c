// Module files, as texts of a workspace: `<endpoints>/<version>/endpoint.<name>.js` and `<hooks>/<name>.js`, each with its policy beside it.
import { dirname, join } from 'node:path';
import { sha256Hex } from '../../lib/sha256.ts';
import type { WorkspaceContent, WorkspaceFiles, WorkspaceFolders } from '../../stores/workspace-files.ts';
import { isModuleAddress, type ModuleAddress, type ModuleFilePart } from '../model/module-types.ts';

const ENDPOINT_FILE = /^endpoint\.(?<name>.+?)\.(?<ending>policy\.json|js)$/;
const HOOK_FILE = /^(?<name>.+?)\.(?<ending>policy\.json|js)$/;

/** Bytes of a UTF-8 byte order mark, which editors add: not counted. */
const MARK_BYTES = 3;

export type ModuleFolders = Pick<WorkspaceFolders, 'endpoints' | 'hooks'>;

/** The text of a file. `unreadable`: something of that name exists, but has no text. */
export type FileText =
  | { readonly state: 'absent' }
  | { readonly state: 'text'; readonly text: string }
  | {
      readonly state: 'unreadable';
      readonly why: string;
      /** It may be readable in a moment. */
      readonly isBusy?: boolean;
    };

export interface ModuleFile {
  readonly address: ModuleAddress;
  readonly part: ModuleFilePart;
  readonly file: string;
}

export interface ModuleFiles {
  /** All of them, sorted by path. Missing folders hold none. */
  list(): Promise<readonly ModuleFile[]>;
  /** Reads a file and remembers its text as known. */
  read(address: ModuleAddress, part: ModuleFilePart): Promise<FileText>;
  /** Writes atomically. Throws WORKSPACE_UNAVAILABLE. */
  write(address: ModuleAddress, part: ModuleFilePart, text: string): Promise<void>;
  /** A file that is not there is no error. Throws WORKSPACE_UNAVAILABLE. */
  remove(address: ModuleAddress, part: ModuleFilePart): Promise<void>;
  /** Its text, where something else than this object changed it; else undefined. Must not run beside a write. */
  readIfChanged(address: ModuleAddress, part: ModuleFilePart): Promise<FileText | undefined>;
  /** Another process of this server wrote this text, or removed the file: `readIfChanged` returns what differs from that. */
  expect(address: ModuleAddress, part: ModuleFilePart, text: string | undefined): void;
  /** Makes the next `readIfChanged` return the text: the last change could not be applied. */
  invalidate(address: ModuleAddress, part: ModuleFilePart): void;
  fileOf(address: ModuleAddress, part: ModuleFilePart): string;
  /** Reports every file that changes from when this resolves. Resolves with the function that stops the watch. */
  watch(
    listener: (file: ModuleFile) => void,
    onError: (error: unknown) => void,
  ): Promise<() => Promise<void>>;
}

function textOf(content: WorkspaceContent, maxBytes: number): FileText {
  if (content.state === 'absent') return content;
  if (content.state === 'unreadable') {
    const { reason, code } = content;
    if (reason === 'too-long') return { state: 'unreadable', why: `it has more than ${maxBytes} bytes` };
    const why = reason === 'no-file' ? 'it is not a file' : String(code);
    return { state: 'unreadable', why, isBusy: reason === 'exhausted' };
  }
  try {
    return { state: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(content.bytes) };
  } catch {
    return { state: 'unreadable', why: 'it is not UTF-8' };
  }
}

function partOf(ending: string | undefined): ModuleFilePart {
  return ending === 'js' ? 'code' : 'policy';
}

/** What a file of a module is part of; undefined for any other file. */
export function parseModulePath(folders: ModuleFolders, path: string): ModuleFile | undefined {
  const folder = dirname(path);
  const base = path.slice(folder.length + 1);
  const inHooks = folder === folders.hooks;
  const apiVersion = dirname(folder) === folders.endpoints ? folder.slice(folders.endpoints.length + 1) : '';
  const parts = (inHooks ? HOOK_FILE : ENDPOINT_FILE).exec(base)?.groups;
  if (parts === undefined) return undefined;
  const { name = '', ending } = parts;
  const address: ModuleAddress = inHooks ? { kind: 'hook', name } : { kind: 'endpoint', apiVersion, name };
  return isModuleAddress(address) ? { address, part: partOf(ending), file: path } : undefined;
}

interface ModuleFilesOptions {
  readonly workspace: WorkspaceFiles;
  readonly folders: ModuleFolders;
  /** Bytes of one file, a byte order mark aside; a larger one is not read. */
  readonly maxBytes: number;
}

/** Opens the two folders, which need not exist yet. */
export function createModuleFiles({ workspace, folders, maxBytes }: ModuleFilesOptions): ModuleFiles {
  // Hash of the known text of each file, so that the server's own writes are not taken for edits.
  const known = new Map<string, string>();
  const read = async (file: string) => {
    const options = { maxBytes: maxBytes + MARK_BYTES, followLinks: true };
    return textOf(await workspace.read(file, options), maxBytes);
  };
  const hashOf = (text: FileText) =>
    text.state === 'text' ? sha256Hex(text.text) : text.state === 'absent' ? undefined : text.why;
  const remember = (file: string, hash: string | undefined) => {
    if (hash === undefined) known.delete(file);
    else known.set(file, hash);
  };
  const fileOf = (address: ModuleAddress, part: ModuleFilePart) => {
    const ending = part === 'code' ? 'js' : 'policy.json';
    return address.kind === 'hook'
      ? join(folders.hooks, `${address.name}.${ending}`)
      : join(folders.endpoints, address.apiVersion, `endpoint.${address.name}.${ending}`);
  };

  return {
    fileOf,
    async list() {
      const paths = [
        ...(await workspace.list(folders.hooks, 0)),
        ...(await workspace.list(folders.endpoints, 1)),
      ];
      return paths.flatMap((path) => parseModulePath(folders, path) ?? []);
    },
    async read(address, part) {
      const file = fileOf(address, part);
      const text = await read(file);
      remember(file, hashOf(text));
      return text;
    },
    async write(address, part, text) {
      const file = fileOf(address, part);
      const before = known.get(file);
      known.set(file, sha256Hex(text));
      try {
        await workspace.write(file, text);
      } catch (error) {
        remember(file, before);
        throw error;
      }
    },
    async remove(address, part) {
      const file = fileOf(address, part);
      await workspace.remove(file);
      known.delete(file);
    },
    async readIfChanged(address, part) {
      const file = fileOf(address, part);
      const text = await read(file);
      const hash = hashOf(text);
      if (hash === known.get(file)) return undefined;
      remember(file, hash);
      return text;
    },
    expect(address, part, text) {
      remember(fileOf(address, part), text === undefined ? undefined : sha256Hex(text));
    },
    invalidate(address, part) {
      // Neither a text nor its absence has this mark.
      known.set(fileOf(address, part), '');
    },
    async watch(listener, onError) {
      const onFile = (path: string) => {
        const file = parseModulePath(folders, path);
        if (file !== undefined) listener(file);
      };
      const options = { onFile, onError, expected: () => known.keys() };
      const ends: (() => Promise<void>)[] = [];
      const end = async () => {
        await Promise.all(ends.map((endOne) => endOne()));
      };
      try {
        ends.push(await workspace.watch(folders.endpoints, { depth: 1, ...options }));
        ends.push(await workspace.watch(folders.hooks, { depth: 0, ...options }));
        return end;
      } catch (error) {
        await end();
        throw error;
      }
    },
  };
}
