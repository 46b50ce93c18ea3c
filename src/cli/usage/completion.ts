// Completions for shells, made from the table of commands: words, flags, the values of those with few, files and folders.
import {
  COMMAND_SPECS,
  type CommandSpec,
  FLAGS,
  type FlagSpec,
  flagSpec,
  flagsOf,
  subcommandsOf,
} from './command-table.ts';

const FIRST_WORDS = [...new Set([...COMMAND_SPECS.keys()].map((name) => name.split(' ')[0] ?? ''))];
const GROUPS = FIRST_WORDS.filter((word) => subcommandsOf(word).length > 0);

const longFlags = (spec: CommandSpec) => [...flagsOf(spec).map((name) => `--${name}`), '--help'];
/** What may follow a command beside flags. */
const operandWords = ({ operand }: CommandSpec): readonly string[] => operand?.choices ?? [];

const flagsWith = (completes: 'file' | 'folder') =>
  Object.entries<FlagSpec>(FLAGS)
    .filter(([, spec]) => spec.completes === completes)
    .map(([name]) => `--${name}`);
const flagsWithChoices = () =>
  Object.entries<FlagSpec>(FLAGS).flatMap(([name, { choices }]) =>
    choices === undefined ? [] : [[name, choices] as const],
  );
/** As the pattern of a `case`. */
const commandsAbout = (completes: 'file' | 'folder') =>
  [...COMMAND_SPECS]
    .filter(([, { operand }]) => operand?.completes === completes)
    .map(([name]) => `'${name}'`)
    .join('|');

function bashScript(): string {
  return [
    '_cloister() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command words=""`,
    '  COMPREPLY=()',
    '  case "$previous" in',
    `    ${flagsWith('file').join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;`,
    `    ${flagsWith('folder').join('|')}) COMPREPLY=($(compgen -d -- "$current")); return ;;`,
    ...flagsWithChoices().map(
      ([name, choices]) =>
        `    --${name}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$current")); return ;;`,
    ),
    '  esac',
    `  command="\${COMP_WORDS[1]}"`,
    '  if [ "$COMP_CWORD" -eq 1 ]; then command=""',
    `  else case "$command" in ${GROUPS.join('|')})`,
    `    if [ "$COMP_CWORD" -gt 2 ]; then command="$command \${COMP_WORDS[2]}"; fi ;;`,
    '  esac; fi',
    '  case "$command" in',
    `    '') words="${FIRST_WORDS.join(' ')} --help --version" ;;`,
    ...GROUPS.map((word) => `    ${word}) words="${subcommandsOf(word).join(' ')} --help" ;;`),
    ...[...COMMAND_SPECS].map(
      ([name, spec]) => `    '${name}') words="${[...operandWords(spec), ...longFlags(spec)].join(' ')}" ;;`,
    ),
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '  case "$command" in',
    `    ${commandsAbout('folder')}) COMPREPLY+=($(compgen -d -- "$current")) ;;`,
    `    ${commandsAbout('file')}) COMPREPLY+=($(compgen -f -- "$current")) ;;`,
    '  esac',
    '}',
    'complete -F _cloister cloister',
  ].join('\n');
}

/** Zsh runs completions of bash. */
const zshScript = () => ['autoload -Uz bashcompinit', 'bashcompinit', bashScript()].join('\n');

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function fishFlags(name: string, spec: CommandSpec): readonly string[] {
  const [first = '', second] = name.split(' ');
  const seen = second === undefined ? [first] : [first, second];
  const condition = seen.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
  const start = `complete -c cloister -n ${quoted(condition)}`;
  const words = operandWords(spec);
  return [
    ...flagsOf(spec).map((flag) => {
      const { value, choices, completes, text } = flagSpec(flag);
      const values = choices === undefined ? '' : ` -a ${quoted(choices.join(' '))}`;
      const files = completes === undefined ? '' : ' -F';
      return `${start} -l ${flag}${value === undefined ? '' : completes === undefined ? ' -x' : ' -r'}${values}${files} -d ${quoted(text)}`;
    }),
    ...(words.length > 0 ? [`${start} -a ${quoted(words.join(' '))}`] : []),
    ...(spec.operand?.completes === 'folder' ? [`${start} -a '(__fish_complete_directories)'`] : []),
    ...(spec.operand?.completes === 'file' ? [`${start} -F`] : []),
  ];
}

function fishScript(): string {
  const words = FIRST_WORDS.map((word) => {
    const summary = COMMAND_SPECS.get(word)?.summary ?? subcommandsOf(word).join(', ');
    return `complete -c cloister -n __fish_use_subcommand -a ${word} -d ${quoted(summary)}`;
  });
  const groups = GROUPS.flatMap((word) => {
    const known = subcommandsOf(word);
    const none = `__fish_seen_subcommand_from ${word}; and not __fish_seen_subcommand_from ${known.join(' ')}`;
    return known.map((second) => {
      const { summary = '' } = COMMAND_SPECS.get(`${word} ${second}`) ?? {};
      return `complete -c cloister -n ${quoted(none)} -a ${second} -d ${quoted(summary)}`;
    });
  });
  const flags = [...COMMAND_SPECS].flatMap(([name, spec]) => fishFlags(name, spec));
  return ['complete -c cloister -f', ...words, ...groups, ...flags].join('\n');
}

/** The completions for `bash`, `zsh` or `fish`, to be evaluated by that shell. */
export function completionScript(shell: string): string {
  if (shell === 'fish') return fishScript();
  return shell === 'zsh' ? zshScript() : bashScript();
}
