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

  it.each(['check', 'clients list'])('hands over to %s', async (line) => {
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

  it('says in one line what the operator can mend', async () => {
    const workspace = createWorkspace();
    const io = captureIo(workspace.cwd);
    expect(await runCommand('clients remove --id nobody'.split(' '), io)).toBe(1);
    expect(io.complained).toEqual([expect.stringMatching(/^cloister: clients remove: [A-Z]/)]);
    workspace.remove();
  });
});
