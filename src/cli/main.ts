// Dispatches the command and sets the exit code.
import { packageVersion } from '../lib/files/package-files.ts';
import { createIo, type Io, operatorMessage } from './io.ts';
import { completionScript } from './usage/completion.ts';
import { helpText } from './usage/help.ts';
import { type CommandFlags, type CommandName, parseArguments } from './usage/parse-arguments.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
/** Of `audit verify`, 1 says that the log is broken. */
const EXIT_UNVERIFIED = 2;

type Run = (flags: CommandFlags, io: Io) => Promise<number>;

const clientCommand =
  (command: Extract<CommandName, `clients ${string}`>): Run =>
  async (flags, io) =>
    (await import('./clients.ts')).clients(command, flags, io);

const suspension =
  (command: Extract<CommandName, `${'endpoints' | 'hooks'} ${string}`>): Run =>
  async (flags, io) =>
    (await import('./suspension.ts')).suspendOrResume(command, flags, io);

/** A command loads its own modules only. */
const RUNS: Readonly<Record<CommandName, Run>> = {
  init: async (flags, io) => (await import('./init.ts')).init(flags, io),
  start: async (flags, io) => (await import('./start.ts')).start(flags, io),
  check: async (flags, io) =>
    flags.data === true
      ? (await import('./check-data.ts')).checkData(flags, io)
      : (await import('./check.ts')).check(flags, io),
  status: async (flags, io) => (await import('./status.ts')).status(flags, io),
  openapi: async (flags, io) => (await import('./openapi.ts')).writeOpenApi(flags, io),
  'clients add': clientCommand('clients add'),
  'clients set': clientCommand('clients set'),
  'clients list': clientCommand('clients list'),
  'clients remove': clientCommand('clients remove'),
  'endpoints suspend': suspension('endpoints suspend'),
  'endpoints resume': suspension('endpoints resume'),
  'hooks suspend': suspension('hooks suspend'),
  'hooks resume': suspension('hooks resume'),
  export: async (flags, io) => (await import('./transfer.ts')).exportSite(flags, io),
  import: async (flags, io) =>
    flags.from === undefined
      ? (await import('./transfer.ts')).importSite(flags, io)
      : (await import('./import-older.ts')).importOlder(flags, io),
  backup: async (flags, io) => (await import('./backup.ts')).backup(flags, io),
  restore: async (flags, io) => (await import('./restore.ts')).restore(flags, io),
  'workspace push': async (flags, io) => (await import('./transfer.ts')).pushWorkspace(flags, io),
  'workspace pull': async (flags, io) => (await import('./transfer.ts')).pullWorkspace(flags, io),
  'media copy': async (flags, io) => (await import('./media-copy.ts')).mediaCopy(flags, io),
  bundle: async (flags, io) => (await import('./bundle.ts')).bundle(flags, io),
  migrate: async (flags, io) => (await import('./migrate.ts')).migrate(flags, io),
  'audit verify': async (flags, io) => (await import('./audit-verify.ts')).auditVerify(flags, io),
  'sandbox audit': async (flags, io) => (await import('./sandbox-audit.ts')).sandboxAudit(flags, io),
  completion: async ({ shell = '' }, io) => {
    io.out(completionScript(shell));
    return 0;
  },
};

/** Runs the command of the arguments and returns its exit code: 0, 1 where it failed, 2 where the arguments are wrong. */
export async function runCommand(args: readonly string[], io: Io): Promise<number> {
  const parsed = parseArguments(args);
  if ('error' in parsed) {
    io.err(`cloister: ${parsed.error} (see cloister --help)`);
    return EXIT_USAGE;
  }
  if ('show' in parsed) {
    io.out(parsed.show === 'help' ? helpText(parsed.words) : packageVersion());
    return 0;
  }
  const { command, flags } = parsed;
  try {
    return await RUNS[command](flags, io);
  } catch (error) {
    const reason = operatorMessage(error);
    if (reason === undefined) throw error;
    io.err(`cloister: ${command}: ${reason}`);
    return command === 'audit verify' ? EXIT_UNVERIFIED : EXIT_FAILED;
  }
}

/** Runs one command of this process to its end. */
export async function main(args: readonly string[]): Promise<void> {
  process.exitCode = await runCommand(args, createIo(process, process.cwd()));
}
