import { afterEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../src/cli/main.ts';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const HELLO = "module.exports.get = (req, res) => res.end('hello');";
const SOON = { timeout: 15_000 };

let workspace: Workspace;
afterEach(() => workspace.remove());

async function run(...args: string[]) {
  const io = captureIo(workspace.cwd);
  return { code: await runCommand(args, io), io };
}

const statusOf = async (server: EndpointServer, path: string) => (await server.get(path)).status;

describe('the commands that suspend and resume', () => {
  it('act on a running server, and while none runs on the next one', async () => {
    workspace = createWorkspace();
    const first = await startEndpointServer({ workspace });
    const path = await first.endpoint('report', HELLO);
    const { code, io } = await run('endpoints', 'suspend', '1.0/report');
    expect([code, io.complained, io.printed.length]).toEqual([0, [], 1]);
    await expect.poll(() => statusOf(first, path), SOON).toBe(503);
    const [shown] = (await first.get('/api/endpoints')).body.endpoints;
    const suspension = { by: 'operator', clientId: null, at: expect.any(Number) };
    expect(shown).toMatchObject({ state: 'suspended', suspension });
    const { audit } = (await first.get('/api/audit')).body;
    const entry = { action: 'endpoint.suspend', target: path, clientId: null };
    expect(audit).toContainEqual(expect.objectContaining(entry));
    await first.app.close();

    expect((await run('endpoints', 'resume', '--workspace', workspace.path, '/1.0/report')).code).toBe(0);
    const second = await startEndpointServer({ workspace });
    expect(await statusOf(second, path)).toBe(200);
    await second.app.close();
  });

  it('say what they do not know', async () => {
    workspace = createWorkspace();
    const unknown = await run('hooks', 'suspend', 'nothing');
    expect([unknown.code, unknown.io.complained]).toEqual([
      1,
      ['cloister: hooks suspend: there is no hook of this name'],
    ]);
    const unnamed = await run('endpoints', 'suspend', 'report');
    expect([unnamed.code, unnamed.io.complained[0]]).toEqual([
      1,
      expect.stringContaining('such as 1.0/report'),
    ]);
  });
});
