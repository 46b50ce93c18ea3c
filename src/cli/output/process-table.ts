// The table of `cloister status`.
import type { DeploymentReport, ReportedProcess } from '../../deployment/process-report.ts';

const HEADINGS = ['ADDRESS', 'HOST', 'PID', 'VERSION', 'SINCE', 'LAST SEEN', 'CHANGES', 'STATE'];

/** The cells of one line. A process that lacks changes is shown with how many there are. */
function cellsOf(process: ReportedProcess, newest: number): readonly string[] {
  const { address, host, pid, version, since, lastSeen, changes, state } = process;
  const inForce = changes === newest ? `${changes}` : `${changes} of ${newest}`;
  const times = [since, lastSeen].map((time) => new Date(time).toISOString());
  return [address, host, `${pid}`, version, ...times, inForce, state];
}

/** The lines, with headings. */
export function* processTable({ newestChange, processes }: DeploymentReport): Generator<string> {
  const rows = [HEADINGS, ...processes.map((process) => cellsOf(process, newestChange))];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  for (const row of rows) {
    yield row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  }
}
