// `cloister endpoints suspend`, `cloister hooks resume` and so on: the operator suspends and resumes posted code without a token.
import type { ModuleAddress } from '../modules/model/module-types.ts';
import { type Io, loadOrReport } from './io.ts';
import { describeServers } from './output/workspace-changes.ts';
import type { CommandFlags, CommandName } from './usage/parse-arguments.ts';

type SuspensionCommand = Extract<CommandName, `${'endpoints' | 'hooks'} ${string}`>;

/** `1.0/report`, as in its path, or the name of a hook. */
function addressOf(command: SuspensionCommand, name: string): ModuleAddress | undefined {
  if (command.startsWith('hooks')) return { kind: 'hook', name };
  const [apiVersion = '', endpoint = '', ...more] = name.replace(/^\//, '').split('/');
  return endpoint === '' || more.length > 0 ? undefined : { kind: 'endpoint', apiVersion, name: endpoint };
}

/** Stores the order for the running servers or the next start. Returns the exit code, or throws what the store throws. */
export async function suspendOrResume(
  command: SuspensionCommand,
  flags: CommandFlags,
  io: Io,
): Promise<number> {
  const { name = '' } = flags;
  const address = addressOf(command, name);
  if (address === undefined) {
    io.err(`cloister: ${command}: ${name}: an endpoint is named by version and name, such as 1.0/report`);
    return 1;
  }
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  const { openSuspension } = await import('../setup/cli-services.ts');
  const opened = await openSuspension(loaded.config, { cwd: io.cwd });
  const action = command.endsWith('suspend') ? 'suspend' : 'resume';
  const done = action === 'suspend' ? 'suspended' : 'resumed';
  try {
    io.out(`${done} ${name}: ${describeServers(await opened.order(address, action))}`);
  } finally {
    await opened.close();
  }
  return 0;
}
