// `cloister sandbox audit`: reports posted code, what it may do, and the self-test of the sandbox.
import type { SandboxReport } from '../modules/sandbox-report.ts';
import { firstSignal, type Io, type SignalSource } from './io.ts';
import { loadOrReport } from './load-or-report.ts';
import type { CommandFlags } from './parse-arguments.ts';
import { formatSandboxReport } from './sandbox-audit-page.ts';

interface Host extends SignalSource {
  exit(code: number): void;
}

/** Without a listener, Ctrl-C would end the process at once and leave the files of the self-test behind. */
function endWithSignals(host: Host): void {
  void firstSignal(host, (code) => host.exit(code)).then(() => host.exit(1));
}

function print(report: SandboxReport, asJson: boolean, io: Io): void {
  const lines = asJson ? [JSON.stringify(report, null, 2)] : formatSandboxReport(report);
  for (const line of lines) io.out(line);
}

/** Prints the report as text or JSON. Returns 1 if the configuration is invalid or the self-test failed, else 0. */
export async function sandboxAudit(flags: CommandFlags, io: Io, host: Host = process): Promise<number> {
  endWithSignals(host);
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  const { loadSandboxReport: readAudit } = await import('../cli-services.ts');
  const report = await readAudit(loaded.config, { cwd: io.cwd });
  print(report, flags.json === true, io);
  return report.selfTest.state === 'failed' ? 1 : 0;
}
