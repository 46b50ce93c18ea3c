// Loads the configuration: defaults, then the file, then the environment, then flags. The only reader of the environment.
import { getCompileCacheDir } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { isWithin } from '../lib/files/containment.ts';
import { buildConfig, type SettingValues } from './build-config.ts';
import {
  type ConfigFile,
  type ConfigIssue,
  locateIssues,
  readConfigFile,
  type SettingIssue,
} from './config-file.ts';
import {
  type Environment,
  findMisspeltVariables,
  parseEnvironment,
  parseSettingTexts,
  type SettingSource,
} from './environment.ts';
import {
  type FlatSettings,
  flattenSettings,
  type SettingAssignment,
  unknownKeyIssue,
} from './flatten-settings.ts';
import { findLostSettings } from './older-settings.ts';
import type { Config } from './schema.ts';
import { findSetting } from './setting-names.ts';
import {
  createSettingValidator,
  findConfigRuleIssues,
  passesFastCheck,
  type ValidateSetting,
} from './validate-setting.ts';

/** Unknown keys that are listed one by one. */
const MAX_UNKNOWN = 100;

/** Flags as text. */
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
  /** Complete in any case; must not be used if there are issues. */
  readonly config: Config;
  readonly warnings: readonly ConfigIssue[];
  readonly issues: readonly ConfigIssue[];
  /** Absolute path of the configuration file, which need not exist. */
  readonly file: string;
  /** Paths of the settings that are set explicitly: the others have their defaults. */
  readonly explicit: ReadonlySet<string>;
}

const FLAG_SETTINGS = {
  workspace: 'workspace.path',
  port: 'server.port',
  'delivery-port': 'delivery.port',
} as const;
const FLAG_NAMES = Object.keys(FLAG_SETTINGS) as (keyof typeof FLAG_SETTINGS)[];

/** The values of the environment by canonical path. They take precedence over the file. */
export function environmentValues(env: Environment = process.env): SettingValues {
  return new Map(parseEnvironment(env).assignments.map(({ setting, value }) => [setting.path, value]));
}

function fromFlags(flags: ConfigFlags): SettingSource {
  return parseSettingTexts(
    FLAG_NAMES.flatMap((name) => {
      const setting = findSetting(FLAG_SETTINGS[name]);
      const text = flags[name];
      return setting === undefined || text === undefined ? [] : [{ setting, written: `--${name}`, text }];
    }),
  );
}

function fileSource(file: {
  readonly assignments: ReadonlyMap<string, SettingAssignment>;
  readonly issues: readonly SettingIssue[];
}): SettingSource {
  const all = [...file.assignments.values()];
  const outside = all.filter(({ setting }) => setting.leaf.outsideFile === true);
  return {
    assignments: all.filter(({ setting }) => setting.leaf.outsideFile !== true),
    issues: [
      ...file.issues,
      ...outside.map(({ setting, written }) => ({
        written,
        message: `cannot be set in the file: use a flag or ${setting.env.join(', ')}`,
      })),
    ],
  };
}

function check(source: SettingSource, checkSetting: ValidateSetting | undefined): SettingIssue[] {
  if (checkSetting === undefined) return [...source.issues];
  return [
    ...source.issues,
    ...source.assignments.flatMap(({ setting, value, written }) => {
      const message = checkSetting(setting, value);
      return message === undefined ? [] : [{ written, message }];
    }),
  ];
}

function toConfigIssue({ written, message }: SettingIssue): ConfigIssue {
  return { setting: written, message };
}

/** Remarks on the first unknown keys, and how many more there are. */
function issuesOfUnknownKeys(unknown: FlatSettings['unknown']): readonly SettingIssue[] {
  const issues = unknown.slice(0, MAX_UNKNOWN).map(unknownKeyIssue);
  const left = unknown.length - issues.length;
  return left === 0 ? issues : [...issues, { written: '', message: `${left} more keys are not settings` }];
}

/** The workspace folder, which a flag or the environment sets: the file is inside of it. */
function workspaceOf(assignments: readonly SettingAssignment[]): string {
  const given = assignments.findLast(({ setting }) => setting.path === 'workspace.path')?.value;
  return typeof given === 'string' ? given : 'workspace';
}

