// `cloister check`: everything that a person edits is looked at, nothing is started but what evaluates posted code.
import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { createRegistry, type Registry } from '../collections/model/registry.ts';
import { checkSpecificationFiles } from '../collections/specifications/check-files.ts';
import { locateIssues, readConfigFile } from '../config/config-file.ts';
import { formatConfigIssue } from '../config/config-issue.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { AppError } from '../errors.ts';
import type { Io } from './io.ts';
import type { CommandFlags } from './parse-arguments.ts';

interface CheckIssue {
  readonly severity: 'error' | 'warning';
  readonly line: string;
}

/** A problem of a file, as every check reports it. */
interface FileIssue {
  /** Absolute. */
  readonly file: string;
  readonly line?: number;
  readonly message: string;
  readonly severity: CheckIssue['severity'];
}

function configFindings({ issues: problems, warnings }: LoadedConfig): CheckIssue[] {
  return [
    ...problems.map((problem) => ({ severity: 'error' as const, line: formatConfigIssue(problem) })),
    ...warnings.map((problem) => ({ severity: 'warning' as const, line: formatConfigIssue(problem) })),
  ];
}

const fileFinding = (cwd: string, { file, line, message, severity }: FileIssue): CheckIssue => ({
  severity,
  line: formatConfigIssue({
    setting: '',
    message,
    file: relative(cwd, file),
    ...(line === undefined ? {} : { line }),
  }),
});

/** Collections without errors end up in the registry. */
async function specificationFindings(
  { config }: LoadedConfig,
  cwd: string,
  known: { readonly registry?: Registry; readonly hooks?: ReadonlySet<string> },
): Promise<CheckIssue[]> {
  const root = resolve(cwd, config.workspace.path, config.paths.collections);
  const { enableCollectionDatabases } = config.database;
  const problems = await checkSpecificationFiles({ root, enableCollectionDatabases, ...known });
  return problems.map((problem) => fileFinding(cwd, { ...problem, file: resolve(root, problem.file) }));
}

async function workspaceFindings(loaded: LoadedConfig, cwd: string): Promise<CheckIssue[]> {
  const { openModuleChecker: openModuleCheck } = await import('../cli-services.ts');
  const modules = await openModuleCheck(loaded.config, { cwd });
  try {
    const known = { registry: createRegistry(), hooks: await modules.hookNames() };
    const specifications = await specificationFindings(loaded, cwd, known);
    const problems = await modules.check(known.registry);
    return [...specifications, ...problems.map((problem) => fileFinding(cwd, problem))];
  } finally {
    await modules.close();
  }
}

async function deliveryFindings({ config }: LoadedConfig, cwd: string): Promise<CheckIssue[]> {
  const { checkDelivery } = await import('../cli-services.ts');
  return (await checkDelivery(config, { cwd })).map((problem) => fileFinding(cwd, problem));
}

async function databaseFindings({ config }: LoadedConfig, cwd: string): Promise<CheckIssue[]> {
  const { checkDatabase } = await import('../cli-services.ts');
  try {
    await checkDatabase(config, { cwd });
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.items.map(({ message }) => ({ severity: 'error', line: message }));
  }
}

/** Told with the line of the setting, where the file has it. */
async function mediaFindings({ config, file }: LoadedConfig, cwd: string): Promise<CheckIssue[]> {
  const { mediaFolderIssues } = await import('../cli-services.ts');
  const issues = await mediaFolderIssues(config, cwd);
  if (issues.length === 0) return [];
  const { text } = await readConfigFile(file);
  const findings = issues.map(async ({ severity, message }): Promise<CheckIssue[]> => {
    const located = await locateIssues(relative(cwd, file), text, [{ written: 'media.basePath', message }]);
    return located.map((problem) => ({ severity, line: formatConfigIssue(problem) }));
  });
  return (await Promise.all(findings)).flat();
}

const MODULES_NOT_CHECKED: CheckIssue = {
  severity: 'warning',
  line: 'endpoints, hooks and policies are looked at once the configuration is right',
};

/** What is wrong with the ceilings, which are part of the configuration, is a finding like the others. */
async function findingsIn(loaded: LoadedConfig, cwd: string): Promise<CheckIssue[]> {
  if (loaded.issues.length > 0)
    return [...(await specificationFindings(loaded, cwd, {})), MODULES_NOT_CHECKED];
  try {
    return await workspaceFindings(loaded, cwd);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'CONFIGURATION_INVALID') throw error;
    const file = loaded.config.sandbox.policyFile;
    const ceilings = error.items.map(({ field, message }) => ({
      severity: 'error' as const,
      line: formatConfigIssue({ setting: field ?? '', message, ...(file === undefined ? {} : { file }) }),
    }));
    return [...ceilings, ...(await specificationFindings(loaded, cwd, {})), MODULES_NOT_CHECKED];
  }
}

/** Prints every problem with its file and line. Gives 1 when one of them would be refused, else 0. */
export async function check(flags: CommandFlags, io: Io): Promise<number> {
  const loaded = await loadConfig({ flags, cwd: io.cwd, ...(io.env === undefined ? {} : { env: io.env }) });
  const workspace = resolve(io.cwd, loaded.config.workspace.path);
  const findings = configFindings(loaded);
  if (loaded.issues.length === 0) {
    findings.push(...(await databaseFindings(loaded, io.cwd)), ...(await mediaFindings(loaded, io.cwd)));
  }
  if (existsSync(workspace)) {
    findings.push(...(await findingsIn(loaded, io.cwd)), ...(await deliveryFindings(loaded, io.cwd)));
  } else {
    findings.push({ severity: 'error', line: `${loaded.config.workspace.path}: there is no such folder` });
  }

  for (const { severity, line } of findings) io.out(severity === 'warning' ? `warning: ${line}` : line);
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) return 1;
  const warnings = findings.length === 1 ? '1 warning' : `${findings.length} warnings`;
  io.out(findings.length === 0 ? 'all is well' : `no errors, ${warnings}`);
  return 0;
}
