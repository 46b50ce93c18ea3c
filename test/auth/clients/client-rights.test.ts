// Rights of clients on the real store: roles, permissions and the limitation to reading, changed at once by several; and ids that
// belong to users of another issuer.
import { describe, expect, it } from 'vitest';
import { createClientService } from '../../../src/auth/clients/client-service.ts';
import { createIdSource } from '../../../src/lib/ids.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { BOSS } from '../../helpers/fixtures/actors.ts';
import { auditedIn, auditOf } from '../../helpers/store/audit-log.ts';
import { openTemporaryStore } from '../../helpers/store/temporary-store.ts';

const SECRET = 'a long enough secret';
const CHEAP = { N: 2, r: 1, p: 1 };

const serviceOver = (store: DocumentStore, issuerNames?: readonly string[]) =>
  createClientService({
    store,
    audit: auditOf(store),
    generateId: createIdSource(),
    now: Date.now,
    hashCost: CHEAP,
    ...(issuerNames === undefined ? {} : { issuerNames }),
  });

async function setUp(shared?: string) {
  const { store, path } = await openTemporaryStore(shared);
  const clients = serviceOver(store);
  await clients.ensureIndexes();
  return { store, path, clients };
}

describe('the roles of a client', () => {
  it('are kept in their order, replaced as a whole, and taken', async () => {
    const { clients } = await setUp();
    expect((await clients.create({ clientId: 'plain' })).client.roles).toEqual([]);
    const { client } = await clients.create({ clientId: 'ann', roles: ['b', '__proto__', 'a'] });
    expect(client.roles).toEqual(['b', '__proto__', 'a']);
    expect((await clients.find('ann'))?.roles).toEqual(client.roles);
    await clients.update('ann', { accessType: 'user', permissions: {} });
    expect((await clients.find('ann'))?.roles).toEqual(client.roles);
    expect((await clients.update('ann', { roles: ['c'] })).roles).toEqual(['c']);
    expect((await clients.setRights('ann', { roles: [] })).roles).toEqual([]);
    expect(await clients.find('ann')).toMatchObject({ roles: [], permissions: {} });
  });

  it('change without ending tokens', async () => {
    const { clients } = await setUp();
    await clients.create({ clientId: 'ann', secret: SECRET });
    const before = await clients.findStatus('ann');
    await clients.setRights('ann', { roles: ['a'], readOnly: true });
    const after = await clients.findStatus('ann');
    expect(after?.secretVersion).toBe(before?.secretVersion);
    expect(after?.client).toMatchObject({ roles: ['a'], permissions: { actions: ['read'] } });
  });

  it('that are none change nothing, whoever gives them', async () => {
    const { clients, store } = await setUp();
    await clients.create({ clientId: 'ann', roles: ['a'] });
    const before = await auditedIn(store);
    for (const roles of [['admin'], ['x', 'a b'], Array(10_000).fill('r')]) {
      const isBad = { code: 'BAD_REQUEST', status: 400 };
      await expect(clients.create({ clientId: 'new', roles })).rejects.toMatchObject(isBad);
      await expect(clients.update('ann', { roles, permissions: {} })).rejects.toMatchObject(isBad);
      await expect(clients.setRights('ann', { roles, readOnly: true })).rejects.toMatchObject(isBad);
    }
    expect(await clients.list()).toMatchObject([{ clientId: 'ann', roles: ['a'], permissions: null }]);
    expect(await auditedIn(store)).toEqual(before);
  });
});

