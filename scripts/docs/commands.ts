// The text of docs/reference/commands.md: every command with its flags.
import { COMMAND_SPECS, type CommandSpec, flagSpec, flagsOf } from '../../src/cli/usage/command-table.ts';
import { commandUsage, flagUsage } from '../../src/cli/usage/help.ts';

const INTRODUCTION = `# Commands

<!-- Generated from src/cli/usage/command-table.ts by \`npm run docs\`. -->

\`npx cloister …\` where the package is installed, \`npm run cloister -- …\` in a checkout. \`cloister --help\` lists the commands, \`cloister <command> --help\` the flags of one. The exit status is 0; 1 where a command failed, with the reason in one line; 2 where its arguments are wrong.

Every command that reads the configuration takes \`--config FILE\` (${flagSpec('config').text}) and \`--workspace DIR\` (${flagSpec('workspace').text}). What a command is about (\`ID\`, \`NAME\`, \`DIR\`) stands behind its words, before, between or after flags; clients may be named by \`--id ID\` too.`;

const capitalized = (text: string) => `${text.replace(/^./, (first) => first.toUpperCase())}.`;
/** A vertical line would begin another column. */
const inTable = (text: string) => text.replaceAll('|', '\\|');

function section([name, spec]: readonly [string, CommandSpec]): string {
  const { summary, detail, flags = [] } = spec;
  const own = flagsOf(spec).filter((flag) => flags.includes(flag));
  const table = own.map((flag) => `| \`${inTable(flagUsage(flag))}\` | ${flagSpec(flag).text} |`);
  return [
    `## ${name}`,
    '',
    `\`cloister ${commandUsage(name, spec)}\``,
    '',
    capitalized(summary) + (detail === undefined ? '' : ` ${detail}`),
    ...(table.length === 0 ? [] : ['', '| Flag | |', '|---|---|', ...table]),
  ].join('\n');
}

/** The whole page. */
export function commandsPage(): string {
  return `${[INTRODUCTION, ...[...COMMAND_SPECS].map(section)].join('\n\n')}\n`;
}
