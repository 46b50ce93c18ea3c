// Collection specifications as texts of a workspace: `<root>/<version>/<database>/collection.<name>.json`.
import { join, relative, sep } from 'node:path';
import { AppError, StoreError } from '../../errors/errors.ts';
import { findInexactInteger } from '../../lib/json/inexact-integers.ts';
import { findJsonIssue, isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { describeSyntaxError, parseJsonText } from '../../lib/json/json-syntax.ts';
import type { WorkspaceFiles } from '../../stores/workspace-files.ts';
import type { CollectionAddress } from '../model/collection.ts';

const FILE_NAME = /^collection\.(?<name>.+)\.json$/;
/** Bytes of one file: more than any that is posted has. */
const MAX_BYTES = 134_217_728;
/** Levels of folders below the root: versions, and databases in them. */
const FOLDER_DEPTH = 2;

export interface SpecificationFile {
  readonly address: CollectionAddress;
  readonly file: string;
  /** Undefined when there is something of that name which cannot be read. */
  readonly text: string | undefined;
}

/** A file that was changed by someone else; without `text` it is gone. */
export interface SpecificationFileChange {
  readonly address: CollectionAddress;
  readonly file: string;
  readonly text: string | undefined;
  /** What was known to be in it; empty after `forget`. */
  readonly before: string | undefined;
}

export interface SpecificationFiles {
  /** All of them, sorted by path. A missing root holds none. */
  readAll(): Promise<readonly SpecificationFile[]>;
  /** Writes atomically: whoever reads the file finds the old specification or the new one. */
  write(address: CollectionAddress, source: JsonObject): Promise<void>;
  remove(address: CollectionAddress): Promise<void>;
  /** The files that are there, and those that were known to be. */
  list(): Promise<readonly string[]>;
  /** The collection whose specification a file is; undefined for any other file. */
  addressOf(file: string): CollectionAddress | undefined;
  /**
   * What became of a file that the watch named, as it is now; undefined when nobody but this object changed it.
   * Must not run beside `write` or `remove` of the same file: text read before a write of ours would pass for a later edit.
   */
  readChange(file: string): Promise<SpecificationFileChange | undefined>;
  /** Lets the next `readChange` of this file find a change: the last one came to nothing. */
  expectChange(file: string): void;
  /** Names every file below the root that may have changed. Returns what ends the watch. */
  watch(listener: (file: string) => void, onError: (error: unknown) => void): Promise<() => Promise<void>>;
}

/** Files of later versions of the older servers may have no `settings`. A specification that is posted has to have them. */
function withSettings(source: Json): Json {
  return isJsonObject(source) && source['settings'] === undefined ? { ...source, settings: {} } : source;
}

/** Parses the text of a specification file. Throws SPECIFICATION_INVALID when it is no JSON that could be posted. */
export function parseSpecificationText(text: string | undefined): Json {
  if (text === undefined) throw new AppError('SPECIFICATION_INVALID', { message: 'The file cannot be read' });
  const parsed = parseJsonText(text);
  if ('error' in parsed) {
    throw new AppError('SPECIFICATION_INVALID', { message: `The file ${describeSyntaxError(parsed.error)}` });
  }
  const source = parsed.value;
  const issue = findJsonIssue(source, () => findInexactInteger(text));
  if (issue === undefined) return withSettings(source);
  const { path: field, message } = issue;
  throw new AppError('SPECIFICATION_INVALID', { field, message });
}

/** Undefined where there is none. Throws SPECIFICATION_INVALID where there is something that cannot be read. */
async function readIfExists(workspace: WorkspaceFiles, file: string): Promise<string | undefined> {
  const content = await workspace.read(file, { maxBytes: MAX_BYTES, followLinks: true });
  if (content.state === 'absent') return undefined;
  // A byte order mark, which editors add, is left out.
  if (content.state === 'bytes') return new TextDecoder().decode(content.bytes);
  const message = `The file cannot be read: ${content.code ?? content.reason}`;
  throw new AppError('SPECIFICATION_INVALID', { message });
}

/** The address of the collection that a file below `root` specifies; undefined for any other file. */
export function specificationAddress(root: string, path: string): CollectionAddress | undefined {
  const [version, database, file, ...rest] = relative(root, path).split(sep);
  const name = FILE_NAME.exec(file ?? '')?.groups?.['name'];
  if (version === undefined || database === undefined || name === undefined || rest.length > 0)
    return undefined;
  return { version, database, name };
}

/** Opens the folder `root` of a workspace, which need not exist yet. Addresses must have been checked: they become paths. */
export function createSpecificationFiles(root: string, workspace: WorkspaceFiles): SpecificationFiles {
  // What is known to be in each file, so that our own writes are not taken for edits.
  const known = new Map<string, string>();

  const fileOf = ({ version, database, name }: CollectionAddress) =>
    join(root, version, database, `collection.${name}.json`);

  const list = async () => [...new Set([...known.keys(), ...(await workspace.list(root, FOLDER_DEPTH))])];

  return {
    async readAll() {
      const found: SpecificationFile[] = [];
      for (const file of await workspace.list(root, FOLDER_DEPTH)) {
        const address = specificationAddress(root, file);
        if (address === undefined) continue;
        const text = await readIfExists(workspace, file).catch((error: unknown) => {
          if (error instanceof StoreError) throw error;
          return undefined;
        });
        if (text !== undefined) known.set(file, text);
        found.push({ address, file, text });
      }
      return found;
    },
    async write(address, source) {
      const file = fileOf(address);
      const before = known.get(file);
      const text = `${JSON.stringify(source, null, 2)}\n`;
      known.set(file, text);
      try {
        await workspace.write(file, text);
      } catch (error) {
        if (before === undefined) known.delete(file);
        else known.set(file, before);
        throw error;
      }
    },
    async remove(address) {
      const file = fileOf(address);
      await workspace.remove(file);
      known.delete(file);
    },
    list,
    addressOf: (file) => specificationAddress(root, file),
    async readChange(file) {
      const address = specificationAddress(root, file);
      if (address === undefined) return undefined;
      const text = await readIfExists(workspace, file);
      const before = known.get(file);
      if (text === before) return undefined;
      if (text === undefined) known.delete(file);
      else known.set(file, text);
      return { address, file, text, before };
    },
    expectChange(file) {
      // No specification is empty: neither what lies there nor its absence is equal to this.
      known.set(file, '');
    },
    async watch(listener, onError) {
      const end = await workspace.watch(root, {
        depth: FOLDER_DEPTH,
        onFile: listener,
        onError,
        expected: () => known.keys(),
      });
      try {
        // What changed between `readAll` and the watch, which names nothing that was there before it.
        for (const file of await list()) listener(file);
        return end;
      } catch (error) {
        await end();
        throw error;
      }
    },
  };
}
