// What the commands of an operator say of posted code: the audit of the sandbox, and the check of a workspace.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEndpointServer } from '../helpers/app/endpoint-server.ts';
import { LIBRARY } from '../helpers/fixtures/library.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

const HELLO = "module.exports.get = (req, res) => res.end('hello');";

describe('the console', () => {
  const run = (cwd: string, ...args: string[]) => {
    const entry = join(ROOT, 'src/cloister.js');
    const { status, stdout } = spawnSync(process.execPath, [entry, ...args], {
      cwd,
      encoding: 'utf8',
    });
    return { code: status, out: stdout };
  };

  it('audits as JSON, with and without a running server', async () => {
    const server = await startEndpointServer();
    await server.endpoint('audited', HELLO, { version: 1, limits: { cpuMs: 77 } });
    const look = () => JSON.parse(run(server.workspace.cwd, 'sandbox', 'audit', '--json').out);
    const running = look();
    expect(Object.keys(running).sort()).toEqual([
      ...['ceilings', 'endpoints', 'generatedAt', 'hooks', 'jit', 'level', 'selfTest', 'versions'],
    ]);
    expect(Object.keys(running.versions).sort()).toEqual(['isolatedVm', 'node', 'v8']);
    expect(running.endpoints).toMatchObject([
      {
        version: '1.0',
        name: 'audited',
        path: '/1.0/audited',
        state: 'active',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        postedBy: 'admin',
        postedAt: expect.anything(),
        policy: { limits: { cpuMs: 77 } },
        effectiveLimits: { cpuMs: 77, wallMs: 5000, heapMb: 64 },
        lastViolations: [],
      },
    ]);
    await server.app.close();
    expect(look().endpoints).toEqual(running.endpoints);
    server.workspace.remove();
  });

  it('checks endpoints, hooks and policies with file and line', () => {
    const workspace = createWorkspace(LIBRARY);
    mkdirSync(join(workspace.path, 'endpoints/1.0'), { recursive: true });
    mkdirSync(join(workspace.path, 'hooks'));
    const write = (name: string, text: string) => writeFileSync(join(workspace.path, name), text);
    write('endpoints/1.0/endpoint.good.js', HELLO);
    write('hooks/good.js', 'module.exports = (obj) => obj;');
    expect(run(workspace.cwd, 'check')).toMatchObject({ code: 0 });
    write('endpoints/1.0/endpoint.bad.js', '\nconst a = ;');
    write('endpoints/1.0/endpoint.library.js', HELLO);
    write(
      'endpoints/1.0/endpoint.good.policy.json',
      '{\n  "version": 1,\n  "limits": { "cpuMs": 999999 }\n}',
    );
    const { code, out } = run(workspace.cwd, 'check');
    expect(code).toBe(1);
    expect(out).toMatch(/endpoint\.bad\.js:2/);
    expect(out).toMatch(/endpoint\.good\.policy\.json:3.*cpuMs/);
    expect(out).toMatch(/endpoint\.library\.js.*library/);
    workspace.remove();
  });
});
