// Completions in the shells that they are for.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { completionScript } from '../../../src/cli/usage/completion.ts';
import { isProgramInstalled } from '../../helpers/server-process/programs.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

/** What bash offers for a line that ends where the cursor is. */
function offeredByBash(line: string, cwd: string): readonly string[] {
  const words = line.split(' ');
  const script = `${completionScript('bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_cloister
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { cwd, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

function offeredByFish(line: string, cwd: string): readonly string[] {
  const script = `${completionScript('fish')}\ncomplete -C '${line}'`;
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, HOME: cwd },
  });
  expect(stderr).toBe('');
  return stdout.split('\n').flatMap((word) => (word === '' ? [] : [word.split('\t')[0] ?? '']));
}

const CASES: readonly (readonly [string, readonly string[]])[] = [
  ['cloister st', ['start', 'status']],
  ['cloister clients ', ['add', 'set', 'list', 'remove']],
  ['cloister clients add --a', ['--admin']],
  ['cloister audit verify --', ['--after', '--json', '--config', '--workspace']],
  ['cloister start --only ', ['content', 'delivery']],
  ['cloister media copy --to ', ['s3', 'disk']],
  ['cloister completion ', ['bash', 'zsh', 'fish']],
  ['cloister check --config site', ['site.json']],
];

async function folderWithFile(): Promise<string> {
  const folder = await temporaryFolder();
  writeFileSync(`${folder}/site.json`, '');
  mkdirSync(`${folder}/other`);
  return folder;
}

describe.skipIf(!isProgramInstalled('bash', 'apt-get install bash'))('in bash', () => {
  it.each(CASES)('%j offers %j', async (line, words) => {
    const folder = await folderWithFile();
    const offered = offeredByBash(line, folder).filter((word) => word !== '--help');
    expect([...offered].sort()).toEqual([...words].sort());
  });
});

describe.skipIf(!isProgramInstalled('fish', 'apt-get install fish'))('in fish', () => {
  it.each(CASES)('%j offers %j', async (line, words) => {
    const folder = await folderWithFile();
    expect([...offeredByFish(line, folder)].sort()).toEqual([...words].sort());
  });
});

describe.skipIf(!isProgramInstalled('zsh', 'apt-get install zsh'))('in zsh', () => {
  it('is accepted and completes the command', () => {
    const script = `autoload -Uz compinit; compinit -D; ${completionScript('zsh')}\nprint -r -- $_comps[cloister]`;
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', script], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toContain('_cloister');
  });
});
