// The configuration of this start: defaults, then the file, then the environment, then flags. The only reader of the environment.
import { isAbsolute, join, relative, resolve } from 'node:path';
import { buildConfig, type SettingValues } from './build-config.ts';
import { type ConfigFile, locateIssues, readConfigFile } from './config-file.ts';
import type { ConfigIssue } from './config-issue.ts';
import {
  type Environment,
  findMisspeltVariables,
  parseEnvironment,
  parseTexts,
  type SettingSource,
} from './environment.ts';
import {
  type FlatSettings,
  flattenSettings,
  type SettingAssignment,
  type SettingIssue,
  unknownKeyIssue,
} from './flatten.ts';
import type { Config } from './schema.ts';
import { findSetting } from './settings.ts';
import { createSettingValidator, findRuleIssues, type ValidateSetting } from './validate.ts';

/** Unknown keys that are listed one by one. */
const MAX_UNKNOWN = 100;

/** Flags as text, as they were given. */
export interface ConfigFlags {
  readonly config?: string | undefined;
  readonly workspace?: string | undefined;
  readonly port?: string | undefined;
  readonly 'delivery-port'?: string | undefined;
}

interface LoadOptions {
  readonly flags: ConfigFlags;
  readonly env?: Environment;
  /** The run directory: relative paths start here. */
  readonly cwd: string;
}

export interface LoadedConfig {
  /** Complete in any case; not to be used when there are problems. */
  readonly config: Config;
  readonly warnings: readonly ConfigIssue[];
  readonly issues: readonly ConfigIssue[];
  /** Absolute path of the configuration file, which need not exist. */
  readonly file: string;
  /** Paths of the settings that somebody has set: the others have their defaults. */
  readonly explicit: ReadonlySet<string>;
}

const FLAG_SETTINGS = {
  workspace: 'workspace.path',
  port: 'server.port',
  'delivery-port': 'delivery.port',
} as const;
const FLAG_NAMES = Object.keys(FLAG_SETTINGS) as (keyof typeof FLAG_SETTINGS)[];

/** What the environment sets, by canonical path: it is in force whatever the file says. */
export function environmentValues(env: Environment = process.env): SettingValues {
  return new Map(parseEnvironment(env).assignments.map(({ setting, value }) => [setting.path, value]));
}

function fromFlags(flags: ConfigFlags): SettingSource {
  return parseTexts(
    FLAG_NAMES.flatMap((name) => {
      const setting = findSetting(FLAG_SETTINGS[name]);
      const text = flags[name];
      return setting === undefined || text === undefined ? [] : [{ setting, written: `--${name}`, text }];
    }),
  );
}

function fileSource(file: {
  readonly assignments: ReadonlyMap<string, SettingAssignment>;
  problems: readonly SettingIssue[];
}): SettingSource {
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

function check(source: SettingSource, checkSetting: ValidateSetting | undefined): SettingIssue[] {
  if (checkSetting === undefined) return [...source.problems];
  return [
    ...source.problems,
    ...source.assignments.flatMap(({ setting, value, written }) => {
      const message = checkSetting(setting, value);
      return message === undefined ? [] : [{ written, message }];
    }),
  ];
}

function toProblem({ written, message }: SettingIssue): ConfigIssue {
  return { setting: written, message };
}

/** Remarks on the first unknown keys, and how many more there are. */
function remarksOn(unknown: FlatSettings['unknown']): readonly SettingIssue[] {
  const remarks = unknown.slice(0, MAX_UNKNOWN).map(unknownKeyIssue);
  const left = unknown.length - remarks.length;
  return left === 0 ? remarks : [...remarks, { written: '', message: `${left} more keys are not settings` }];
}

/** The last word on where the workspace is, which the file in it cannot have. */
function workspaceOf(assignments: readonly SettingAssignment[]): string {
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
  readonly flags: ConfigFlags;
}

/** Rules that a setting breaks, with the file and line of it where it is in the file. */
async function locateRules(
  rules: ReturnType<typeof findRuleIssues>,
  assignments: readonly SettingAssignment[],
  { shown, read }: Pick<Sources, 'shown' | 'read'>,
): Promise<ConfigIssue[]> {
  const located = rules.map(({ path, message }) => {
    const written = assignments.find(({ setting }) => setting.path === path)?.written;
    return written === undefined
      ? [{ setting: path, message }]
      : locateIssues(shown, read.text, [{ written, message }]);
  });
  return (await Promise.all(located)).flat();
}

/** Checks the content of a file together with the environment and the flags, as a start does. */
export async function validateSources(sources: Sources): Promise<Omit<LoadedConfig, 'file'>> {
  const { read, shown, env = process.env, flags } = sources;
  const environment = parseEnvironment(env);
  const flagged = fromFlags(flags);
  const flat = flattenSettings(read.content);
  const filed = fileSource(flat);
  const given = [filed, environment, flagged].flatMap((source) => source.assignments);
  const checkSetting = given.length === 0 ? undefined : await createSettingValidator();

  const config = buildConfig(new Map(given.map(({ setting, value }) => [setting.path, value])));
  const problems = [
    ...(read.issue === undefined ? [] : [read.issue]),
    ...(await locateIssues(shown, read.text, check(filed, checkSetting))),
    ...[environment, flagged].flatMap((source) => check(source, checkSetting)).map(toProblem),
  ];
  if (problems.length === 0) {
    problems.push(...(await locateRules(findRuleIssues(config), filed.assignments, { shown, read })));
  }
  const warnings = [
    ...(await locateIssues(shown, read.text, remarksOn(flat.unknown))),
    ...environment.unknown.map(toProblem),
    ...findMisspeltVariables(env),
  ];
  return { config, warnings, issues: problems, explicit: new Set(given.map(({ setting }) => setting.path)) };
}

/** What is wrong with the file as a whole. */
function fileProblem(
  { issue: problem, text }: ConfigFile,
  shown: string,
  flags: ConfigFlags,
): ConfigIssue | undefined {
  if (problem !== undefined) return { ...problem, file: shown };
  if (flags.config === undefined || text !== null) return undefined;
  return { setting: '--config', message: `names a file that does not exist: ${shown}` };
}

/**
 * Reads every source and checks all values; problems are collected, never thrown, so that one start names all of them.
 * Unknown keys are warnings: a file may carry settings of another version.
 */
export async function loadConfig({ flags, env = process.env, cwd }: LoadOptions): Promise<LoadedConfig> {
  const workspace = workspaceOf([...parseEnvironment(env).assignments, ...fromFlags(flags).assignments]);
  const file = resolve(cwd, flags.config ?? join(workspace, 'config.json'));
  const { text, content, ...found } = await readConfigFile(file);
  const shown = shownPath(file, cwd);
  const problem = fileProblem({ text, content, ...found }, shown, flags);
  const read = { text, content, ...(problem === undefined ? {} : { issue: problem }) };
  return { ...(await validateSources({ read, shown, env, flags })), file };
}
