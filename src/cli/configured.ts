// The first step of every command: the configuration, or the list of what is wrong with it.
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { formatProblem } from '../config/problems.ts';
import type { Io } from './io.ts';
import type { CommandFlags } from './usage.ts';

/** Loads the configuration. Prints every problem and gives undefined when there is one; warnings are printed and pass. */
export async function loadOrReport(flags: CommandFlags, io: Io): Promise<LoadedConfig | undefined> {
  const loaded = await loadConfig({ flags, cwd: io.cwd, ...(io.env === undefined ? {} : { env: io.env }) });
  for (const warning of loaded.warnings) io.err(`warning: ${formatProblem(warning)}`);
  for (const problem of loaded.problems) io.err(formatProblem(problem));
  return loaded.problems.length === 0 ? loaded : undefined;
}
