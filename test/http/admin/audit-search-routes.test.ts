// Looking for entries of the audit log, and its verification over HTTP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDIT_NAMESPACE, type AuditEntry, auditEntryId } from '../../../src/auth/audit/audit-entry.ts';
import type { Write } from '../../../src/stores/ports.ts';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { openTemporaryStore } from '../../helpers/store/temporary-store.ts';

const SPEC = { fields: { title: {} }, settings: {} };

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ specs: {} });
  for (const path of ['/1.0/library/books', '/1.0/library/bookshops', '/1.0/site/pages']) {
    expect((await app.inject('POST', `${path}/config`, { body: SPEC })).status).toBe(200);
  }
  await app.inject('POST', '/api/clients', { body: { clientId: 'app' } });
  await app.inject('DELETE', '/1.0/library/books/config');
});

afterAll(() => app.close());

const search = async (query: string): Promise<readonly AuditEntry[]> =>
  (await app.inject('GET', `/api/audit?${query}`)).body.audit;
const numbers = async (query: string) => (await search(query)).map(({ seq }) => seq);

describe('/api/audit', () => {
  it('answers oldest first unless asked for the newest', async () => {
    expect(await numbers('')).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await numbers('order=newest')).toEqual([6, 5, 4, 3, 2, 1]);
    expect(await numbers('order=newest&limit=2')).toEqual([6, 5]);
    expect(await numbers('order=newest&before=5&limit=2')).toEqual([4, 3]);
    expect(await numbers('after=2&before=5')).toEqual([3, 4]);
  });

  it('finds an action with those below it, and no other that begins alike', async () => {
    expect(await numbers('action=client')).toEqual([1, 5]);
    expect(await numbers('action=specification.create')).toEqual([2, 3, 4]);
    expect(await numbers('action=spec')).toEqual([]);
  });

  it('finds a target with those below it, and no other that begins alike', async () => {
    expect(await numbers('target=/1.0/library/books')).toEqual([2, 6]);
    expect(await numbers('target=/1.0/library')).toEqual([2, 3, 6]);
    expect(await numbers('target=app')).toEqual([5]);
  });

  it('finds who made a change, and what no client made', async () => {
    expect(await numbers('clientId=admin&action=specification')).toEqual([2, 3, 4, 6]);
    expect(await numbers('clientId=')).toEqual([1]);
    expect(await numbers('clientId=nobody')).toEqual([]);
  });

  it.each([
    ['order=down', 'order'],
    ['limit=0', 'limit'],
    ['limit=x', 'limit'],
    ['before=-1', 'before'],
    ['action=a&action=b', 'action'],
  ])('refuses ?%s and names the parameter', async (query, name) => {
    const { status, text } = await app.inject('GET', `/api/audit?${query}`);
    expect(status).toBe(400);
    expect(text).toContain(name);
  });
});

describe('/api/audit/verify', () => {
  it('says how many entries are as they were signed', async () => {
    const { status, body } = await app.inject('GET', '/api/audit/verify');
    expect(status).toBe(200);
    expect(body).toEqual({
      count: 6,
      first: { seq: 1, at: expect.any(Number) },
      last: { seq: 6, at: expect.any(Number) },
      keys: [expect.any(String)],
      isAnchored: true,
      isComplete: true,
    });
    expect((await app.inject('GET', '/api/audit/verify?after=4')).body.count).toBe(2);
    expect((await app.inject('GET', '/api/audit/verify?after=400')).status).toBe(404);
  });

  it('is for admins', async () => {
    const token = await app.userToken('no-admin');
    expect((await app.inject('GET', '/api/audit/verify', { token })).status).toBe(401);
  });

  it('names the entry that was changed', async () => {
    const { store } = await openTemporaryStore();
    const own = await startApp({ store });
    try {
      await own.inject('POST', '/api/clients', { body: { clientId: 'app' } });
      const [stored] = await store.find(AUDIT_NAMESPACE, {
        filter: { kind: 'field', path: '_id', tests: [{ kind: 'eq', value: auditEntryId(2) }] },
        sort: [['_id', 1]],
        skip: 0,
        limit: 1,
      });
      if (stored === undefined) throw new Error('no entry');
      const document = { ...stored, target: 'somebody else' };
      const write = {
        kind: 'update',
        ns: AUDIT_NAMESPACE,
        id: stored._id,
        v: 1,
        document,
        changed: ['target'],
      };
      await store.commit([write as Write], {});
      const { body } = await own.inject('GET', '/api/audit/verify');
      expect([body.count, body.isComplete]).toEqual([1, true]);
      expect(body.issue).toMatchObject({ kind: 'changed', seq: 2, entry: { target: 'somebody else' } });
    } finally {
      await own.close();
    }
  });
});
