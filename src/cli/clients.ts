// `cloister clients`: manages clients on the machine, without a token.
import type { Client } from '../auth/clients/client.ts';
import type { Io } from './io.ts';
import { loadOrReport } from './load-or-report.ts';
import type { CommandFlags, CommandName } from './parse-arguments.ts';

/** The part of the client service that commands need. Methods throw an AppError for a mistake of the operator. */
interface ClientAdmin {
  /** `secret` is there only when it was generated. */
  create(body: unknown): Promise<{ readonly client: Client; readonly secret: string | undefined }>;
  createReviewer: ClientAdmin['create'];
  setReviewer(clientId: string, reviewer: boolean): Promise<Client>;
  list(): Promise<readonly Client[]>;
  remove(clientId: string): Promise<void>;
}

type ClientCommand = Extract<CommandName, `clients ${string}`>;

/** The two lines with the credentials of a client, whose secret is shown only once. */
export function credentialLines(id: string, secret: string): readonly string[] {
  return [`client id: ${id}`, `client secret: ${secret}`];
}

/** Runs one command on an open store and returns the exit code. */
async function runClients(
  admin: ClientAdmin,
  task: { readonly command: ClientCommand; readonly flags: CommandFlags },
  io: Io,
): Promise<number> {
  const { command, flags } = task;
  if (command === 'clients list') {
    for (const { clientId, accessType, reviewer } of await admin.list())
      io.out(`${clientId}\t${accessType}${reviewer ? '\treviewer' : ''}`);
    return 0;
  }
  if (flags.id === undefined) {
    io.err(`cloister: ${command}: --id is missing`);
    return 1;
  }
  if (command === 'clients remove') {
    await admin.remove(flags.id);
    io.out(`removed ${flags.id}`);
    return 0;
  }
  if (command === 'clients set') {
    const reviewer = flags.reviewer === true;
    await admin.setReviewer(flags.id, reviewer);
    io.out(`${flags.id} is ${reviewer ? 'now a reviewer' : 'no reviewer any more'}`);
    return 0;
  }
  const create = flags.reviewer === true ? admin.createReviewer : admin.create;
  const { client, secret } = await create({
    clientId: flags.id,
    accessType: flags.admin === true ? 'admin' : 'user',
    ...(flags.secret === undefined ? {} : { secret: flags.secret }),
  });
  for (const line of credentialLines(client.clientId, secret ?? flags.secret ?? '')) io.out(line);
  return 0;
}

/** Runs one command on the configured database. Returns the exit code, or throws what the store throws. */
export async function clients(command: ClientCommand, flags: CommandFlags, io: Io): Promise<number> {
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  const { openClientService: openClients } = await import('../setup/cli-services.ts');
  const opened = await openClients(loaded.config, { cwd: io.cwd });
  try {
    return await runClients(opened.clients, { command, flags }, io);
  } finally {
    await opened.close();
  }
}
