// What the commands are called and how they are told apart: flags, help and the one line for a mistake.
import { parseArgs } from 'node:util';

export const HELP = `Usage: cloister <command> [flags]

Commands:
  start                                 serve the workspace
  check                                 check configuration, specifications, endpoints, hooks and policies
                                        without starting
  check --data [--repair]               check that the indexes of the embedded database agree with its documents,
                                        beside a server or without one; build those anew that do not
  clients add --id ID [--admin] [--secret S]
                                        add a client; its secret is shown once
  clients list                          list clients
  clients remove --id ID                remove a client; its tokens end with it
  export --file FILE                    write every document, with ids and revisions, as lines of JSON
  import --file FILE                    bring them into the configured database; may be repeated
  audit verify [--after N] [--json]     check that the audit log is whole, beside a server or without one; exits with
                                        1 where it is broken, with 2 where it cannot be checked
  sandbox audit [--json]                what custom code there is, and what it may do; runs the self-test

Flags:
  --config FILE      configuration file (default: config.json in the workspace)
  --workspace DIR    workspace folder (default: workspace)
  --port N           port of the content API (start only)
  --file FILE        file of an export or import; - is the standard stream
  --help, -h; --version, -v`;

const TEXT = { type: 'string' } as const;
const SWITCH = { type: 'boolean' } as const;
const COMMON = { config: TEXT, workspace: TEXT } as const;

/** The flags that each command takes. */
const COMMANDS = {
  start: { ...COMMON, port: TEXT },
  check: { ...COMMON, data: SWITCH, repair: SWITCH },
  'clients add': { ...COMMON, id: TEXT, admin: SWITCH, secret: TEXT },
  'clients list': COMMON,
  'clients remove': { ...COMMON, id: TEXT },
  export: { ...COMMON, file: TEXT },
  import: { ...COMMON, file: TEXT },
  'sandbox audit': { ...COMMON, json: SWITCH },
  'audit verify': { ...COMMON, after: TEXT, json: SWITCH },
} as const;

export type CommandName = keyof typeof COMMANDS;

/** Every flag of every command; a command reads its own. */
export interface CommandFlags {
  readonly config?: string | undefined;
  readonly workspace?: string | undefined;
  readonly port?: string | undefined;
  readonly id?: string | undefined;
  readonly secret?: string | undefined;
  readonly file?: string | undefined;
  readonly admin?: boolean | undefined;
  readonly after?: string | undefined;
  readonly json?: boolean | undefined;
  readonly data?: boolean | undefined;
  readonly repair?: boolean | undefined;
}

export type Usage =
  | { readonly command: CommandName; readonly flags: CommandFlags }
  | { readonly show: 'help' | 'version' }
  | { readonly mistake: string };

function commandOf(words: readonly string[]): CommandName | undefined {
  const name = words.join(' ');
  return Object.hasOwn(COMMANDS, name) ? (name as CommandName) : undefined;
}

const SHOWN = new Map<string, 'help' | 'version'>([
  ...['--help', '-h', 'help'].map((word) => [word, 'help'] as const),
  ...['--version', '-v', 'version'].map((word) => [word, 'version'] as const),
]);

/** What is asked for in place of a command; help also behind one, or behind the beginning of one. */
function shownBy(args: readonly string[]): 'help' | 'version' | undefined {
  return args.some((arg) => arg === '--help' || arg === '-h') ? 'help' : SHOWN.get(args[0] ?? '');
}

function mistakeIn(words: readonly string[]): string {
  if (words.length === 0) return 'no command given';
  if (words.length === 1 && words[0] === 'clients') return 'clients needs one of add, list, remove';
  if (words.length === 1 && words[0] === 'audit') return 'audit needs the word verify';
  if (words.length === 1 && words[0] === 'sandbox') return 'sandbox needs the word audit';
  return `unknown command: ${words.join(' ')}`;
}

/** Understands the arguments, or says in one line why not. */
export function parseUsage(args: readonly string[]): Usage {
  const show = shownBy(args);
  if (show !== undefined) return { show };
  const first = args.findIndex((arg) => arg.startsWith('-'));
  const words = first === -1 ? args : args.slice(0, first);
  const rest = first === -1 ? [] : args.slice(first);
  const command = commandOf(words);
  if (command === undefined) return { mistake: mistakeIn(words) };
  try {
    const { values } = parseArgs({ args: rest, options: COMMANDS[command], strict: true });
    const flags = values as CommandFlags;
    if (flags.repair === true && flags.data !== true) return { mistake: 'check: --repair needs --data' };
    return { command, flags };
  } catch (error) {
    // Node's text goes on with advice for programmers.
    const text = error instanceof Error ? error.message : '';
    return { mistake: `${command}: ${text.split('. ')[0]?.split('\n')[0]}` };
  }
}
