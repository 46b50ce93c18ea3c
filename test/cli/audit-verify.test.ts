import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditVerify } from '../../src/cli/audit-verify.ts';
import { runCommand } from '../../src/cli/main.ts';
import type { CommandFlags } from '../../src/cli/usage/parse-arguments.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

let workspace: Workspace;
let app: TestApp;
beforeAll(async () => {
  workspace = createWorkspace();
  app = await startApp({ workspace });
  await app.inject('POST', '/api/clients', { body: { clientId: 'app', secret: 'a secret of the app' } });
});
afterAll(async () => {
  await app.close();
  workspace.remove();
});

const file = (name: string) => join(workspace.cwd, 'data', name);

async function verify(flags: CommandFlags = {}) {
  const io = captureIo(workspace.cwd);
  return { code: await auditVerify(flags, io), text: io.printed.join('\n'), complaint: io.complained.join() };
}

/** Runs `work` while a file of the data folder holds this text. */
async function withText<T>(name: string, text: string, work: () => Promise<T>): Promise<T> {
  const before = readFileSync(file(name), 'utf8');
  writeFileSync(file(name), text);
  try {
    return await work();
  } finally {
    writeFileSync(file(name), before);
  }
}

/** Runs `work` while the entry of this number is stored as `tamper` gives it, or not at all. */
async function withEntry<T>(
  seq: number,
  tamper: (json: string) => string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const db = new DatabaseSync(file('cloister.db'));
  const [table] = db
    .prepare("select 'd_' || n as name from collections where collection = 'cloister.audit'")
    .all()
    .map(({ name }) => String(name));
  const row = db
    .prepare(`select doc, id, json from ${table} where json_extract(json, '$.seq') = ?`)
    .get(seq)!;
  db.prepare(`delete from ${table} where doc = ?`).run(row['doc']!);
  const insert = db.prepare(`insert or replace into ${table} (doc, id, json) values (?, ?, ?)`);
  const tampered = tamper(String(row['json']));
  if (tampered !== undefined) insert.run(row['doc']!, row['id']!, tampered);
  try {
    return await work();
  } finally {
    insert.run(row['doc']!, row['id']!, row['json']!);
    db.close();
  }
}

describe('the audit verify command', () => {
  it('says that the log holds, beside a running server', async () => {
    const { code, text, complaint } = await verify();
    expect([code, complaint]).toEqual([0, '']);
    expect(text).toMatch(/^the audit log holds: 2 entries, from 20\S+Z to 20\S+Z\nkeys: [0-9a-f]{16}\n/);
    expect(text).toMatch(/newest: entry 2, [0-9a-f]{64}$/);
    const json = await verify({ json: true, after: '1' });
    expect(JSON.parse(json.text)).toMatchObject({ count: 1, isAnchored: true });
  });

  it('gives 1 and names the entry where it is broken', async () => {
    const head = JSON.stringify({ seq: 4, hash: 'f' });
    const { code, complaint, text } = await withText('audit.head', head, verify);
    expect([code, complaint]).toEqual([1, 'cloister: audit verify: entries 3 to 4 are missing at the end']);
    expect(text).toBe('the audit log is broken: 2 entries before that hold');
  });

  it.each<[string, string, (json: string) => string | undefined, RegExp]>([
    [
      'another action',
      'was changed',
      (json) => json.replace('"client.create"', '"client.delete"'),
      /^cloister: audit verify: entry 1 \(client\.delete admin of 20\S+Z\) was changed: it is not what was signed$/,
    ],
    [
      'a time that is no number',
      'was changed',
      (json) => json.replace(/"at":\d+/, '"at":"never"'),
      /^cloister: audit verify: entry 1 \(client\.create admin\) was changed/,
    ],
    [
      'nothing any more',
      'is missing',
      () => undefined,
      /^cloister: audit verify: entry 1 is missing; the next one is there$/,
    ],
  ])('says of an entry that says %s that it %s', async (_title, _said, tamper, expected) => {
    const { code, complaint, text } = await withEntry(1, tamper, verify);
    expect([code, text]).toEqual([1, 'the audit log is broken: 0 entries before that hold']);
    expect(complaint).toMatch(expected);
    expect((await verify()).code).toBe(0);
  });

  it('gives 2 where it cannot be checked', async () => {
    const { code, complaint } = await withText('audit.key', 'k'.repeat(32), verify);
    expect(code).toBe(2);
    expect(complaint).toMatch(/^cloister: audit verify: entry 1 was signed with the key [0-9a-f]{16}, which/);
    expect((await verify({ after: 'x' })).code).toBe(2);
    const io = captureIo(workspace.cwd, { CLOISTER_AUTH_AUDIT_KEY: 'short' });
    expect(await auditVerify({}, io)).toBe(2);
    const late = captureIo(workspace.cwd);
    expect(await runCommand(['audit', 'verify', '--after', '99'], late)).toBe(2);
    expect(late.complained).toEqual(['cloister: audit verify: The audit log has no entry 99']);
    const torn = captureIo(workspace.cwd);
    expect(await withText('audit.head', '', () => runCommand(['audit', 'verify'], torn))).toBe(2);
    expect(torn.complained.join()).toMatch(
      /^cloister: audit verify: the newest entry .* cannot be read from \S+audit\.head/,
    );
  });

  it('says where nothing outside the database tells of the newest entry', async () => {
    const head = readFileSync(file('audit.head'), 'utf8');
    rmSync(file('audit.head'));
    const { code, text } = await verify();
    writeFileSync(file('audit.head'), head);
    expect(code).toBe(0);
    expect(text).toContain('cannot be checked here');
  });

  it('lets no command write with another key', async () => {
    const io = captureIo(workspace.cwd, { CLOISTER_AUTH_AUDIT_KEY: 'k'.repeat(32) });
    expect(await runCommand(['clients', 'add', '--id', 'late'], io)).toBe(1);
    expect(io.complained[0]).toMatch(/^cloister: clients add: the audit log was written with another key/);
    expect(await runCommand(['clients', 'add', '--id', 'late'], captureIo(workspace.cwd))).toBe(0);
    expect((await verify()).text).toContain('holds: 3 entries');
  });
});
