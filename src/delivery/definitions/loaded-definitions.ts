// The files of one kind as they were last seen: what is in force, what is wrong with them, who has which name.

import { foldCase } from '../../lib/regex/case-folding.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { WorkspaceFiles } from '../../stores/workspace-files.ts';
import type { Definition, DefinitionFileIssue, DefinitionKind, DefinitionLog } from './definition.ts';
import {
  definitionFilePath,
  definitionNameOf,
  type ParsedDefinitionFile,
  parseDefinitionFile,
  readDefinitionFile,
} from './definition-files.ts';
import type { DefinitionNames } from './definition-names.ts';

/** Of one kind. Finding one takes no time however many there are, but each is kept in memory. */
export const MAX_DEFINITIONS = 5000;

/** Log lines about one file. */
const MAX_LOGGED = 20;

export interface LoadedDefinitionsDeps<T> {
  readonly kind: DefinitionKind<T>;
  readonly workspace: WorkspaceFiles;
  /** Of this kind in the workspace. */
  readonly folder: string;
  /** Shared by all kinds. */
  readonly names: DefinitionNames;
  readonly log: DefinitionLog;
}

interface LoadedFile<T> extends ParsedDefinitionFile<T> {
  /** Of its text; undefined where it is something that is never read or written. */
  readonly fingerprint: string | undefined;
}

export interface LoadedDefinitions<T> {
  /** Reads a file again. Resolves with false when it has not changed. Not to be called twice at the same time. */
  refresh(file: string): Promise<boolean>;
  /** Puts the text of a file that was just written in force. */
  put(file: string, text: string): void;
  /** Forgets a file that was just removed. */
  drop(file: string): void;
  /** In force under exactly this name. */
  get(name: string): Definition<T> | undefined;
  /** Those in force, sorted by name. */
  list(): readonly Definition<T>[];
  /** The file behind a name, in force or not, if it may be written. */
  writableFile(name: string): string | undefined;
  /** Whether the file is there, whatever the case of its name. */
  has(file: string): boolean;
  isFull(): boolean;
  files(): readonly string[];
  /** Everything that is wrong, sorted by path. */
  problems(): readonly DefinitionFileIssue[];
}

/** Begins with none. */
export function createLoadedDefinitions<T>({
  kind,
  workspace,
  folder,
  names,
  log,
}: LoadedDefinitionsDeps<T>): LoadedDefinitions<T> {
  const { noun } = kind;
  const loaded = new Map<string, LoadedFile<T>>();
  let isFullLogged = false;

  const get = (name: string) => {
    const file = names.holderOf(name);
    const definition = file === undefined ? undefined : loaded.get(file)?.definition;
    return definition?.name === name ? definition : undefined;
  };

  const problemsOf = (
    file: string,
    { definition, problems }: LoadedFile<T>,
  ): readonly DefinitionFileIssue[] => {
    const holder = definition === undefined ? undefined : names.holderOf(definition.name);
    if (definition === undefined || holder === undefined || holder === file) return problems;
    const message = `is not in force: \`${definition.name}\` is the name of ${holder}`;
    return [{ file, message, severity: 'error' }, ...problems];
  };

  const logProblems = (file: string, one: LoadedFile<T>) => {
    for (const { line, message, severity } of problemsOf(file, one).slice(0, MAX_LOGGED)) {
      const fields = { file, ...(line === undefined ? {} : { line }), problem: message };
      if (severity === 'error') log.error(fields, `${noun} file has an error`);
      else log.warn(fields, `${noun} file has a warning`);
    }
  };

  const set = (file: string, one: LoadedFile<T>) => {
    loaded.set(file, one);
    if (one.definition === undefined) names.release(file);
    else names.claim(file, one.definition.name);
    logProblems(file, one);
  };

  const drop = (file: string) => {
    loaded.delete(file);
    names.release(file);
  };

  const setText = (file: string, text: string) => {
    const { definition, problems } = parseDefinitionFile(kind, file, text);
    // What was in force stays so while the file makes no sense.
    const current = definition ?? loaded.get(file)?.definition;
    set(file, { fingerprint: sha256Hex(text), definition: current, problems });
  };

  const setUnreadable = (file: string, message: string): boolean => {
    const before = loaded.get(file);
    if (before?.problems[0]?.message === message) return false;
    const problems: DefinitionFileIssue[] = [{ file, message, severity: 'warning' }];
    set(file, { fingerprint: undefined, definition: before?.definition, problems });
    return true;
  };

  return {
    async refresh(file) {
      const before = loaded.get(file);
      if (before === undefined && loaded.size >= MAX_DEFINITIONS) {
        if (!isFullLogged)
          log.error({ folder, limit: MAX_DEFINITIONS }, `too many ${noun} files: further ones are ignored`);
        isFullLogged = true;
        return false;
      }
      const found = await readDefinitionFile(workspace, file);
      if (found.state === 'missing') {
        drop(file);
        return before !== undefined;
      }
      if (found.state === 'unreadable') return setUnreadable(file, found.message);
      if (before?.fingerprint === sha256Hex(found.text)) return false;
      setText(file, found.text);
      return true;
    },
    put: setText,
    drop,
    get,
    list: () =>
      [...loaded.values()]
        .flatMap(({ definition }) => (definition && get(definition.name) === definition ? [definition] : []))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    writableFile(name) {
      const file = get(name)?.file ?? definitionFilePath(folder, name);
      const one = loaded.get(file);
      if (one?.fingerprint === undefined) return undefined;
      return (one.definition?.name ?? definitionNameOf(file)) === name ? file : undefined;
    },
    has(file) {
      const folded = foldCase(file);
      return [...loaded.keys()].some((one) => foldCase(one) === folded);
    },
    isFull: () => loaded.size >= MAX_DEFINITIONS,
    files: () => [...loaded.keys()],
    problems: () =>
      [...loaded].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([file, one]) => problemsOf(file, one)),
  };
}
