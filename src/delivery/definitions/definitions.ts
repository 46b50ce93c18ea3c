// The definitions of one kind, and every way in which they change: over HTTP and by hand.
import { basename, join } from 'node:path';
import type { Coordination } from '../../deployment/coordination.ts';
import { AppError } from '../../errors/errors.ts';
import { findJsonIssue, isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { Definition, DefinitionChangeResult, DefinitionFileIssue } from './definition.ts';
import {
  definitionFilePath,
  isDefinitionFile,
  listDefinitionFiles,
  MAX_DEFINITION_BYTES,
} from './definition-files.ts';
import { findNameErrors, kindTitle } from './definition-names.ts';
import {
  createLoadedDefinitions,
  type LoadedDefinitionsDeps,
  MAX_DEFINITIONS,
} from './loaded-definitions.ts';

/** A document before and after a change; undefined where there was or is none in force. */
interface DocumentChange {
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
}

/** Runs `apply`, which makes the change; what it does before comes before the change, and may prevent it by throwing. */
export type DefinitionChangeInterceptor = (
  change: DocumentChange,
  apply: () => Promise<void>,
) => Promise<void>;

const plainly: DefinitionChangeInterceptor = (_change, apply) => apply();

export interface Definitions<T> {
  /** Takes up every file. A broken one is logged and left out, or in force as far as it goes. */
  load(): Promise<void>;
  /** From now on edits by hand come into force; a broken one leaves the old state in force. Makes a missing folder. */
  watch(): Promise<void>;
  /** Those in force, sorted by name. */
  list(): readonly Definition<T>[];
  /** By its exact name. */
  get(name: string): Definition<T> | undefined;
  /**
   * In force, and in its file, when it resolves with `ok`; else nothing has changed. What is refused never gets to
   * `around`. The same for the other two.
   */
  create(body: Json | undefined, around?: DefinitionChangeInterceptor): Promise<DefinitionChangeResult>;
  /** `body` may leave the name out. Replaces a file that is not in force too. */
  replace(
    name: string,
    body: Json | undefined,
    around?: DefinitionChangeInterceptor,
  ): Promise<DefinitionChangeResult>;
  remove(name: string, around?: DefinitionChangeInterceptor): Promise<DefinitionChangeResult>;
  /** Everything that is wrong with the files, sorted by path. */
  problems(): readonly DefinitionFileIssue[];
  /** Ends the watch and waits for the change in hand. */
  close(): Promise<void>;
}

/** What one answer lists: a document can be at fault a thousand times, in names of a megabyte. */
const MAX_ERRORS = 100;
const MAX_ERROR_LENGTH = 300;

const shortened = (text: string) =>
  text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH).toWellFormed()}…` : text;

const rejected = (
  reason: Extract<DefinitionChangeResult, { ok: false }>['reason'],
  errors: readonly string[],
): DefinitionChangeResult => ({
  ok: false,
  reason,
  errors: errors.slice(0, MAX_ERRORS).map(shortened),
});

const BAD_REQUEST = rejected('bad-request', ['Bad Request']);

export interface DefinitionsDeps<T> extends LoadedDefinitionsDeps<T> {
  /** The other processes with the same files; none unless given. */
  readonly coordination?: DefinitionCoordination;
}

type DefinitionCoordination = Pick<Coordination, 'onChange' | 'announce' | 'exclusively'>;

const ALONE: DefinitionCoordination = {
  onChange: () => undefined,
  announce: async () => {},
  exclusively: (_name, task) => task(),
};

/** Begins with none; `load` comes first. */
export function createDefinitions<T>(deps: DefinitionsDeps<T>): Definitions<T> {
  const { kind, workspace, folder, names, log, coordination = ALONE } = deps;
  const { noun } = kind;
  const title = kindTitle(noun);
  const loaded = createLoadedDefinitions(deps);
  let endWatch: () => Promise<void> = async () => {};

  const onFileChange = async (file: string) => {
    if (!isDefinitionFile(file)) return;
    const isNew = await names.exclusively(() => loaded.refresh(file));
    if (isNew) log.info({ file }, `${noun} file changed, reloaded`);
  };

  // What another process has changed is in its file.
  coordination.onChange(noun, async (file) => {
    const files =
      file === undefined
        ? [...loaded.files(), ...(await listDefinitionFiles(workspace, folder))]
        : [join(folder, file)];
    for (const one of new Set(files)) await names.exclusively(() => loaded.refresh(one));
  });
  /** Makes a change of a file, one after the other in all processes. */
  const exclusively = (task: () => Promise<DefinitionChangeResult>) =>
    coordination.exclusively('routes and recipes', () => names.exclusively(task));

  const documentErrors = (source: JsonObject): readonly string[] => {
    const issue = findJsonIssue(source);
    if (issue !== undefined) return [`${issue.path}: ${issue.message}`];
    const { issues } = kind.parse(source);
    return issues.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  };

  /** Changes a file, and then what is in force. A full disk changes neither. */
  const attempt = async (file: string, verb: 'saving' | 'removing', work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      // What the caller sees to before the change is none of the file's.
      if (!(error instanceof AppError) || error.code === 'PRECONDITION_FAILED') throw error;
      log.error({ err: error, file }, `${verb} a ${noun} failed`);
      return rejected('failed', [`Error when ${verb} ${noun}`]);
    }
    await coordination.announce({ kind: noun, target: basename(file) });
    log.info({ file }, verb === 'saving' ? `${noun} saved` : `${noun} removed`);
    return { ok: true } as const;
  };

  const save = (
    file: string,
    name: string,
    { source, around }: { source: JsonObject; around: DefinitionChangeInterceptor },
  ) => {
    const text = `${JSON.stringify(source, null, 2)}\n`;
    // A longer one would not be read again.
    if (Buffer.byteLength(text) > MAX_DEFINITION_BYTES) {
      return Promise.resolve(
        rejected('invalid', [`${title} has more than ${MAX_DEFINITION_BYTES} bytes as a file`]),
      );
    }
    return attempt(file, 'saving', () =>
      around({ before: loaded.get(name)?.source, after: source }, async () => {
        await workspace.write(file, text);
        loaded.put(file, text);
      }),
    );
  };

  const create = async (
    source: JsonObject,
    around: DefinitionChangeInterceptor,
  ): Promise<DefinitionChangeResult> => {
    const name = source[noun];
    const errors = [...findNameErrors(noun, name), ...documentErrors(source)];
    if (typeof name !== 'string' || errors.length > 0) return rejected('invalid', errors);
    const file = definitionFilePath(folder, name);
    // Someone may have put it there by hand just now.
    await loaded.refresh(file);
    if (names.holderOf(name) !== undefined || loaded.has(file)) {
      return rejected('exists', [`${title} already exists`]);
    }
    if (loaded.isFull()) return rejected('full', [`There are ${MAX_DEFINITIONS} ${noun}s already`]);
    return save(file, name, { source, around });
  };

  const replace = async (
    name: string,
    body: JsonObject,
    around: DefinitionChangeInterceptor,
  ): Promise<DefinitionChangeResult> => {
    const file = loaded.writableFile(name);
    if (file === undefined) return rejected('not-found', [`${title} not found`]);
    const source = { [noun]: name, ...body };
    const renamed = source[noun] === name ? [] : [`${title} name must be ${name}, as in the address`];
    const errors = [...renamed, ...documentErrors(source)];
    return errors.length > 0 ? rejected('invalid', errors) : save(file, name, { source, around });
  };

  const remove = async (
    name: string,
    around: DefinitionChangeInterceptor,
  ): Promise<DefinitionChangeResult> => {
    const file = loaded.writableFile(name);
    if (file === undefined) return rejected('not-found', [`${title} not found`]);
    return attempt(file, 'removing', () =>
      around({ before: loaded.get(name)?.source, after: undefined }, async () => {
        await workspace.remove(file);
        loaded.drop(file);
      }),
    );
  };

  return {
    async load() {
      const files = await listDefinitionFiles(workspace, folder);
      await names.exclusively(async () => {
        for (const file of files) await loaded.refresh(file);
      });
    },
    async watch() {
      const failed = (error: unknown) =>
        log.error({ err: error }, `cannot watch ${noun} files: edits need a restart`);
      try {
        endWatch = await workspace.watch(folder, {
          depth: 0,
          onFile: (file) => void onFileChange(file).catch(failed),
          onError: failed,
          expected: loaded.files,
        });
        // What changed between `load` and the watch, which names nothing that was there before it.
        for (const file of new Set([...loaded.files(), ...(await listDefinitionFiles(workspace, folder))])) {
          await onFileChange(file);
        }
      } catch (error) {
        failed(error);
      }
    },
    list: loaded.list,
    get: loaded.get,
    create: async (body = null, around = plainly) =>
      isJsonObject(body) ? exclusively(() => create(body, around)) : BAD_REQUEST,
    replace: async (name, body = null, around = plainly) =>
      isJsonObject(body) ? exclusively(() => replace(name, body, around)) : BAD_REQUEST,
    remove: (name, around = plainly) => exclusively(() => remove(name, around)),
    problems: loaded.problems,
    async close() {
      await endWatch();
      await names.exclusively(async () => {});
    },
  };
}
