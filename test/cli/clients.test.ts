import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clients, credentialLines } from '../../src/cli/clients.ts';
import type { CommandFlags } from '../../src/cli/usage/parse-arguments.ts';
import { AppError } from '../../src/errors/errors.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const RULES = 'where a collection has access rules, only what they allow to';

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

  it('takes a secret, and says what the client may do', async () => {
    const secret = 'a secret of my own';
    expect((await run('add', { id: 'app', secret })).out).toEqual([
      ...credentialLines('app', secret),
      `client may: read (with history) and write every collection; call every endpoint; ${RULES} clients`,
    ]);
    expect((await run('add', { id: 'boss', admin: true, secret })).out[2]).toBe(
      'client may: do everything, as an admin',
    );
  });

  it('adds clients with roles, and clients that only read', async () => {
    const added = await run('add', { id: 'ann', role: ['author', 'editor', 'author'] });
    expect(added.out[2]).toMatch(/; where .* clients and the roles author and editor$/);
    const reader = await run('add', { id: 'reader', 'read-only': true, role: ['guest'] });
    expect(reader.out[2]).toBe(
      `client may: read every collection; call no endpoint that needs a token; ${RULES} clients and the role guest`,
    );
    expect((await run('list')).out).toEqual([
      'ann\tuser\troles: author, editor',
      'reader\tuser\troles: guest\tmay only read every collection; call no endpoint that needs a token',
    ]);
  });

  it('replaces roles, and takes all', async () => {
    await run('add', { id: 'ann', role: ['author', 'editor'] });
    expect((await run('set', { id: 'ann', role: ['chief'] })).out).toEqual([
      expect.stringMatching(/^client may: .* clients and the role chief$/),
    ]);
    expect((await run('list')).out).toEqual(['ann\tuser\troles: chief']);
    await run('set', { id: 'ann', 'read-only': true });
    expect((await run('list')).out[0]).toContain('ann\tuser\troles: chief\tmay only read');
    expect((await run('set', { id: 'ann', 'no-roles': true })).out[0]).toMatch(/ clients$/);
    expect((await run('list')).out[0]).toMatch(/^ann\tuser\tmay only read every collection;/);
  });

  it('limits a client to reading, and lifts that', async () => {
    await run('add', { id: 'app' });
    await run('add', { id: 'boss', admin: true });
    const limited = await run('set', { id: 'app', 'read-only': true });
    expect(limited.out).toEqual([
      expect.stringMatching(/^client may: read every collection; call no endpoint/),
    ]);
    const again = await run('set', { id: 'app', 'read-only': true });
    expect(again).toEqual(limited);
    const lifted = await run('set', { id: 'app', 'no-read-only': true });
    expect(lifted.out).toEqual([expect.stringMatching(/^client may: read \(with history\) and write every/)]);
    expect((await run('list')).out).toEqual(['app\tuser', 'boss\tadmin']);
    expect(await refusal('set', { id: 'boss', 'read-only': true })).toBe('BAD_REQUEST');
    expect(await refusal('set', { id: 'nobody', 'read-only': true })).toBe('NOT_FOUND');
  });

  it('changes everything at once, or nothing where one part is wrong', async () => {
    await run('add', { id: 'app' });
    const all = { id: 'app', role: ['editor'], 'read-only': true, reviewer: true };
    expect((await run('set', all)).out).toEqual([
      'app is now a reviewer',
      expect.stringMatching(/^client may: read every .* the role editor; approve what others post$/),
    ]);
    const before = (await run('list')).out;
    for (const role of [['admin'], ['a b'], Array.from({ length: 101 }, (_, n) => `r${n}`)])
      expect(await refusal('set', { id: 'app', role, 'no-read-only': true, 'no-reviewer': true })).toBe(
        'BAD_REQUEST',
      );
    expect((await run('list')).out).toEqual(before);
    expect(await refusal('add', { id: 'other', role: ['anyone'] })).toBe('BAD_REQUEST');
    expect((await run('list')).out).toEqual(before);
  });

  it('gives and takes the right to approve', async () => {
    await run('add', { id: 'app', reviewer: true });
    await run('add', { id: 'boss', admin: true });
    expect((await run('list')).out).toEqual(['app\tuser\treviewer', 'boss\tadmin']);
    const given = await run('set', { id: 'boss', reviewer: true });
    expect(given).toEqual({ code: 0, out: ['boss is now a reviewer'], err: [] });
    expect(await run('set', { id: 'boss', reviewer: true })).toEqual(given);
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

  it('tells of a client whose id a user of an issuer may have, and adds none', async () => {
    await run('add', { id: 'acme:ann' });
    const issuers = [{ name: 'acme', issuer: 'i', audience: 'a', jwksUrl: 'https://login.acme.test/jwks' }];
    const io = captureIo(workspace.cwd, { CLOISTER_AUTH_ISSUERS: JSON.stringify(issuers) });
    expect(await clients('clients list', {}, io)).toBe(0);
    expect(io.printed).toEqual(['acme:ann\tuser\tno access: its id is one of a user of acme']);
    const error = await clients('clients add', { id: 'acme:bob' }, io).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'BAD_REQUEST', items: [{ field: 'clientId' }] });
  });

  it('opens nothing under a bad configuration', async () => {
    const io = captureIo(workspace.cwd, { CLOISTER_LIMITS_QUERY_MS: '0' });
    expect(await clients('clients list', {}, io)).toBe(1);
    expect(io.complained).toEqual(['CLOISTER_LIMITS_QUERY_MS must be 10 or more']);
  });
});
