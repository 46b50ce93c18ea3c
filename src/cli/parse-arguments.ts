// Parses the command line: commands, flags, help, and one line for invalid arguments.
import { parseArgs } from 'node:util';

export const HELP = `Usage: cloister <command> [flags]

Commands:
  start                                 serve the workspace
  check                                 check configuration, specifications, endpoints, hooks, policies, routes
                                        and recipes without starting
  check --data [--repair]               check that the indexes of the embedded database agree with its documents,
                                        beside a server or without one; build those anew that do not
  clients add --id ID [--admin] [--reviewer] [--role R] [--read-only] [--secret S]
                                        add a client; its secret is shown once, and what it may do
  clients set ID [--role R | --no-roles] [--read-only | --no-read-only] [--reviewer | --no-reviewer]
                                        replace its roles; let it only read, or lift that; give or take the right
                                        to approve what others post
  clients list                          list clients with their rights
  clients remove --id ID                remove a client; its tokens end with it
  endpoints suspend VERSION/NAME        end all that runs of an endpoint, beside a server or without one; it stays
                                        suspended, whoever posts it, until it is resumed
  endpoints resume VERSION/NAME         let it run again, whoever suspended it
  hooks suspend NAME, hooks resume NAME
                                        the same for a hook
  export --file FILE                    write every document, with ids and revisions, as lines of JSON
  import --file FILE                    bring them into the configured database; may be repeated
  media copy --to s3|disk               copy the files of media collections from the folder to the bucket, or back; may be
                                        repeated
  audit verify [--after N] [--json]     check that the audit log is whole, beside a server or without one; exits with
                                        1 where it is broken, with 2 where it cannot be checked
  sandbox audit [--json]                what custom code there is, and what it may do; runs the self-test

Flags:
  --config FILE      configuration file (default: config.json in the workspace)
  --workspace DIR    workspace folder (default: workspace)
  --port N           port of the content API (start only)
  --delivery-port N  port of the delivery component (start only)
  --only content     serve the content API alone, or with the word delivery that component (start only)
  --to STORE         where media files are copied to: s3 or disk (media copy only)
  --role R           a role that rules of collections name; may be repeated (clients only)
  --file FILE        file of an export or import; - is the standard stream
  --help, -h; --version, -v`;

const TEXT = { type: 'string' } as const;
const SWITCH = { type: 'boolean' } as const;
const REPEATED = { type: 'string', multiple: true } as const;
const COMMON = { config: TEXT, workspace: TEXT } as const;

/** The flags that each command takes. */
const COMMANDS = {
  start: { ...COMMON, port: TEXT, 'delivery-port': TEXT, only: TEXT },
  check: { ...COMMON, data: SWITCH, repair: SWITCH },
  'clients add': {
    ...COMMON,
    ...{ id: TEXT, admin: SWITCH, reviewer: SWITCH, role: REPEATED, 'read-only': SWITCH, secret: TEXT },
  },
  'clients set': {
    ...COMMON,
    id: TEXT,
    ...{ reviewer: SWITCH, 'no-reviewer': SWITCH, role: REPEATED, 'no-roles': SWITCH },
    ...{ 'read-only': SWITCH, 'no-read-only': SWITCH },
  },
  'clients list': COMMON,
  'clients remove': { ...COMMON, id: TEXT },
  'endpoints suspend': COMMON,
  'endpoints resume': COMMON,
  'hooks suspend': COMMON,
  'hooks resume': COMMON,
  export: { ...COMMON, file: TEXT },
  import: { ...COMMON, file: TEXT },
  'media copy': { ...COMMON, to: TEXT },
  'sandbox audit': { ...COMMON, json: SWITCH },
  'audit verify': { ...COMMON, after: TEXT, json: SWITCH },
} as const;

export type CommandName = keyof typeof COMMANDS;
export type SuspensionCommand = `${'endpoints' | 'hooks'} ${'suspend' | 'resume'}`;

const SUSPENSIONS: ReadonlySet<string> = new Set<SuspensionCommand>([
  ...(['endpoints suspend', 'endpoints resume', 'hooks suspend', 'hooks resume'] as const),
]);

/** Commands that take a name behind their words. */
export function isSuspensionCommand(command: string): command is SuspensionCommand {
  return SUSPENSIONS.has(command);
}

export type ListenerName = 'content' | 'delivery';

/** True for what `--only` takes. */
export function isListenerName(text: string | undefined): text is ListenerName {
  return text === 'content' || text === 'delivery';
}

/** Every flag of every command; a command reads its own. */
export interface CommandFlags {
  readonly config?: string | undefined;
  readonly workspace?: string | undefined;
  readonly port?: string | undefined;
  readonly 'delivery-port'?: string | undefined;
  readonly only?: string | undefined;
  readonly id?: string | undefined;
  readonly secret?: string | undefined;
  readonly file?: string | undefined;
  readonly to?: string | undefined;
  /** What the command is about, where it takes a name. */
  readonly name?: string | undefined;
  readonly admin?: boolean | undefined;
  readonly reviewer?: boolean | undefined;
  readonly 'no-reviewer'?: boolean | undefined;
  readonly role?: readonly string[] | undefined;
  readonly 'no-roles'?: boolean | undefined;
  readonly 'read-only'?: boolean | undefined;
  readonly 'no-read-only'?: boolean | undefined;
  readonly after?: string | undefined;
  readonly json?: boolean | undefined;
  readonly data?: boolean | undefined;
  readonly repair?: boolean | undefined;
}

