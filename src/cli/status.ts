// `cloister status`: the servers of the database and how they are.
import { type Io, loadOrReport } from './io.ts';
import { processTable } from './output/process-table.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

/** Prints the servers. Returns 0 where all of them run, 1 where none does or one is silent or has ended without stopping. */
export async function status(flags: CommandFlags, io: Io): Promise<number> {
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  const { readDeploymentReport } = await import('../setup/cli-services.ts');
  const report = await readDeploymentReport(loaded.config, { cwd: io.cwd });
  const { processes } = report;
  if (flags.json === true) io.out(JSON.stringify(report, null, 2));
  else if (processes.length === 0) io.out('no server runs on this database');
  else for (const line of processTable(report)) io.out(line);
  return processes.length > 0 && processes.every(({ state }) => state === 'running') ? 0 : 1;
}
