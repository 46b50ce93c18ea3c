// `cloister status`: the servers of the database and how they are.

import type { DeploymentReport, ReportedProcess } from '../deployment/process-report.ts';
import { type Io, loadOrReport } from './io.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

const HEADINGS = ['ADDRESS', 'HOST', 'PID', 'VERSION', 'SINCE', 'LAST SEEN', 'CHANGES', 'STATE'];

/** The cells of one line. A process that lacks changes is shown with how many there are. */
function cellsOf(process: ReportedProcess, newest: number): readonly string[] {
  const { address, host, pid, version, since, lastSeen, changes, state } = process;
  const inForce = changes === newest ? `${changes}` : `${changes} of ${newest}`;
  const times = [since, lastSeen].map((time) => new Date(time).toISOString());
  return [address, host, `${pid}`, version, ...times, inForce, state];
}

/** The lines of the table, with headings. */
function* processTable({ newestChange, processes }: DeploymentReport): Generator<string> {
  const rows = [HEADINGS, ...processes.map((process) => cellsOf(process, newestChange))];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  for (const row of rows) {
    yield row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  }
}

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
