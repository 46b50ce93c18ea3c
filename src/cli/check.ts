// `cloister check`: checks everything that a person edits, and evaluates posted code in the sandbox without starting a server.
import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { createSiteRegistry } from '../collections/default-bucket.ts';
import type { CollectionRegistry } from '../collections/model/collection.ts';
import { checkSpecificationFiles } from '../collections/specifications/check-files.ts';
import { formatConfigIssue, locateIssues, readConfigFile } from '../config/config-file.ts';
import { folderIssues, missingFolders } from '../config/folder-check.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { AppError } from '../errors/errors.ts';
import type { openWorkspace as OpenWorkspace } from '../setup/cli-services.ts';
import type { Io } from './io.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

type Workspace = Omit<Awaited<ReturnType<typeof OpenWorkspace>>, 'close'>;

interface Place {
  readonly workspace: Workspace;
  readonly cwd: string;
}

interface CheckIssue {
  readonly severity: 'error' | 'warning';
  readonly line: string;
  /** Of a file of the workspace: what is said of it, without its place. */
  readonly message?: string;
}

/** An issue of a file, as every check reports it. */
interface FileIssue {
  /** Absolute. */
  readonly file: string;
  readonly line?: number;
  readonly message: string;
  readonly severity: CheckIssue['severity'];
}

function configIssues({ issues: problems, warnings }: LoadedConfig): CheckIssue[] {
  return [
    ...problems.map((problem) => ({ severity: 'error' as const, line: formatConfigIssue(problem) })),
    ...warnings.map((problem) => ({ severity: 'warning' as const, line: formatConfigIssue(problem) })),
  ];
}

const fileIssue = (
  { nameOf }: Pick<Workspace, 'nameOf'>,
  { file, line, message, severity }: FileIssue,
): CheckIssue => ({
  severity,
  message,
  line: formatConfigIssue({
    setting: '',
    message,
    file: nameOf(file),
    ...(line === undefined ? {} : { line }),
  }),
});

/** Collections without errors end up in the registry. */
async function specificationIssues(
  { config }: LoadedConfig,
  workspace: Workspace,
  known: { readonly registry: CollectionRegistry; readonly hooks?: ReadonlySet<string> },
): Promise<CheckIssue[]> {
  const { files, folders, nameOf } = workspace;
  const root = folders.collections;
  const { enableCollectionDatabases } = config.database;
  const { defaultBucket } = config.media;
  const problems = await checkSpecificationFiles({
    workspace: files,
    root,
    enableCollectionDatabases,
    defaultBucket,
    ...known,
  });
  const issues = problems.map((problem) => fileIssue(workspace, problem));
  if (known.registry.list().length !== 0 || issues.some(({ severity }) => severity === 'error'))
    return issues;
  return [...issues, { severity: 'warning', line: `${nameOf(root)}: there is no collection in this folder` }];
}

/** Warnings that say the same, each told once: of many files, at the first of them. */
export function withoutRepetitions(issues: readonly CheckIssue[]): readonly CheckIssue[] {
  const keyOf = ({ severity, line, message = line }: CheckIssue) => (severity === 'error' ? line : message);
  const groups = Map.groupBy(issues, keyOf);
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const places = new Set([first, ...others].map(({ line }) => line)).size - 1;
    if (places === 0 || first.severity === 'error') return [first];
    return [
      { ...first, line: `${first.line} (and so in ${places} more ${places === 1 ? 'place' : 'places'})` },
    ];
  });
}

async function workspaceIssues(
  loaded: LoadedConfig,
  { workspace, cwd }: Place,
  writePolicies: boolean,
): Promise<CheckIssue[]> {
  const { openModuleChecker } = await import('../setup/cli-services.ts');
  const modules = await openModuleChecker(loaded.config, { cwd, workspace });
  try {
    const known = { registry: createSiteRegistry(loaded.config), hooks: await modules.hookNames() };
    const specifications = await specificationIssues(loaded, workspace, known);
    const problems = await modules.check(known.registry, { writePolicies });
    return [...specifications, ...problems.map((problem) => fileIssue(workspace, problem))];
  } finally {
    await modules.close();
  }
}

async function deliveryIssues(config: LoadedConfig['config'], workspace: Workspace): Promise<CheckIssue[]> {
  const { checkDelivery } = await import('../setup/cli-services.ts');
  return (await checkDelivery(config, workspace)).map((problem) => fileIssue(workspace, problem));
}

