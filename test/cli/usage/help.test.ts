// Help follows the table of commands.
import { describe, expect, it } from 'vitest';
import { COMMAND_SPECS, COMMANDS, FLAGS, flagsOf } from '../../../src/cli/usage/command-table.ts';
import { helpText } from '../../../src/cli/usage/help.ts';

const names = Object.keys(COMMANDS);

describe('helpText', () => {
  it('lists every command with its summary', () => {
    const flat = helpText().replace(/\s+/g, ' ');
    for (const [name, { summary }] of COMMAND_SPECS) {
      expect(flat).toContain(name);
      expect(flat).toContain(summary);
    }
  });

  it.each(names)('says what %s takes, and no flag of another command', (name) => {
    const text = helpText(name.split(' '));
    expect(text).toMatch(new RegExp(`^Usage: cloister ${name}\\b`));
    const spec = COMMAND_SPECS.get(name);
    const taken = spec === undefined ? [] : flagsOf(spec);
    const shown = [...text.matchAll(/^ {2}--([\w-]+)/gm)].map(([, flag]) => flag);
    expect(shown).toEqual([...taken]);
  });

  it('lists the commands of a group', () => {
    const text = helpText(['clients']);
    expect(text).toContain('clients add ID');
    expect(text).not.toContain('export');
  });

  it('shows everything where there is no such command', () => {
    expect(helpText(['nonsense'])).toBe(helpText());
    expect(helpText(['constructor'])).toBe(helpText());
  });

  it('fits a terminal of 100 columns', () => {
    for (const words of [[], ['clients'], ...names.map((name) => name.split(' '))]) {
      for (const line of helpText(words).split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    }
  });
});

it('every flag of the table belongs to a command', () => {
  const used = new Set([...COMMAND_SPECS.values()].flatMap((spec) => flagsOf(spec)));
  expect(Object.keys(FLAGS).filter((flag) => !used.has(flag as keyof typeof FLAGS))).toEqual([]);
});
