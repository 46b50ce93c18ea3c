import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clients, credentialLines } from '../../src/cli/clients.ts';
import type { CommandFlags } from '../../src/cli/parse-arguments.ts';
import { AppError } from '../../src/errors/errors.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

let workspace: Workspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace.remove());

async function run(command: 'add' | 'list' | 'remove' | 'set', flags: CommandFlags = {}) {
  const io = captureIo(workspace.cwd);
  const code = await clients(`clients ${command}`, flags, io);
  return { code, out: io.printed, err: io.complained };
}

async function refusal(command: 'add' | 'remove' | 'set', flags: CommandFlags) {
  const error = await run(command, flags).catch((thrown: unknown) => thrown);
  return error instanceof AppError ? error.code : error;
}

describe('the clients command', () => {
  it('adds clients and shows a generated secret once', async () => {
    const added = await run('add', { id: 'app' });
    expect(added).toMatchObject({ code: 0, err: [] });
    expect(added.out[0]).toBe('client id: app');
    const secret = added.out[1]?.match(/^client secret: (\S{20,})$/)?.[1];
    expect(secret).toBeDefined();
    await run('add', { id: 'boss', admin: true });
    const listed = await run('list');
    expect(listed.out).toEqual(['app\tuser', 'boss\tadmin']);
    expect(JSON.stringify(listed)).not.toContain(secret);
  });

  it('takes a secret', async () => {
    const secret = 'a secret of my own';
    expect((await run('add', { id: 'app', secret })).out).toEqual(credentialLines('app', secret));
  });

  it('gives and takes the right to approve', async () => {
    await run('add', { id: 'app', reviewer: true });
    await run('add', { id: 'boss', admin: true });
    expect((await run('list')).out).toEqual(['app\tuser\treviewer', 'boss\tadmin']);
    const given = await run('set', { id: 'boss', reviewer: true });
    expect(given).toEqual({ code: 0, out: ['boss is now a reviewer'], err: [] });
    await run('set', { id: 'app', 'no-reviewer': true });
    expect((await run('list')).out).toEqual(['app\tuser', 'boss\tadmin\treviewer']);
    expect(await refusal('set', { id: 'nobody', reviewer: true })).toBe('NOT_FOUND');
  });

  it('removes clients', async () => {
    await run('add', { id: 'app' });
    expect(await run('remove', { id: 'app' })).toEqual({ code: 0, out: ['removed app'], err: [] });
    expect((await run('list')).out).toEqual([]);
  });

  it('refuses an id that exists, one that does not, and the end of the last admin', async () => {
    await run('add', { id: 'boss', admin: true });
    expect(await refusal('add', { id: 'boss' })).toBe('CLIENT_EXISTS');
    expect(await refusal('remove', { id: 'nobody' })).toBe('NOT_FOUND');
    expect(await refusal('remove', { id: 'boss' })).toBe('LAST_ADMIN');
  });

  it.each(['add', 'set', 'remove'] as const)('%s wants an id', async (command) => {
    expect(await run(command)).toEqual({
      code: 1,
      out: [],
      err: [`cloister: clients ${command}: --id is missing`],
    });
  });

  it('opens nothing under a bad configuration', async () => {
    const io = captureIo(workspace.cwd, { CLOISTER_LIMITS_QUERY_MS: '0' });
    expect(await clients('clients list', {}, io)).toBe(1);
    expect(io.complained).toEqual(['CLOISTER_LIMITS_QUERY_MS must be 10 or more']);
  });
});
