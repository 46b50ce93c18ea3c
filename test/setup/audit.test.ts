import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { openAudit, openAuditVerification } from '../../src/setup/audit.ts';
import { BOSS } from '../helpers/fixtures/actors.ts';
import { silent } from '../helpers/store/audit-log.ts';
import { openTemporaryStore } from '../helpers/store/temporary-store.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';

const ACTION = { actor: BOSS, action: 'client.create', target: 'app', before: null, after: 'f' };

async function open(env: Readonly<Record<string, string>>) {
  const cwd = await temporaryFolder();
  const { store } = await openTemporaryStore();
  const { config } = await loadConfig({ flags: {}, env, cwd });
  const audit = await openAudit(config, { cwd, store, now: Date.now, log: silent });
  await audit.record(ACTION);
  return { cwd, report: await openAuditVerification(config, { cwd, store, after: 0 }) };
}

describe('the audit log of a configuration', () => {
  it('has its key with the data, and the newest entry', async () => {
    const { cwd, report } = await open({ CLOISTER_DATABASE_SQLITE_PATH: 'content' });
    expect(existsSync(join(cwd, 'content', 'audit.key'))).toBe(true);
    expect(report).toMatchObject({ count: 1, isAnchored: true, issue: undefined });
  });

  it('has them elsewhere, or the key nowhere, as the operator wishes', async () => {
    const { cwd, report } = await open({
      CLOISTER_AUTH_AUDIT_PATH: 'apart',
      CLOISTER_AUTH_AUDIT_KEY: 'k'.repeat(32),
    });
    expect(existsSync(join(cwd, 'apart', 'audit.key'))).toBe(false);
    expect(JSON.parse(readFileSync(join(cwd, 'apart', 'audit.head'), 'utf8'))).toMatchObject({ seq: 1 });
    expect(report).toMatchObject({ count: 1, isAnchored: true, issue: undefined });
  });
});
