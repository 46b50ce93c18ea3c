// The help texts: all commands, those of a group such as `clients`, or one with its flags.
import { COMMAND_SPECS, type CommandSpec, type FlagName, flagSpec, flagsOf } from './command-table.ts';

/** Columns of a help text. */
const MAX_WIDTH = 100;
const INFORMATION = [
  ['--help, -h', 'show this; after a command, its help'],
  ['--version, -v', 'show the version'],
] as const;

/** `--file FILE` */
export function flagUsage(name: FlagName): string {
  const { value, choices } = flagSpec(name);
  if (value === undefined) return `--${name}`;
  return `--${name} ${choices?.join('|') ?? value}`;
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

/** Two columns, the second one wrapped. */
function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.flatMap(([left, right]) =>
    wrapped(right, MAX_WIDTH - width - 2).map(
      (line, at) => `  ${(at === 0 ? left : '').padEnd(width)}${line}`,
    ),
  );
}

/** `clients add ID`, with the flags that must be there. */
export function commandUsage(name: string, { operand, required = [] }: CommandSpec): string {
  const about = operand === undefined ? [] : [operand.choices?.join('|') ?? operand.label];
  return [name, ...about, ...required.map(flagUsage)].join(' ');
}

const flagRows = (flags: readonly FlagName[]) =>
  flags.map((name) => [flagUsage(name), flagSpec(name).text] as const);

function commandHelp(name: string, spec: CommandSpec): readonly string[] {
  const flags = flagsOf(spec);
  return [
    `Usage: cloister ${commandUsage(name, spec)}${flags.length > 0 ? ' [flags]' : ''}`,
    '',
    ...wrapped(`${spec.summary.replace(/^./, (first) => first.toUpperCase())}.`, MAX_WIDTH),
    ...(spec.detail === undefined ? [] : wrapped(spec.detail, MAX_WIDTH)),
    ...(flags.length > 0 ? ['', 'Flags:', ...columns(flagRows(flags))] : []),
  ];
}

function overview(words: string): readonly string[] {
  const commands = [...COMMAND_SPECS].filter(([name]) => words === '' || name.startsWith(`${words} `));
  const rows = commands.map(([name, spec]) => [commandUsage(name, spec), spec.summary] as const);
  return [
    `Usage: cloister ${words === '' ? '' : `${words} `}<command> [flags]`,
    '',
    'Commands:',
    ...columns(rows),
    '',
    'Flags:',
    ...columns([...flagRows(['config', 'workspace']), ...INFORMATION]),
    '',
    'The flags of a command: cloister <command> --help',
  ];
}

/** The help for the words of a command or of a group of them; of every command for others. */
export function helpText(words: readonly string[] = []): string {
  const name = [words.slice(0, 2).join(' '), words[0] ?? ''].find((some) => COMMAND_SPECS.has(some)) ?? '';
  const spec = COMMAND_SPECS.get(name);
  if (spec !== undefined) return commandHelp(name, spec).join('\n');
  const [group = ''] = words;
  const isGroup = [...COMMAND_SPECS.keys()].some((some) => some.startsWith(`${group} `));
  return overview(isGroup ? group : '').join('\n');
}
