// `cloister check`: everything that a person edits is looked at, nothing is started.
import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { checkSpecifications } from '../collections/specifications/check.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { formatProblem } from '../config/problems.ts';
import type { Io } from './io.ts';
import type { CommandFlags } from './usage.ts';

interface Finding {
  readonly severity: 'error' | 'warning';
  readonly line: string;
}

function configFindings({ problems, warnings }: LoadedConfig): Finding[] {
  return [
    ...problems.map((problem) => ({ severity: 'error' as const, line: formatProblem(problem) })),
    ...warnings.map((problem) => ({ severity: 'warning' as const, line: formatProblem(problem) })),
  ];
}

async function specificationFindings({ config }: LoadedConfig, cwd: string): Promise<Finding[]> {
  const root = resolve(cwd, config.workspace.path, config.paths.collections);
  const { enableCollectionDatabases } = config.database;
  const problems = await checkSpecifications({ root, enableCollectionDatabases });
  return problems.map(({ file, line, message, severity }) => ({
    severity,
    line: formatProblem({
      setting: '',
      message,
      file: relative(cwd, resolve(root, file)),
      ...(line === undefined ? {} : { line }),
    }),
  }));
}

/** Prints every problem with its file and line. Gives 1 when one of them would be refused, else 0. */
export async function check(flags: CommandFlags, io: Io): Promise<number> {
  const loaded = await loadConfig({ flags, cwd: io.cwd, ...(io.env === undefined ? {} : { env: io.env }) });
  const workspace = resolve(io.cwd, loaded.config.workspace.path);
  const findings = configFindings(loaded);
  if (existsSync(workspace)) findings.push(...(await specificationFindings(loaded, io.cwd)));
  else findings.push({ severity: 'error', line: `${loaded.config.workspace.path}: there is no such folder` });

  for (const { severity, line } of findings) io.out(severity === 'warning' ? `warning: ${line}` : line);
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) return 1;
  const warnings = findings.length === 1 ? '1 warning' : `${findings.length} warnings`;
  io.out(findings.length === 0 ? 'all is well' : `no errors, ${warnings}`);
  return 0;
}
