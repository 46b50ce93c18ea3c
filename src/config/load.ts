// The configuration of this start: defaults, then the file, then the environment, then flags. The only reader of the environment.
import { isAbsolute, join, relative, resolve } from 'node:path';
import { brokenRules, createSettingCheck, type SettingCheck } from './check.ts';
import { createConfig, type Values } from './effective.ts';
import { type Environment, fromEnvironment, fromText, misspelt, type Source } from './environment.ts';
import { type ConfigFile, locate, readConfigFile } from './file.ts';
import { type Assignment, type Flattened, flatten, type Remark, remarkUnknown } from './flatten.ts';
import type { ConfigProblem } from './problems.ts';
import type { Config } from './schema.ts';
import { settingAt } from './settings.ts';

/** Unknown keys that are listed one by one. */
const MAX_UNKNOWN = 100;

/** Flags as text, as they were given. */
export interface Flags {
  readonly config?: string | undefined;
  readonly workspace?: string | undefined;
  readonly port?: string | undefined;
  readonly 'delivery-port'?: string | undefined;
}

interface LoadOptions {
  readonly flags: Flags;
  readonly env?: Environment;
  /** The run directory: relative paths start here. */
  readonly cwd: string;
}

export interface LoadedConfig {
  /** Complete in any case; not to be used when there are problems. */
  readonly config: Config;
  readonly warnings: readonly ConfigProblem[];
  readonly problems: readonly ConfigProblem[];
  /** Absolute path of the configuration file, which need not exist. */
  readonly file: string;
  /** Paths of the settings that somebody has set: the others have their defaults. */
  readonly given: ReadonlySet<string>;
}

const FLAG_SETTINGS = {
  workspace: 'workspace.path',
  port: 'server.port',
  'delivery-port': 'delivery.port',
} as const;
const FLAG_NAMES = Object.keys(FLAG_SETTINGS) as (keyof typeof FLAG_SETTINGS)[];

/** What the environment sets, by canonical path: it is in force whatever the file says. */
export function environmentValues(env: Environment = process.env): Values {
  return new Map(fromEnvironment(env).assignments.map(({ setting, value }) => [setting.path, value]));
}

function fromFlags(flags: Flags): Source {
  return fromText(
    FLAG_NAMES.flatMap((name) => {
      const setting = settingAt(FLAG_SETTINGS[name]);
      const text = flags[name];
      return setting === undefined || text === undefined ? [] : [{ setting, written: `--${name}`, text }];
    }),
  );
}

function fileSource(file: {
  readonly assignments: ReadonlyMap<string, Assignment>;
  problems: readonly Remark[];
}): Source {
  const all = [...file.assignments.values()];
  const outside = all.filter(({ setting }) => setting.leaf.outsideFile === true);
  return {
    assignments: all.filter(({ setting }) => setting.leaf.outsideFile !== true),
    problems: [
      ...file.problems,
      ...outside.map(({ setting, written }) => ({
        written,
        message: `cannot be set in the file: use a flag or ${setting.env.join(', ')}`,
      })),
    ],
  };
}

function check(source: Source, checkSetting: SettingCheck | undefined): Remark[] {
  if (checkSetting === undefined) return [...source.problems];
  return [
    ...source.problems,
    ...source.assignments.flatMap(({ setting, value, written }) => {
      const message = checkSetting(setting, value);
      return message === undefined ? [] : [{ written, message }];
    }),
  ];
}

function toProblem({ written, message }: Remark): ConfigProblem {
  return { setting: written, message };
}

/** Remarks on the first unknown keys, and how many more there are. */
function remarksOn(unknown: Flattened['unknown']): readonly Remark[] {
  const remarks = unknown.slice(0, MAX_UNKNOWN).map(remarkUnknown);
  const left = unknown.length - remarks.length;
  return left === 0 ? remarks : [...remarks, { written: '', message: `${left} more keys are not settings` }];
}

/** The last word on where the workspace is, which the file in it cannot have. */
function workspaceOf(assignments: readonly Assignment[]): string {
  const given = assignments.findLast(({ setting }) => setting.path === 'workspace.path')?.value;
  return typeof given === 'string' ? given : 'workspace';
}

/** As people write it: relative to the run directory where it lies inside. */
function shownPath(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

interface Sources {
  readonly read: ConfigFile;
  /** The path of the file, as people write it. */
  readonly shown: string;
  /** That of the process if absent. */
  readonly env: Environment | undefined;
  readonly flags: Flags;
}

/** Rules that a setting breaks, with the file and line of it where it is in the file. */
async function locateRules(
  rules: ReturnType<typeof brokenRules>,
  assignments: readonly Assignment[],
  { shown, read }: Pick<Sources, 'shown' | 'read'>,
): Promise<ConfigProblem[]> {
  const located = rules.map(({ path, message }) => {
    const written = assignments.find(({ setting }) => setting.path === path)?.written;
    return written === undefined
      ? [{ setting: path, message }]
      : locate(shown, read.text, [{ written, message }]);
  });
  return (await Promise.all(located)).flat();
}

/** Checks the content of a file together with the environment and the flags, as a start does. */
export async function judge(sources: Sources): Promise<Omit<LoadedConfig, 'file'>> {
  const { read, shown, env = process.env, flags } = sources;
  const environment = fromEnvironment(env);
  const flagged = fromFlags(flags);
  const flat = flatten(read.content);
  const filed = fileSource(flat);
  const given = [filed, environment, flagged].flatMap((source) => source.assignments);
  const checkSetting = given.length === 0 ? undefined : await createSettingCheck();

  const config = createConfig(new Map(given.map(({ setting, value }) => [setting.path, value])));
  const problems = [
    ...(read.problem === undefined ? [] : [read.problem]),
    ...(await locate(shown, read.text, check(filed, checkSetting))),
    ...[environment, flagged].flatMap((source) => check(source, checkSetting)).map(toProblem),
  ];
  if (problems.length === 0) {
    problems.push(...(await locateRules(brokenRules(config), filed.assignments, { shown, read })));
  }
  const warnings = [
    ...(await locate(shown, read.text, remarksOn(flat.unknown))),
    ...environment.unknown.map(toProblem),
    ...misspelt(env),
  ];
  return { config, warnings, problems, given: new Set(given.map(({ setting }) => setting.path)) };
}

/** What is wrong with the file as a whole. */
function fileProblem({ problem, text }: ConfigFile, shown: string, flags: Flags): ConfigProblem | undefined {
  if (problem !== undefined) return { ...problem, file: shown };
  if (flags.config === undefined || text !== null) return undefined;
  return { setting: '--config', message: `names a file that does not exist: ${shown}` };
}

/**
 * Reads every source and checks all values; problems are collected, never thrown, so that one start names all of them.
 * Unknown keys are warnings: a file may carry settings of another version.
 */
export async function loadConfig({ flags, env = process.env, cwd }: LoadOptions): Promise<LoadedConfig> {
  const workspace = workspaceOf([...fromEnvironment(env).assignments, ...fromFlags(flags).assignments]);
  const file = resolve(cwd, flags.config ?? join(workspace, 'config.json'));
  const { text, content, ...found } = await readConfigFile(file);
  const shown = shownPath(file, cwd);
  const problem = fileProblem({ text, content, ...found }, shown, flags);
  const read = { text, content, ...(problem === undefined ? {} : { problem }) };
  return { ...(await judge({ read, shown, env, flags })), file };
}
