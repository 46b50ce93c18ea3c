// Clients on the real store: their life from creation to removal, and their secrets.
import { describe, expect, it } from 'vitest';
import { createClientService } from '../../../src/auth/clients/client-service.ts';
import { createIdSource } from '../../../src/lib/ids.ts';
import { auditOf } from '../../helpers/store/audit-log.ts';
import { openClients } from './open-clients.ts';

const SECRET = 'a long enough secret';

describe('creating a client', () => {
  it('generates a secret when none is given, and shows it only then', async () => {
    const { clients } = await openClients();
    const { client, secret } = await clients.create({ clientId: 'reader' });
    expect(client).toMatchObject({ clientId: 'reader', accessType: 'user', permissions: null });
    expect((await clients.verifySecret('reader', secret ?? ''))?.client).toEqual(client);
    expect((await clients.create({ clientId: 'writer', secret: SECRET })).secret).toBeUndefined();
    expect((await clients.verifySecret('writer', SECRET))?.client.clientId).toBe('writer');
  });

  it('keeps the secret nowhere in clear', async () => {
    const { clients, store } = await openClients();
    await clients.create({ clientId: 'reader', secret: SECRET });
    const everything = { filter: { kind: 'and', filters: [] }, sort: [], skip: 0, limit: 10 } as const;
    const records = await store.findText({ database: null, collection: 'cloister.clients' }, everything);
    expect(records).toHaveLength(1);
    expect(records.join()).not.toContain(SECRET);
    expect(JSON.stringify(await clients.list())).not.toMatch(/scrypt|stamp|secret/);
  });

  it('hashes secrets at the cost of production unless another one is given', async () => {
    const { clients, store } = await openClients();
    const cheap = createClientService({
      store,
      audit: auditOf(store),
      generateId: createIdSource(),
      now: Date.now,
      hashCost: { N: 2, r: 1, p: 1 },
    });
    await clients.create({ clientId: 'a', secret: SECRET });
    await cheap.create({ clientId: 'b', secret: SECRET });
    const all = { filter: { kind: 'and', filters: [] }, sort: [], skip: 0, limit: 10 } as const;
    const records = await store.findText({ database: null, collection: 'cloister.clients' }, all);
    expect(records.map((record) => /scrypt:\d+:\d+:\d+/.exec(String(record))?.[0]).sort()).toEqual([
      'scrypt:16384:8:1',
      'scrypt:2:1:1',
    ]);
    expect(await cheap.verifySecret('a', SECRET)).toBeDefined();
    expect(await clients.verifySecret('b', SECRET)).toBeDefined();
  });

  it('refuses an id that is taken, also when several take it at once', async () => {
    const { clients } = await openClients();
    const exists = { code: 'CLIENT_EXISTS', status: 409 };
    const all = await Promise.allSettled(
      Array.from({ length: 5 }, () => clients.create({ clientId: 'same' })),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const each of all) if (each.status === 'rejected') expect(each.reason).toMatchObject(exists);
    await expect(clients.create({ clientId: 'same' })).rejects.toMatchObject(exists);
    await expect(clients.create({ clientId: 'Same' })).resolves.toBeDefined();
  });

  it('refuses what is no client, and makes nothing', async () => {
    const { clients } = await openClients();
    for (const body of [null, {}, { clientId: { $ne: '' } }, { clientId: 'a', secret: {} }]) {
      await expect(clients.create(body)).rejects.toMatchObject({ status: 400 });
    }
    expect(await clients.hasAny()).toBe(false);
  });
});

