import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfigFile } from '../../src/config/config-file.ts';
import { locateIssues } from '../../src/config/config-issues.ts';

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
