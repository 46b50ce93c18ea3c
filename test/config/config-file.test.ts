import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  formatConfigIssue,
  locateIssues,
  readConfigFile,
  restrictConfigFile,
} from '../../src/config/config-file.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-config-'));
  file = join(folder, 'config.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('readConfigFile', () => {
  it('takes a missing file as empty', async () => {
    expect(await readConfigFile(file)).toEqual({ text: null, content: {} });
  });

  it('reads an object, with or without a byte order mark', async () => {
    writeFileSync(file, '\uFEFF{"server": {"port": 1}}');
    expect(await readConfigFile(file)).toMatchObject({ content: { server: { port: 1 } } });
  });

  it.each([
    ['{\n  "server": {\n    "port": 1,\n  }\n}', 4],
    ['{\n  // a comment\n}', 2],
    ['{"a": 1', 1],
    ['', 1],
    ['{"a": 1}\n{"b": 2}', 2],
  ])('gives the line of a syntax error in %j', async (text, line) => {
    writeFileSync(file, text);
    const { issue: problem, content } = await readConfigFile(file);
    expect(problem).toMatchObject({ file, line, message: expect.stringMatching(/^is not valid JSON/) });
    expect(content).toEqual({});
  });

  it.each(['[]', 'null', '1', '"text"'])('refuses %s as a configuration', async (text) => {
    writeFileSync(file, text);
    const { issue: problem } = await readConfigFile(file);
    expect(problem?.message).toBe('the configuration must be a JSON object');
  });

  it('says why a file cannot be read', async () => {
    mkdirSync(file);
    const { issue: problem } = await readConfigFile(file);
    expect(problem?.message).toBe('the file cannot be read (EISDIR)');
  });
});

describe('the location of an issue in the config file', () => {
  it('finds the line of each setting', async () => {
    const text = '{\n  "server": {\n    "port": 1\n  },\n  "cache": true\n}';
    const remarks = [
      { written: 'server.port', message: 'a' },
      { written: 'cache', message: 'b' },
      { written: 'auth.admin.id', message: 'c' },
    ];
    expect(await locateIssues('c.json', text, remarks)).toEqual([
      { setting: 'server.port', message: 'a', file: 'c.json', line: 3 },
      { setting: 'cache', message: 'b', file: 'c.json', line: 5 },
      { setting: 'auth.admin.id', message: 'c', file: 'c.json' },
    ]);
  });
});

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
