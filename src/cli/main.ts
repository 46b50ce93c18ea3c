// Dispatches the command and sets the exit code.
import { packageVersion } from '../lib/files/package-files.ts';
import { createIo, type Io, operatorMessage } from './io.ts';
import { HELP, isSuspensionCommand, type ParsedArguments, parseArguments } from './parse-arguments.ts';

async function run(usage: Exclude<ParsedArguments, { error: string }>, io: Io): Promise<number> {
  if ('show' in usage) {
    io.out(usage.show === 'help' ? HELP : packageVersion());
    return 0;
  }
  const { command, flags } = usage;
  if (command === 'start') return (await import('./start.ts')).start(flags, io);
  if (command === 'check' && flags.data === true)
    return (await import('./check-data.ts')).checkData(flags, io);
  if (command === 'check') return (await import('./check.ts')).check(flags, io);
  if (command === 'audit verify') return (await import('./audit-verify.ts')).auditVerify(flags, io);
  if (command === 'sandbox audit') return (await import('./sandbox-audit.ts')).sandboxAudit(flags, io);
  if (isSuspensionCommand(command))
    return (await import('./suspend-resume.ts')).suspendOrResume(command, flags, io);
  if (command === 'export') return (await import('./transfer.ts')).exportSite(flags, io);
  if (command === 'import') return (await import('./transfer.ts')).importSite(flags, io);
  if (command === 'media copy') return (await import('./media-copy.ts')).mediaCopy(flags, io);
  return (await import('./clients.ts')).clients(command, flags, io);
}

/** Runs the command of the arguments and returns its exit code. */
export async function runCommand(args: readonly string[], io: Io): Promise<number> {
  const usage = parseArguments(args);
  if ('error' in usage) {
    io.err(`cloister: ${usage.error} (see cloister --help)`);
    return 1;
  }
  try {
    return await run(usage, io);
  } catch (error) {
    const reason = operatorMessage(error);
    if (reason === undefined) throw error;
    io.err(`cloister: ${'command' in usage ? `${usage.command}: ` : ''}${reason}`);
    // Of `audit verify`, 1 says that the log is broken.
    return 'command' in usage && usage.command === 'audit verify' ? 2 : 1;
  }
}

/** Runs one command of this process to its end. */
export async function main(args: readonly string[]): Promise<void> {
  process.exitCode = await runCommand(args, createIo(process, process.cwd()));
}
