import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { restrictConfigFile } from '../../src/config/config-file.ts';
import { formatConfigIssue } from '../../src/config/config-issues.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';

describe('formatProblem', () => {
  it.each([
    [{ setting: 'CLOISTER_SERVER_PORT', message: 'must be x' }, 'CLOISTER_SERVER_PORT must be x'],
    [
      { setting: 'a.b', message: 'must be x', file: 'w/config.json', line: 3 },
      'w/config.json:3: a.b must be x',
    ],
    [{ setting: 'a.b', message: 'must be x', file: 'w/config.json' }, 'w/config.json: a.b must be x'],
    [{ setting: '', message: 'is not valid JSON', file: 'c.json', line: 1 }, 'c.json:1: is not valid JSON'],
  ])('%j', (problem, line) => {
    expect(formatConfigIssue(problem)).toBe(line);
  });
});

const modeOf = async (file: string) => (await stat(file)).mode & 0o777;

describe('permissions of a config file', () => {
  it.each([0o644, 0o640, 0o666, 0o600])('of mode %o is its owner’s alone', async (mode) => {
    const file = join(await temporaryFolder(), 'config.json');
    await writeFile(file, '{}');
    await chmod(file, mode);
    expect(await restrictConfigFile(file)).toBeUndefined();
    expect(await modeOf(file)).toBe(0o600);
  });

  it('that is missing is left alone', async () => {
    expect(await restrictConfigFile(join(await temporaryFolder(), 'config.json'))).toBeUndefined();
  });

  it('that is no regular file is left alone: a device or a pipe belongs to others too', async () => {
    const folder = await temporaryFolder();
    await chmod(folder, 0o755);
    expect(await restrictConfigFile(folder)).toBeUndefined();
    expect(await modeOf(folder)).toBe(0o755);
  });

  it('of somebody else is left alone, with a line of warning unless only a group may read it', async () => {
    const file = join(await temporaryFolder(), 'config.json');
    await writeFile(file, '{}');
    const other = (process.getuid?.() ?? 0) + 1;
    for (const [mode, warning] of [
      [0o600, undefined],
      [0o640, undefined],
      [0o644, `${file} may be read or written by others than its owner (mode 644)`],
      [0o660, `${file} may be read or written by others than its owner (mode 660)`],
    ] as const) {
      await chmod(file, mode);
      expect(await restrictConfigFile(file, other)).toBe(warning);
      expect(await modeOf(file)).toBe(mode);
    }
  });
});
