// Picks the command and turns its result into the exit code.
import { packageVersion } from '../lib/package-version.ts';
import { createIo, type Io } from './io.ts';
import { HELP, parseUsage, type Usage } from './usage.ts';

async function run(usage: Exclude<Usage, { mistake: string }>, io: Io): Promise<number> {
  if ('show' in usage) {
    io.out(usage.show === 'help' ? HELP : packageVersion());
    return 0;
  }
  const { command, flags } = usage;
  if (command === 'start') return (await import('./start.ts')).start(flags, io);
  if (command === 'check') return (await import('./check.ts')).check(flags, io);
  return (await import('./clients.ts')).clients(command, flags, io);
}

/** Runs one command of the process to its end and sets the exit code. */
export async function main(args: readonly string[]): Promise<void> {
  const io = createIo(process, process.cwd());
  const usage = parseUsage(args);
  if ('mistake' in usage) {
    io.err(`cloister: ${usage.mistake} (see cloister --help)`);
    process.exitCode = 1;
    return;
  }
  process.exitCode = await run(usage, io);
}