async function databaseIssues({ config }: LoadedConfig, cwd: string): Promise<CheckIssue[]> {
  const { checkDatabase } = await import('../setup/cli-services.ts');
  try {
    await checkDatabase(config, { cwd });
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.items.map(({ message }) => ({ severity: 'error', line: message }));
  }
}

/** With the lines of the settings, if they are in the file. */
async function foldersIssues({ config, file }: LoadedConfig, cwd: string): Promise<CheckIssue[]> {
  const found = [...(await folderIssues(config, { cwd, configFile: file })), ...missingFolders(config, cwd)];
  if (found.length === 0) return [];
  const { text } = await readConfigFile(file);
  const located = found.map(async ({ severity, field, message }): Promise<CheckIssue[]> => {
    const withLines = await locateIssues(relative(cwd, file), text, [{ written: field, message }]);
    return withLines.map((problem) => ({ severity, line: formatConfigIssue(problem) }));
  });
  return (await Promise.all(located)).flat();
}

const MODULES_NOT_CHECKED: CheckIssue = {
  severity: 'warning',
  line: 'endpoints, hooks and policies are looked at once the configuration is right',
};

/** Issues of the policy limits, which are part of the configuration, are listed with the others. */
async function issuesIn(loaded: LoadedConfig, place: Place, writePolicies: boolean): Promise<CheckIssue[]> {
  const { workspace } = place;
  if (loaded.issues.length > 0)
    return [
      ...(await specificationIssues(loaded, workspace, { registry: createSiteRegistry(loaded.config) })),
      MODULES_NOT_CHECKED,
    ];
  try {
    return await workspaceIssues(loaded, place, writePolicies);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'CONFIGURATION_INVALID') throw error;
    const file = loaded.config.sandbox.policyFile;
    const policyIssues = error.items.map(({ field, message }) => ({
      severity: 'error' as const,
      line: formatConfigIssue({ setting: field ?? '', message, ...(file === undefined ? {} : { file }) }),
    }));
    return [
      ...policyIssues,
      ...(await specificationIssues(loaded, workspace, { registry: createSiteRegistry(loaded.config) })),
      MODULES_NOT_CHECKED,
    ];
  }
}

/** Issues of what is in the workspace, on disk or in the database. */
async function contentIssues(
  loaded: LoadedConfig,
  flags: CommandFlags,
  { cwd }: Io,
): Promise<readonly CheckIssue[]> {
  const { path, store } = loaded.config.workspace;
  if (store === 'files' && !existsSync(resolve(cwd, path)))
    return [{ severity: 'error', line: `${path}: there is no such folder` }];
  // Where the settings are wrong, nobody knows which database is meant.
  if (store === 'database' && loaded.issues.length > 0) return [];
  const { openWorkspace } = await import('../setup/cli-services.ts');
  const workspace = await openWorkspace(loaded.config, { cwd });
  try {
    return await checkContents(loaded, { workspace, cwd }, flags['write-policies'] === true);
  } finally {
    await workspace.close();
  }
}

/** Checks an open workspace as `cloister check` does. */
export async function checkContents(
  loaded: LoadedConfig,
  place: Place,
  writePolicies = false,
): Promise<readonly CheckIssue[]> {
  const found = await issuesIn(loaded, place, writePolicies);
  return [...found, ...(await deliveryIssues(loaded.config, place.workspace))];
}

/** Prints every issue. Returns how many are errors. */
export function printIssues(issues: readonly CheckIssue[], io: Pick<Io, 'out'>): number {
  for (const { severity, line } of issues) io.out(severity === 'warning' ? `warning: ${line}` : line);
  return issues.filter(({ severity }) => severity === 'error').length;
}

/** Prints every issue with its file and line. Returns 1 if one of them is an error, else 0. */
export async function check(flags: CommandFlags, io: Io): Promise<number> {
  const loaded = await loadConfig({ flags, cwd: io.cwd, ...(io.env === undefined ? {} : { env: io.env }) });
  const found = configIssues(loaded);
  if (loaded.issues.length === 0) {
    found.push(...(await databaseIssues(loaded, io.cwd)), ...(await foldersIssues(loaded, io.cwd)));
  }
  found.push(...(await contentIssues(loaded, flags, io)));

  const issues = withoutRepetitions(found);
  if (printIssues(issues, io) > 0) return 1;
  const warnings = issues.length === 1 ? '1 warning' : `${issues.length} warnings`;
  io.out(issues.length === 0 ? 'all is well' : `no errors, ${warnings}`);
  return 0;
}