describe('the client service', () => {
  it('lists clients by id and finds one', async () => {
    const { clients } = await openClients();
    expect(await clients.list()).toEqual([]);
    for (const clientId of ['b', 'c', 'a']) await clients.create({ clientId, secret: SECRET });
    expect((await clients.list()).map(({ clientId }) => clientId)).toEqual(['a', 'b', 'c']);
    expect(await clients.find('b')).toMatchObject({ clientId: 'b' });
    expect(await clients.find('d')).toBeUndefined();
    expect(await clients.find('a/b')).toBeUndefined();
    expect(await clients.hasAny()).toBe(true);
  });

  it('answers a change of a missing client with 404, before any other error', async () => {
    const { clients } = await openClients();
    const unknown = { code: 'NOT_FOUND', status: 404 };
    await expect(clients.update('nobody', { accessType: 'bad' })).rejects.toMatchObject(unknown);
    await expect(clients.remove('nobody')).rejects.toMatchObject(unknown);
    await expect(clients.setSecret('nobody', 'bad')).rejects.toMatchObject(unknown);
  });

  it('changes rights of a client without revoking its tokens', async () => {
    const { clients } = await openClients();
    await clients.create({ clientId: 'reader', secret: SECRET });
    const before = await clients.findStatus('reader');
    const permissions = { collections: [{ path: 'books' }] };
    expect(await clients.update('reader', { permissions })).toMatchObject({
      accessType: 'user',
      permissions,
    });
    expect(await clients.update('reader', { accessType: 'admin' })).toMatchObject({ permissions });
    expect(await clients.update('reader', { permissions: null })).toMatchObject({
      accessType: 'admin',
      permissions: null,
    });
    expect((await clients.findStatus('reader'))?.secretVersion).toBe(before?.secretVersion);
  });

  it('revokes tokens and the old secret of a client with a new secret', async () => {
    const { clients } = await openClients();
    await clients.create({ clientId: 'reader', secret: SECRET });
    const before = await clients.findStatus('reader');
    expect((await clients.setSecret('reader', 'another secret')).secret).toBeUndefined();
    expect(await clients.verifySecret('reader', SECRET)).toBeUndefined();
    const after = await clients.verifySecret('reader', 'another secret');
    expect(after?.client).toEqual(before?.client);
    expect(after?.secretVersion).not.toBe(before?.secretVersion);
    const { secret = '' } = await clients.setSecret('reader');
    expect(await clients.verifySecret('reader', secret)).toBeDefined();
    await expect(clients.setSecret('reader', 'short')).rejects.toMatchObject({ status: 400 });
    expect(await clients.verifySecret('reader', secret)).toBeDefined();
  });

  it('removes a client for good: one created again under its id is another', async () => {
    const { clients } = await openClients();
    await clients.create({ clientId: 'reader', secret: SECRET });
    const before = await clients.findStatus('reader');
    await clients.remove('reader');
    expect(await clients.verifySecret('reader', SECRET)).toBeUndefined();
    await clients.create({ clientId: 'reader', secret: SECRET });
    expect((await clients.findStatus('reader'))?.secretVersion).not.toBe(before?.secretVersion);
  });
});

describe('the check of a client secret', () => {
  it('finds no client for a wrong id or secret', async () => {
    const { clients } = await openClients();
    await clients.create({ clientId: 'reader', secret: SECRET });
    expect(await clients.verifySecret('reader', `${SECRET}.`)).toBeUndefined();
    expect(await clients.verifySecret('nobody', SECRET)).toBeUndefined();
    expect(await clients.verifySecret('READER', SECRET)).toBeUndefined();
  });

  it('hashes for an unknown client as for a known one', async () => {
    const { clients } = await openClients();
    await clients.create({ clientId: 'reader', secret: SECRET });
    const cost = async (clientId: string) => {
      const start = process.cpuUsage();
      await clients.verifySecret(clientId, 'wrong secret');
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    await cost('reader');
    let known = Number.POSITIVE_INFINITY;
    let unknown = Number.POSITIVE_INFINITY;
    // In turn, so that both meet the machine as it is.
    for (let round = 0; round < 3; round += 1) {
      known = Math.min(known, await cost('reader'));
      unknown = Math.min(unknown, await cost('nobody'));
    }
    expect(unknown).toBeGreaterThan(known / 3);
    expect(unknown).toBeLessThan(known * 3);
  });
});

describe('the configured admin', () => {
  it('is made, and left alone while its secret stays', async () => {
    const { clients } = await openClients();
    expect(await clients.upsertAdmin('root', 'short')).toMatchObject({ accessType: 'admin' });
    const before = await clients.findStatus('root');
    await clients.upsertAdmin('root', 'short');
    expect(await clients.findStatus('root')).toEqual(before);
    await clients.upsertAdmin('root', 'changed');
    expect((await clients.findStatus('root'))?.secretVersion).not.toBe(before?.secretVersion);
    expect(await clients.verifySecret('root', 'short')).toBeUndefined();
    expect(await clients.verifySecret('root', 'changed')).toBeDefined();
  });

  it('is promoted when it was none, keeping its tokens', async () => {
    const { clients } = await openClients();
    await clients.create({ clientId: 'root', secret: SECRET });
    const before = await clients.findStatus('root');
    expect(await clients.upsertAdmin('root', SECRET)).toMatchObject({ accessType: 'admin' });
    expect((await clients.findStatus('root'))?.secretVersion).toBe(before?.secretVersion);
  });

  it('is made once by two starts at once', async () => {
    const first = await openClients();
    const second = await openClients(first.path);
    const both = await Promise.all([
      first.clients.upsertAdmin('root', SECRET),
      second.clients.upsertAdmin('root', SECRET),
    ]);
    expect(both[0]?.id).toBe(both[1]?.id);
    expect(await first.clients.list()).toHaveLength(1);
  });

  it('must have an id that fits', async () => {
    const { clients } = await openClients();
    await expect(clients.upsertAdmin('a b', SECRET)).rejects.toMatchObject({ status: 400 });
  });
});
