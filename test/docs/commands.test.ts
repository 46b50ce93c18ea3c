// What the pages tell a reader to type: every command of Cloister with its flags exists, and every block of JSON is JSON.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMAND_SPECS, flagsOf } from '../../src/cli/usage/command-table.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

const PAGES = globSync(['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'docs/*.md', 'docs/reference/*.md'], {
  cwd: ROOT,
}).toSorted();
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

/** Texts that are typed: lines of shell blocks without comments, and code within sentences. */
function typedTexts(page: string): readonly string[] {
  const text = read(page);
  const blocks = [...text.matchAll(/^ *```(?:ba)?sh\n(.*?)^ *```$/gms)].map(([, block = '']) => block);
  const lines = blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'));
  const spans = [...text.replaceAll(/^ *```.*?^ *```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, span = '']) => span,
  );
  return [...lines.map((line) => line.replace(/(^|\s)#.*$/, '')), ...spans];
}

interface ShownCommand {
  readonly line: string;
  readonly words: readonly string[];
  readonly flags: readonly string[];
}

const START =
  /(?:npm run (?:--silent )?cloister(?: --silent)? -- |(?<!-\w )(?:^|(?<=\s|\/))cloister(?:\.js)? )(?=[a-z])/;

/** The commands in a text; the name of the program alone, as in `useradd … cloister`, is none. */
function commandsIn(text: string): readonly ShownCommand[] {
  const parts = text.split(/&&|[|;]/).map((part) => part.trim());
  return parts.flatMap((line) => {
    const start = START.exec(line);
    if (start === null || /^(?:useradd|install|docker|#|\d)/.test(line)) return [];
    const words = line.slice(start.index + start[0].length).split(/\s+/);
    return [{ line, words, flags: words.flatMap((word) => /^--([a-z][a-z-]*)/.exec(word)?.[1] ?? []) }];
  });
}

const COMMANDS = PAGES.flatMap((page) =>
  typedTexts(page).flatMap((text) => commandsIn(text).map((command) => ({ page, ...command }))),
);

/** The command that the words name, such as `clients add`; undefined where there is none. */
const commandOf = ([first = '', second = '']: readonly string[]) =>
  COMMAND_SPECS.get(`${first} ${second}`) ?? COMMAND_SPECS.get(first);

describe('commands of Cloister on the pages', () => {
  it('are found', () => {
    expect(COMMANDS.length).toBeGreaterThan(60);
  });

  it('exist', () => {
    const groups = new Set([...COMMAND_SPECS.keys()].map((name) => name.split(' ')[0]));
    const unknown = COMMANDS.filter(
      ({ words }) => commandOf(words) === undefined && !(words.length === 1 && groups.has(words[0])),
    );
    expect(unknown.map(({ page, line }) => `${page}: ${line}`)).toEqual([]);
  });

  it('have the flags with which they are shown', () => {
    const wrong = COMMANDS.flatMap(({ page, line, words, flags }) => {
      const spec = commandOf(words);
      const known: readonly string[] = spec === undefined ? [] : [...flagsOf(spec), 'help', 'version'];
      return flags.filter((flag) => !known.includes(flag)).map((flag) => `${page}: --${flag} in ${line}`);
    });
    expect(wrong).toEqual([]);
  });
});

describe('JSON on the pages', () => {
  it.each(PAGES)('every block of JSON in %s is JSON', (page) => {
    const blocks = [...read(page).matchAll(/^```json\n(.*?)^```$/gms)].map(([, block = '']) => block);
    for (const block of blocks) expect(() => JSON.parse(block), block).not.toThrow();
  });
});
