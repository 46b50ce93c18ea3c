// Parses the command line by the table of commands: a command with its flags, a request for help, or one line that says what
// is wrong.
import { parseArgs } from 'node:util';
import {
  COMMAND_SPECS,
  type CommandName,
  type CommandSpec,
  type FLAGS,
  type FlagName,
  flagSpec,
  flagsOf,
  type OperandName,
  subcommandsOf,
} from './command-table.ts';

export type { CommandName };

type FlagValue<Name extends FlagName> = (typeof FLAGS)[Name] extends { readonly repeated: true }
  ? readonly string[]
  : (typeof FLAGS)[Name] extends { readonly value: string }
    ? string
    : boolean;

/** Every flag and operand of every command; a command reads its own. */
export type CommandFlags = {
  readonly [Name in FlagName]?: FlagValue<Name> | undefined;
} & { readonly [Name in OperandName]?: string | undefined };

export type ParsedArguments =
  | { readonly command: CommandName; readonly flags: CommandFlags }
  | { readonly show: 'help'; readonly words: readonly string[] }
  | { readonly show: 'version' }
  | { readonly error: string };

const isHelpFlag = (arg: string) => arg === '--help' || arg === '-h';
const VERSION: ReadonlySet<string | undefined> = new Set(['--version', '-v', 'version']);

/** Help or version, if requested in place of a command; help also after one. */
function requestedInformation(args: readonly string[]): ParsedArguments | undefined {
  const words = args.filter((arg) => !arg.startsWith('-'));
  if (args[0] === 'help') return { show: 'help', words: words.slice(1) };
  if (args.some(isHelpFlag)) return { show: 'help', words };
  return VERSION.has(args[0]) ? { show: 'version' } : undefined;
}

function unknownCommandError(words: readonly string[]): string {
  const [first] = words;
  if (first === undefined) return 'no command given';
  const known = subcommandsOf(first);
  if (words.length > 1 || known.length === 0) return `unknown command: ${words.join(' ')}`;
  return `${first} needs ${known.length === 1 ? 'the word' : 'one of'} ${known.join(', ')}`;
}

function operandError({ operand }: CommandSpec, flags: CommandFlags): string | undefined {
  if (operand === undefined) return undefined;
  const { key, label, choices } = operand;
  const about = flags[key] ?? '';
  if (about === '') return `${label} is missing${choices === undefined ? '' : `: ${choices.join(' or ')}`}`;
  return choices?.includes(about) === false ? `takes ${choices.join(' or ')}` : undefined;
}

function valueError(spec: CommandSpec, flags: CommandFlags): string | undefined {
  const { required = [] } = spec;
  for (const flag of flagsOf(spec)) {
    const { choices } = flagSpec(flag);
    const value = flags[flag];
    if (value === undefined && required.includes(flag))
      return `--${flag} is missing${choices === undefined ? '' : `: ${choices.join(' or ')}`}`;
    if (typeof value === 'string' && choices?.includes(value) === false)
      return `--${flag} takes ${choices.join(' or ')}`;
  }
  return undefined;
}

const listed = (flags: readonly string[]) => flags.map((flag) => `--${flag}`).join(', ');

/** What is wrong with valid flags together. */
function combinationError(
  { needsOneOf = [], exclusive = [] }: CommandSpec,
  flags: CommandFlags,
): string | undefined {
  const both = exclusive.find((pair) => pair.every((flag) => flags[flag] !== undefined));
  if (both !== undefined) return `--${both[0]} and --${both[1]} exclude each other`;
  if (needsOneOf.length > 0 && needsOneOf.every((flag) => flags[flag] === undefined))
    return `needs one of ${listed(needsOneOf)}`;
  return flags.repair === true && flags.data !== true ? '--repair needs --data' : undefined;
}

/** The message of Node without its advice for programmers. */
function parseError({ message: text }: Error): string {
  const [, flag] = /^Option '(?:-\w, )?--([\w-]+).* argument is ambiguous/.exec(text) ?? [];
  if (flag !== undefined) return `write --${flag}=VALUE for a value that begins with -`;
  return text.replace(/(?:\. |\n).*$/s, '');
}

function parseFlags(spec: CommandSpec, args: readonly string[]): CommandFlags {
  const optionOf = (flag: FlagName) => {
    const { value, repeated = false } = flagSpec(flag);
    return { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple: repeated };
  };
  const options = Object.fromEntries(flagsOf(spec).map((flag) => [flag, optionOf(flag)] as const));
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const flags = { ...values } as CommandFlags;
  const { operand } = spec;
  const [about, ...more] = positionals;
  if (about === undefined) return flags;
  const isTaken = operand === undefined || flags[operand.key] !== undefined;
  if (isTaken || more.length > 0) throw new Error(`Unexpected argument '${isTaken ? about : more[0]}'`);
  return { ...flags, [operand.key]: about };
}

/** Parses the arguments. `error` is one line for the operator. */
export function parseArguments(args: readonly string[]): ParsedArguments {
  const information = requestedInformation(args);
  if (information !== undefined) return information;
  const first = args.findIndex((arg) => arg.startsWith('-'));
  const words = first === -1 ? args : args.slice(0, first);
  const name = [words.slice(0, 2).join(' '), words[0] ?? ''].find((some) => COMMAND_SPECS.has(some)) ?? '';
  const spec = COMMAND_SPECS.get(name);
  if (spec === undefined) return { error: unknownCommandError(words.slice(0, 2)) };
  try {
    const flags = parseFlags(spec, args.slice(name.split(' ').length));
    const error = operandError(spec, flags) ?? valueError(spec, flags) ?? combinationError(spec, flags);
    return error === undefined ? { command: name as CommandName, flags } : { error: `${name}: ${error}` };
  } catch (error) {
    return { error: `${name}: ${parseError(error as Error)}` };
  }
}
