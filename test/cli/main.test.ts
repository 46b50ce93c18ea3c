import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/cli/main.ts';
import { helpText } from '../../src/cli/usage/help.ts';
import { packageVersion } from '../../src/lib/files/package-files.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

describe('runCommand', () => {
  it.each([
    ['--help', helpText()],
    ['--version', packageVersion()],
  ])('%s', async (flag, text) => {
    const io = captureIo('/');
    expect(await runCommand([flag], io)).toBe(0);
    expect(io.printed).toEqual([text]);
  });

  it('turns a mistake into one line', async () => {
    const io = captureIo('/');
    expect(await runCommand(['strat'], io)).toBe(2);
    expect(io.printed).toEqual([]);
    expect(io.complained).toEqual(['cloister: unknown command: strat (see cloister --help)']);
  });

  it.each(['check', 'clients list', 'audit verify'])('hands over to %s', async (line) => {
    const workspace = createWorkspace();
    const io = captureIo(workspace.cwd);
    expect(await runCommand(line.split(' '), io)).toBe(0);
    expect(io.complained).toEqual([]);
    workspace.remove();
  });

  it.each([
    ['export', 'exported 0 documents of 0 collections'],
    ['import', 'imported 0 documents of 0 collections'],
  ])('hands over to %s', async (command, said) => {
    const workspace = createWorkspace();
    const io = captureIo(workspace.cwd);
    expect(await runCommand([command, '--file', '/dev/null'], io)).toBe(0);
    expect(io.complained).toEqual([said]);
    workspace.remove();
  });

  it('hands over to import --from', async () => {
    const workspace = createWorkspace();
    const io = captureIo(workspace.cwd);
    expect(await runCommand(['import', '--from', 'absent.db'], io)).toBe(1);
    expect(io.complained).toEqual([expect.stringMatching(/^cloister: import: .*absent\.db/)]);
    workspace.remove();
  });

  it('hands over to status', async () => {
    const workspace = createWorkspace();
    const io = captureIo(workspace.cwd);
    expect(await runCommand(['status'], io)).toBe(1);
    expect(io.printed).toEqual(['no server runs on this database']);
    workspace.remove();
  });

  it('hands over to openapi', async () => {
    const workspace = createWorkspace();
    const io = captureIo(workspace.cwd);
    expect(await runCommand(['openapi', '--file', 'openapi.json'], io)).toBe(0);
    const description = JSON.parse(readFileSync(join(workspace.cwd, 'openapi.json'), 'utf8'));
    expect(description.openapi).toMatch(/^3\./);
    workspace.remove();
  });

  it('hands over to migrate', async () => {
    const workspace = createWorkspace();
    const io = captureIo(workspace.cwd);
    expect(await runCommand(['migrate', 'absent'], io)).toBe(1);
    expect(io.complained).toEqual([expect.stringMatching(/^cloister: migrate: absent: /)]);
    workspace.remove();
  });

  it.each([
    ['bash', 'complete -F'],
    ['zsh', 'bashcompinit'],
    ['fish', 'complete -c cloister'],
  ])('hands over to completion %s', async (shell, text) => {
    const io = captureIo('/');
    expect(await runCommand(['completion', shell], io)).toBe(0);
    expect(io.printed.join('\n')).toContain(text);
  });

  it.each([
    ['status', 1],
    ['audit verify', 2],
    ['clients list', 1],
  ])('has a code of its own where the audit log cannot be looked at: %s ends with %d', async (line, code) => {
    const workspace = createWorkspace({}, { database: { engine: 'sqlite' } });
    // A file stands where the folder of the database would be.
    writeFileSync(join(workspace.cwd, 'data'), '');
    const io = captureIo(workspace.cwd);
    expect(await runCommand(line.split(' '), io)).toBe(code);
    expect(io.complained).toEqual([expect.stringMatching(new RegExp(`^cloister: ${line}: .`))]);
    workspace.remove();
  });

  it.each([
    'workspace push site',
    'workspace pull copy',
    'status',
    'endpoints suspend 1.0/report',
    'check --data',
    'backup copy',
    'restore copy',
    'media copy --to s3',
    'audit verify',
    'sandbox audit',
    'openapi',
    'clients list',
  ])('opens nothing under a wrong setting: %s', async (line) => {
    const workspace = createWorkspace({}, { database: { engine: 'sqlite' } });
    const io = captureIo(workspace.cwd, { CLOISTER_LIMITS_QUERY_MS: '0' });
    expect(await runCommand(line.split(' '), io)).not.toBe(0);
    expect(io.complained).toEqual(['CLOISTER_LIMITS_QUERY_MS must be 10 or more']);
    expect(readdirSync(workspace.cwd)).toEqual(['workspace']);
    workspace.remove();
  });

  it('says in one line what the operator can mend', async () => {
    const workspace = createWorkspace();
    const io = captureIo(workspace.cwd);
    expect(await runCommand('clients remove --id nobody'.split(' '), io)).toBe(1);
    expect(io.complained).toEqual([expect.stringMatching(/^cloister: clients remove: [A-Z]/)]);
    workspace.remove();
  });
});
