import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from './helpers/fixtures/source-tree.ts';

const ENTRY = join(ROOT, 'src/cloister.js');

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'cloister-cli-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(
  args: readonly string[],
  options: { env?: object; node?: readonly string[] } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const { PATH } = process.env;
    const child = execFile(
      process.execPath,
      [...(options.node ?? []), ENTRY, ...args],
      { cwd, env: { PATH, ...options.env } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end();
  });
}

describe('the command', () => {
  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('says in one line that an unknown command is unknown', async () => {
    expect(await run(['strat'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'cloister: unknown command: strat (see cloister --help)\n',
    });
  });

  it('says in one line that an older Node will not do', async () => {
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } })`;
    expect(await run(['start'], { node: ['--import', `data:text/javascript,${older}`] })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'cloister: Node 26 or newer is needed, this is 18.20.0\n',
    });
  });

  it('names its interpreter, so that a shell can run it', () => {
    expect(readFileSync(ENTRY, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it('uses no syntax and no import that an older Node lacks', () => {
    const text = readFileSync(ENTRY, 'utf8');
    expect(text).not.toMatch(/\bimport\s*\{[^}]*\}\s*from 'node:module'/);
    expect(text).not.toMatch(/import\.meta\.(dirname|filename)|\busing\b|with \{/);
  });

  it.each(['start', 'check'])('%s lists every problem of a bad configuration', async (command) => {
    mkdirSync(join(cwd, 'workspace'));
    writeFileSync(join(cwd, 'workspace/config.json'), '{\n  "server": { "port": "x" },\n  "sever": {}\n}\n');
    const env = { CLOISTER_LIMITS_BATCH: 'many', CLOISTER_CORS: '' };
    const { code, stdout, stderr } = await run([command], { env });
    expect(code).toBe(1);
    const later = 'warning: endpoints, hooks and policies are looked at once the configuration is right';
    expect((stdout + stderr).trim().split('\n').sort()).toEqual([
      'CLOISTER_CORS must be true or false',
      'CLOISTER_LIMITS_BATCH must be a whole number',
      ...(command === 'check' ? [later] : []),
      ...(command === 'check'
        ? ['warning: workspace/collections: there is no collection in this folder']
        : []),
      'warning: workspace/config.json:3: sever is not a setting; did you mean server?',
      'workspace/config.json:2: server.port must be a whole number',
    ]);
  });
});
