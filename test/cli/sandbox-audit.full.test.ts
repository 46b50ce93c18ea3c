import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sandboxAudit } from '../../src/cli/sandbox-audit.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import type { SandboxReport } from '../../src/modules/sandbox-report.ts';
import { startApp } from '../helpers/app/app.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { spawnCommand } from '../helpers/server-process/server-process.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

let workspace: Workspace;
afterEach(() => workspace.remove());

async function audit(config: JsonObject = {}, flags = {}) {
  workspace = createWorkspace({}, config);
  const io = captureIo(workspace.cwd);
  return { code: await sandboxAudit(flags, io), io };
}

describe('the sandbox audit command', () => {
  it('tests the isolation layers and prints the page, with no server and no code', async () => {
    const { code, io } = await audit();
    const text = io.printed.join('\n');
    expect(text).toMatch(/^SANDBOX, 2/);
    expect(text).toMatch(/level +[123] of 3/);
    expect(text).toMatch(/self-test +passed: all \d+ attempts/);
    expect(text).toMatch(/isolated-vm\s+7\.0\.1/);
    expect(text).toContain('ENDPOINTS: 0');
    expect(code).toBe(0);
  });

  it('tells of code that a running server has, as JSON', async () => {
    workspace = createWorkspace();
    const app = await startApp({ workspace });
    try {
      const headers = { 'content-type': 'text/plain' };
      const body = 'module.exports.get = (req, res) => res.end();';
      await app.inject('POST', '/1.0/report/config', { body, headers });
      mkdirSync(join(workspace.path, 'hooks'), { recursive: true });
      writeFileSync(join(workspace.path, 'hooks', 'laid.js'), 'module.exports = (obj) => obj;');
      const io = captureIo(workspace.cwd);
      expect(await sandboxAudit({ json: true }, io)).toBe(0);
      const report = JSON.parse(io.printed.join('\n')) as SandboxReport;
      expect(report.endpoints).toMatchObject([
        { version: '1.0', name: 'report', path: '/1.0/report', state: 'active', codeVersion: 1 },
      ]);
      expect(report.endpoints[0]?.sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(report.hooks).toMatchObject([{ name: 'laid', path: '/api/hooks/laid' }]);
      expect(report.selfTest.state).toBe('passed');
      expect(report.level).toBeGreaterThan(0);
      expect(report.ceilings.limits.cpuMs).toBeGreaterThan(0);
    } finally {
      await app.close();
    }
  });

  it('leaves nothing behind after Ctrl-C', async () => {
    workspace = createWorkspace();
    const TMPDIR = join(workspace.cwd, 'tmp');
    mkdirSync(TMPDIR);
    const { child, ended } = spawnCommand(['sandbox', 'audit'], { cwd: workspace.cwd, env: { TMPDIR } });
    await expect.poll(() => readdirSync(TMPDIR).length, { interval: 5 }).toBe(1);
    child.kill('SIGINT');
    expect((await ended).code).toBe(1);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it('tests nothing where custom code is switched off', async () => {
    const { code, io } = await audit({ sandbox: { enabled: false } });
    expect(code).toBe(0);
    expect(io.printed).toContain('  self-test    not-run');
  });

  it('says what is wrong with the configuration', async () => {
    const { code, io } = await audit({ sandbox: { maxHosts: 0 } });
    expect([code, io.printed]).toEqual([1, []]);
    expect(io.complained[0]).toContain('sandbox.maxHosts must be 1 or more');
  });
});