/** Relative to the run directory if the file is inside of it. */
function displayPath(file: string, cwd: string): string {
  return isWithin(cwd, file) ? relative(cwd, file) : file;
}

interface Sources {
  readonly read: ConfigFile;
  /** The path of the file in messages. */
  readonly shown: string;
  /** Default: the environment of the process. */
  readonly env: Environment | undefined;
  readonly flags: ConfigFlags;
}

/** Adds the file and the line to issues of rules whose setting is in the file. */
async function locateRules(
  rules: ReturnType<typeof findConfigRuleIssues>,
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

/** Options of Node that the environment gives. */
export function nodeOptions(): string {
  return process.env['NODE_OPTIONS'] ?? '';
}

/**
 * Lets worker threads use the compile cache of this process, if it has one. Without it each of them strips and compiles all that
 * it loads anew: some 200 ms and 25 MB for a thread of the embedded database.
 */
export function shareCompileCache(): void {
  const folder = getCompileCacheDir();
  // Node adds a folder for its version.
  if (folder !== undefined) process.env['NODE_COMPILE_CACHE'] ??= dirname(folder);
}

/** Validates the content of a file together with the environment and the flags, as a start does. */
export async function validateSources(sources: Sources): Promise<Omit<LoadedConfig, 'file'>> {
  const { read, shown, env = process.env, flags } = sources;
  const environment = parseEnvironment(env);
  const flagged = fromFlags(flags);
  const flat = flattenSettings(read.content);
  const filed = fileSource(flat);
  const given = [filed, environment, flagged].flatMap((source) => source.assignments);
  const allPass = given.every(({ setting, value }) => passesFastCheck(setting, value));
  const checkSetting = allPass ? undefined : await createSettingValidator();

  const config = buildConfig(new Map(given.map(({ setting, value }) => [setting.path, value])));
  const explicit = new Set(given.map(({ setting }) => setting.path));
  const unknownPaths = new Set(
    flat.unknown.map(({ parent, key }) => (parent === '' ? key : `${parent}.${key}`)),
  );
  const lost = findLostSettings(read.content, unknownPaths, (path) => explicit.has(path));
  const isNoIssue = ({ written }: SettingIssue) => lost.every((issue) => issue.written !== written);
  const issues = [
    ...(read.issue === undefined ? [] : [read.issue]),
    ...(await locateIssues(shown, read.text, [...check(filed, checkSetting), ...lost])),
    ...[environment, flagged].flatMap((source) => check(source, checkSetting)).map(toConfigIssue),
  ];
  if (issues.length === 0) {
    issues.push(...(await locateRules(findConfigRuleIssues(config), filed.assignments, { shown, read })));
  }
  const warnings = [
    ...(await locateIssues(shown, read.text, issuesOfUnknownKeys(flat.unknown).filter(isNoIssue))),
    ...environment.unknown.map(toConfigIssue),
    ...findMisspeltVariables(env),
  ];
  return { config, warnings, issues, explicit };
}

/** The issue of the file as a whole, if there is one. */
function fileIssue({ issue, text }: ConfigFile, shown: string, flags: ConfigFlags): ConfigIssue | undefined {
  if (issue !== undefined) return { ...issue, file: shown };
  if (flags.config === undefined || text !== null) return undefined;
  return { setting: '--config', message: `names a file that does not exist: ${shown}` };
}

/**
 * Reads every source and validates all values. Issues are collected, not thrown, so that one start reports all of them.
 * Unknown keys are warnings: a file may carry settings of another version.
 */
export async function loadConfig({ flags, env = process.env, cwd }: LoadOptions): Promise<LoadedConfig> {
  const workspace = workspaceOf([...parseEnvironment(env).assignments, ...fromFlags(flags).assignments]);
  const file = resolve(cwd, flags.config ?? join(workspace, 'config.json'));
  const { text, content, ...found } = await readConfigFile(file);
  const shown = displayPath(file, cwd);
  const issue = fileIssue({ text, content, ...found }, shown, flags);
  const read = { text, content, ...(issue === undefined ? {} : { issue }) };
  return { ...(await validateSources({ read, shown, env, flags })), file };
}
