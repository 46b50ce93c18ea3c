// The first step of every command: loads the configuration or prints its issues.

import { formatConfigIssue } from '../config/config-file.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import type { Io } from './io.ts';
import type { CommandFlags } from './parse-arguments.ts';

/** Loads the configuration and prints its issues and warnings. Undefined if there are issues. */
export async function loadOrReport(flags: CommandFlags, io: Io): Promise<LoadedConfig | undefined> {
  const loaded = await loadConfig({ flags, cwd: io.cwd, ...(io.env === undefined ? {} : { env: io.env }) });
  for (const warning of loaded.warnings) io.err(`warning: ${formatConfigIssue(warning)}`);
  for (const problem of loaded.issues) io.err(formatConfigIssue(problem));
  return loaded.issues.length === 0 ? loaded : undefined;
}
