// The configuration of this start: defaults, then the file, then the environment, then flags. The only reader of the environment.
import { isAbsolute, join, relative, resolve } from 'node:path';
import { brokenRules, createSettingCheck, type SettingCheck } from './check.ts';
import { coerce } from './coerce.ts';
import { createConfig, type Values } from './effective.ts';
import { locate, readConfigFile } from './file.ts';
import { type Assignment, flatten, nearest, type Remark, remarkUnknown } from './flatten.ts';
import type { ConfigProblem } from './problems.ts';
import type { Config } from './schema.ts';
import { SETTINGS, type Setting, settingAt } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Flags as text, as they were given. */
export interface Flags {
  readonly config?: string | undefined;
  readonly workspace?: string | undefined;
  readonly port?: string | undefined;
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
}

interface Source {
  readonly assignments: readonly Assignment[];
  readonly problems: readonly Remark[];
}

const FLAG_SETTINGS: Readonly<Record<'workspace' | 'port', string>> = {
  workspace: 'workspace.path',
  port: 'server.port',
};

function fromText(texts: readonly { setting: Setting; written: string; text: string }[]): Source {
  const assignments: Assignment[] = [];
  const problems: Remark[] = [];
  for (const { setting, written, text } of texts) {
    const coerced = coerce(setting.leaf, text);
    if ('problem' in coerced) problems.push({ written, message: coerced.problem });
    else assignments.push({ setting, written, value: coerced.value });
  }
  return { assignments, problems };
}

function fromEnvironment(env: Environment): Source {
  return fromText(
    SETTINGS.flatMap((setting) => {
      const written = setting.env.find((name) => env[name] !== undefined);
      const text = written === undefined ? undefined : env[written];
      return written === undefined || text === undefined ? [] : [{ setting, written, text }];
    }),
  );
}

/** What the environment sets, by canonical path: it is in force whatever the file says. */
export function environmentValues(env: Environment = process.env): Values {
  return new Map(fromEnvironment(env).assignments.map(({ setting, value }) => [setting.path, value]));
}

function fromFlags(flags: Flags): Source {
  return fromText(
    (['workspace', 'port'] as const).flatMap((name) => {
      const setting = settingAt(FLAG_SETTINGS[name]);
      const text = flags[name];
      return setting === undefined || text === undefined ? [] : [{ setting, written: `--${name}`, text }];
    }),
  );
}

/** Variables that differ from one of ours by a letter or two: most likely a slip of the pen. */
function misspelt(env: Environment): ConfigProblem[] {
  const known = new Set(SETTINGS.flatMap((setting) => setting.env));
  return Object.keys(env).flatMap((name) => {
    // Short names are left alone: two letters make anything of them, and orchestrators set some (`CLOISTER_PORT`).
    if (!name.startsWith('CLOISTER_') || name.length < 16 || name.length > 100 || known.has(name)) return [];
    const guess = nearest(name, known, 2);
    return guess === undefined ? [] : [{ setting: name, message: `is ignored; did you mean ${guess}?` }];
  });
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

/** As people write it: relative to the run directory where it lies inside. */
function shownPath(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

/**
 * Reads every source and checks all values; problems are collected, never thrown, so that one start names all of them.
 * Unknown keys are warnings: a file may carry settings of another version.
 */
export async function loadConfig({ flags, env = process.env, cwd }: LoadOptions): Promise<LoadedConfig> {
  const environment = fromEnvironment(env);
  const flagged = fromFlags(flags);
  const workspace = flags.workspace ?? env['CLOISTER_WORKSPACE_PATH'] ?? 'workspace';
  const file = resolve(cwd, flags.config ?? join(workspace, 'config.json'));
  const read = await readConfigFile(file);
  const shown = shownPath(file, cwd);
  const flat = flatten(read.content);
  const filed = fileSource(flat);
  const sources = [filed, environment, flagged];
  const given = sources.flatMap((source) => source.assignments);
  const checkSetting = given.length === 0 ? undefined : await createSettingCheck();

  const config = createConfig(new Map(given.map(({ setting, value }) => [setting.path, value])));
  const problems = [
    ...(read.problem === undefined ? [] : [{ ...read.problem, file: shown }]),
    ...(flags.config !== undefined && read.text === null && read.problem === undefined
      ? [{ setting: '--config', message: `names a file that does not exist: ${shown}` }]
      : []),
    ...(await locate(shown, read.text, check(filed, checkSetting))),
    ...[environment, flagged].flatMap((source) => check(source, checkSetting)).map(toProblem),
  ];
  if (problems.length === 0) {
    problems.push(...brokenRules(config).map(({ path, message }) => ({ setting: path, message })));
  }
  const warnings = [...(await locate(shown, read.text, flat.unknown.map(remarkUnknown))), ...misspelt(env)];
  return { config, warnings, problems, file };
}