export type ParsedArguments =
  | { readonly command: CommandName; readonly flags: CommandFlags }
  | { readonly show: 'help' | 'version' }
  | { readonly error: string };

/** The command that the first words name. */
function commandOf(words: readonly string[]): CommandName | undefined {
  const naming = words.slice(0, 2).join(' ');
  const name = isSuspensionCommand(naming) ? naming : words.join(' ');
  return Object.hasOwn(COMMANDS, name) ? (name as CommandName) : undefined;
}

/** Flags, and the one name where the command takes one. */
function flagsOf(command: CommandName, words: readonly string[], rest: readonly string[]): CommandFlags {
  const allowPositionals = isSuspensionCommand(command);
  const args = allowPositionals ? [...words.slice(2), ...rest] : [...rest];
  const options = COMMANDS[command];
  const { values, positionals } = parseArgs({ args, options, strict: true, allowPositionals });
  return { ...(values as CommandFlags), ...(allowPositionals ? { name: positionals.join(' ') } : {}) };
}

const INFORMATION = new Map<string, 'help' | 'version'>([
  ...['--help', '-h', 'help'].map((word) => [word, 'help'] as const),
  ...['--version', '-v', 'version'].map((word) => [word, 'version'] as const),
]);

/** Help or version, if requested in place of a command; help also after one. */
function requestedInformation(args: readonly string[]): 'help' | 'version' | undefined {
  return args.some((arg) => arg === '--help' || arg === '-h') ? 'help' : INFORMATION.get(args[0] ?? '');
}

function unknownCommandError(words: readonly string[]): string {
  if (words.length === 0) return 'no command given';
  if (words.length === 1 && words[0] === 'clients') return 'clients needs one of add, set, list, remove';
  if (words.length === 1 && (words[0] === 'endpoints' || words[0] === 'hooks'))
    return `${words[0]} needs one of suspend, resume`;
  if (words.length === 1 && words[0] === 'media') return 'media needs the word copy';
  if (words.length === 1 && words[0] === 'audit') return 'audit needs the word verify';
  if (words.length === 1 && words[0] === 'sandbox') return 'sandbox needs the word audit';
  return `unknown command: ${words.join(' ')}`;
}

/** The arguments of `clients set` with its id as a flag: it may stand by itself. */
function withIdFlag(args: readonly string[]): readonly string[] {
  const [first, second, id, ...rest] = args;
  const names = first === 'clients' && second === 'set' && id !== undefined && !id.startsWith('-');
  return names ? [first, second, `--id=${id}`, ...rest] : args;
}

/** Flags of `clients set` that exclude each other. */
const CLIENT_CHANGES = [
  ['role', 'no-roles'],
  ['read-only', 'no-read-only'],
  ['reviewer', 'no-reviewer'],
] as const;

function clientFlagsError(command: CommandName, flags: CommandFlags): string | undefined {
  if (command === 'clients add' && flags.admin === true && flags['read-only'] === true)
    return 'clients add: --admin and --read-only exclude each other';
  if (command !== 'clients set') return undefined;
  const both = CLIENT_CHANGES.find((pair) => pair.every((name) => flags[name] !== undefined));
  if (both !== undefined) return `clients set: --${both[0]} and --${both[1]} exclude each other`;
  if (CLIENT_CHANGES.flat().some((name) => flags[name] !== undefined)) return undefined;
  return 'clients set: needs one of --role, --no-roles, --read-only, --no-read-only, --reviewer, --no-reviewer';
}

/** The error of a combination of valid flags. */
function flagsError(command: CommandName, flags: CommandFlags): string | undefined {
  if (flags.name === '') return `${command}: the name is missing`;
  if (command === 'start' && flags.only !== undefined && !isListenerName(flags.only))
    return 'start: --only takes content or delivery';
  if (flags.repair === true && flags.data !== true) return 'check: --repair needs --data';
  if (command === 'media copy' && flags.to !== 's3' && flags.to !== 'disk')
    return 'media copy: needs --to s3 or --to disk';
  return clientFlagsError(command, flags);
}

/** Parses the arguments. `error` is one line for the operator. */
export function parseArguments(given: readonly string[]): ParsedArguments {
  const show = requestedInformation(given);
  if (show !== undefined) return { show };
  const args = withIdFlag(given);
  const first = args.findIndex((arg) => arg.startsWith('-'));
  const words = first === -1 ? args : args.slice(0, first);
  const rest = first === -1 ? [] : args.slice(first);
  const command = commandOf(words);
  if (command === undefined) return { error: unknownCommandError(words) };
  try {
    const flags = flagsOf(command, words, rest);
    const error = flagsError(command, flags);
    return error === undefined ? { command, flags } : { error };
  } catch (error) {
    // Node appends advice for programmers.
    const text = error instanceof Error ? error.message : '';
    return { error: `${command}: ${text.split('. ')[0]?.split('\n')[0]}` };
  }
}
