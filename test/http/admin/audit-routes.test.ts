import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/auth/audit/audit-entry.ts';
import { sha256Hex } from '../../../src/lib/sha256.ts';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { ADMIN } from '../../helpers/server-process/server-process.ts';

const PATH = '/1.0/library/notes';
const SPEC = { fields: { title: {} }, settings: {} };
const SECRET = 'a secret that nobody logs';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.close());

const read = async (after = 0): Promise<readonly AuditEntry[]> =>
  (await app.inject('GET', `/api/audit?after=${after}`)).body.audit;
const fileHash = (path: string) => sha256Hex(readFileSync(join(app.workspace.path, path), 'utf8'));

describe('/api/audit', () => {
  it('lists changes by admins, with fingerprints of files', async () => {
    const config = 'config.json';
    const spec = 'collections/1.0/library/collection.notes.json';
    const send = (method: string, path: string, body?: object) => app.inject(method, path, { body });
    const untouched = fileHash(config);
    await send('POST', '/api/config', { auth: { tokenTtl: 60 } });
    const configured = fileHash(config);
    await send('POST', `${PATH}/config`, SPEC);
    const created = fileHash(spec);
    await send('POST', `${PATH}/config`, { ...SPEC, settings: { count: 3 } });
    const replaced = fileHash(spec);
    await send('DELETE', `${PATH}/config`);
    await send('POST', '/api/clients', { clientId: 'app', secret: SECRET });
    await send('PUT', '/api/clients/app', { accessType: 'admin' });
    await send('PUT', '/api/clients/app/secret', { secret: SECRET });
    await send('DELETE', '/api/clients/app');
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    const [made, ...entries] = await read();
    // The operator's, at the start.
    expect(made).toMatchObject({ action: 'client.create', target: ADMIN.clientId, clientId: null });
    expect(entries.map(({ action, target, before, after }) => [action, target, before, after])).toEqual([
      ['configuration.change', '/api/config', untouched, configured],
      ['specification.create', PATH, null, created],
      ['specification.replace', PATH, created, replaced],
      ['specification.remove', PATH, replaced, null],
      ['client.create', 'app', null, hash],
      ['client.update', 'app', hash, hash],
      ['client.secret', 'app', hash, hash],
      ['client.remove', 'app', hash, null],
    ]);
    expect(entries.every(({ clientId, at }) => clientId === ADMIN.clientId && at > 0)).toBe(true);
    expect(JSON.stringify(entries)).not.toContain(SECRET);
  });

  it('is read from a number on', async () => {
    const [first, second] = await read();
    const rest = await read(first?.seq);
    expect([rest[0]?.seq, rest[0]?.previous]).toEqual([second?.seq, first?.hash]);
    for (const after of ['-1', 'x', '1&after=2', '']) {
      expect((await app.inject('GET', `/api/audit?after=${after}`)).status, after).toBe(400);
    }
  });

  it('has no entry for rejected changes', async () => {
    const { length } = await read();
    await app.inject('POST', `${PATH}/config`, { body: {} });
    await app.inject('DELETE', `${PATH}/config`);
    await app.inject('POST', '/api/config', { body: { auth: 5 } });
    await app.inject('POST', '/api/clients', { body: { clientId: ADMIN.clientId } });
    await app.inject('DELETE', '/api/clients/nobody');
    expect(await read()).toHaveLength(length);
  });

  it('is for admins, and supports GET only', async () => {
    expect((await app.inject('GET', '/api/audit', { token: null })).status).toBe(401);
    expect((await app.inject('GET', '/api/audit', { token: await app.userToken('plain') })).status).toBe(401);
    const { status, headers } = await app.inject('DELETE', '/api/audit');
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});
