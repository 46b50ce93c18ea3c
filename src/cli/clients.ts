// `cloister clients`: manages clients on the machine, without a token.
import type { Client } from '../auth/clients/client.ts';
import type { RightsChange } from '../auth/clients/client-service.ts';
import { type Io, loadOrReport } from './io.ts';
import { describeClient, describeRights } from './output/client-rights.ts';
import type { CommandFlags, CommandName } from './usage/parse-arguments.ts';

/** The part of the client service that commands need. Methods throw an AppError for a mistake of the operator. */
interface ClientAdmin {
  /** `secret` is there only when it was generated. */
  create(body: unknown): Promise<{ readonly client: Client; readonly secret: string | undefined }>;
  createReviewer: ClientAdmin['create'];
  setRights(clientId: string, rights: RightsChange): Promise<Client>;
  list(): Promise<readonly Client[]>;
  /** The issuer whose users have ids like this one. */
  issuerOf(clientId: string): string | undefined;
  remove(clientId: string): Promise<void>;
}

type ClientCommand = Extract<CommandName, `clients ${string}`>;

/** The two lines with the credentials of a client, whose secret is shown only once. */
export function credentialLines(id: string, secret: string): readonly string[] {
  return [`client id: ${id}`, `client secret: ${secret}`];
}

const rightsLine = (client: Client) => `client may: ${describeRights(client)}`;

/** What the flags of `clients set` change. */
function rightsOf(flags: CommandFlags): RightsChange {
  const roles = flags['no-roles'] === true ? [] : flags.role;
  return {
    ...(roles === undefined ? {} : { roles }),
    ...(flags['read-only'] === true ? { readOnly: true } : {}),
    ...(flags['no-read-only'] === true ? { readOnly: false } : {}),
    ...(flags.reviewer === true ? { reviewer: true } : {}),
    ...(flags['no-reviewer'] === true ? { reviewer: false } : {}),
  };
}

async function setRights(
  admin: Pick<ClientAdmin, 'setRights'>,
  { id, rights }: { readonly id: string; readonly rights: RightsChange },
  io: Io,
): Promise<void> {
  const client = await admin.setRights(id, rights);
  const { reviewer, roles, readOnly } = rights;
  if (reviewer !== undefined) io.out(`${id} is ${reviewer ? 'now a reviewer' : 'no reviewer any more'}`);
  if (roles !== undefined || readOnly !== undefined) io.out(rightsLine(client));
}

/** Runs one command on an open store and returns the exit code. */
async function runClients(
  admin: ClientAdmin,
  task: { readonly command: ClientCommand; readonly flags: CommandFlags },
  io: Io,
): Promise<number> {
  const { command, flags } = task;
  if (command === 'clients list') {
    for (const client of await admin.list()) {
      const issuer = admin.issuerOf(client.clientId);
      const note = issuer === undefined ? [] : [`no access: its id is one of a user of ${issuer}`];
      io.out([client.clientId, client.accessType, ...describeClient(client), ...note].join('\t'));
    }
    return 0;
  }
  const { id = '' } = flags;
  if (command === 'clients remove') {
    await admin.remove(id);
    io.out(`removed ${id}`);
    return 0;
  }
  if (command === 'clients set') {
    await setRights(admin, { id, rights: rightsOf(flags) }, io);
    return 0;
  }
  const create = flags.reviewer === true ? admin.createReviewer : admin.create;
  const { client, secret } = await create({
    clientId: id,
    accessType: flags.admin === true ? 'admin' : 'user',
    roles: flags.role ?? [],
    ...(flags['read-only'] === true ? { permissions: { actions: ['read'] } } : {}),
    ...(flags.secret === undefined ? {} : { secret: flags.secret }),
  });
  for (const line of credentialLines(client.clientId, secret ?? flags.secret ?? '')) io.out(line);
  io.out(rightsLine(client));
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