describe('changes of rights at once, by two processes', () => {
  it('are all applied where they change different members', async () => {
    const first = await setUp();
    const second = serviceOver((await openTemporaryStore(first.path)).store);
    await first.clients.create({ clientId: 'ann', permissions: { collections: [{ path: 'books' }] } });
    const outcomes = await Promise.allSettled([
      first.clients.setRights('ann', { reviewer: true }),
      second.setRights('ann', { readOnly: true }),
      first.clients.setRights('ann', { roles: ['a'] }),
      second.setRights('ann', { readOnly: true }),
      // Nobody over HTTP changes a reviewer: it comes first, or not at all.
      second.update('ann', { accessType: 'user' }, { actor: BOSS }),
    ]);
    expect(outcomes.slice(0, 4).map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'));
    if (outcomes[4]?.status === 'rejected')
      expect(outcomes[4].reason).toMatchObject({ code: 'CLIENT_PROTECTED' });
    expect(await first.clients.find('ann')).toMatchObject({
      roles: ['a'],
      reviewer: true,
      permissions: { actions: ['read'], collections: [{ path: 'books' }] },
    });
  });

  it('leave one of two lists of roles, and never a mixture', async () => {
    const first = await setUp();
    const second = serviceOver((await openTemporaryStore(first.path)).store);
    await first.clients.create({ clientId: 'ann' });
    const lists = [['a', 'b'], ['c', 'd'], [], ['e', 'f']];
    await Promise.all(
      lists.map((roles, n) => (n % 2 === 0 ? first.clients : second).update('ann', { roles })),
    );
    expect(lists).toContainEqual((await second.find('ann'))?.roles);
  });

  it('limit to reading what a change at the same time permits', async () => {
    const first = await setUp();
    const second = serviceOver((await openTemporaryStore(first.path)).store);
    await first.clients.create({ clientId: 'ann', permissions: {} });
    const collections = [{ path: 'books' }];
    await Promise.all([
      second.setRights('ann', { readOnly: true }),
      first.clients.update('ann', { roles: ['a'] }),
      first.clients.update('ann', { roles: ['b'] }),
    ]);
    expect((await second.find('ann'))?.permissions).toEqual({ actions: ['read'], collections: [] });
    expect((await first.clients.update('ann', { permissions: { collections } })).permissions).toEqual({
      collections,
    });
  });
});

describe('the last admin', () => {
  it('is not demoted by a change of roles and rights at once', async () => {
    const { clients } = await setUp();
    await clients.create({ clientId: 'boss', accessType: 'admin' });
    const demotion = { accessType: 'user', roles: ['editor'], permissions: { actions: ['read'] } };
    await expect(clients.update('boss', demotion)).rejects.toMatchObject({ code: 'LAST_ADMIN' });
    await expect(clients.setRights('boss', { roles: ['editor'], readOnly: true })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    expect(await clients.find('boss')).toMatchObject({ accessType: 'admin', roles: [], permissions: null });
    expect(await clients.update('boss', { roles: ['editor'], permissions: {} })).toMatchObject({
      accessType: 'admin',
      roles: ['editor'],
      permissions: {},
    });
  });
});

describe('a client with the id of a user of another issuer', () => {
  const ISSUERS = ['github'];

  it('is not made, not even as the configured admin', async () => {
    const { store } = await setUp();
    const clients = serviceOver(store, ISSUERS);
    const isBad = { code: 'BAD_REQUEST', items: [expect.objectContaining({ field: 'clientId' })] };
    await expect(clients.create({ clientId: 'github:1' })).rejects.toMatchObject(isBad);
    await expect(clients.createReviewer({ clientId: 'github:1' })).rejects.toMatchObject(isBad);
    await expect(clients.upsertAdmin('github:1', SECRET)).rejects.toMatchObject(isBad);
    expect(await clients.list()).toEqual([]);
  });

  it('has no access where it was made before the issuer was configured, and can be removed', async () => {
    const { clients: before, store } = await setUp();
    await before.create({ clientId: 'github:1', secret: SECRET, accessType: 'admin' });
    await before.create({ clientId: 'boss', secret: SECRET, accessType: 'admin' });
    expect(await before.verifySecret('github:1', SECRET)).toBeDefined();
    const clients = serviceOver(store, ISSUERS);
    expect(await clients.verifySecret('github:1', SECRET)).toBeUndefined();
    expect(await clients.findStatus('github:1')).toBeUndefined();
    await expect(clients.upsertAdmin('github:1', SECRET)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    const listed = (await clients.list()).map(({ clientId }) => [clientId, clients.issuerOf(clientId)]);
    expect(listed).toEqual([
      ['boss', undefined],
      ['github:1', 'github'],
    ]);
    await expect(clients.remove('boss')).rejects.toMatchObject({ code: 'LAST_ADMIN' });
    await clients.remove('github:1');
    expect(await clients.find('github:1')).toBeUndefined();
  });
});
