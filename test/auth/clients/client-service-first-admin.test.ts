// The first admin: configured, or made once on a database without clients.
import { describe, expect, it } from 'vitest';
import { createFirstAdmin } from '../../../src/auth/clients/client-service.ts';
import { StoreError } from '../../../src/errors/errors.ts';
import { openClients } from './open-clients.ts';

const ensureFirstAdmin = (...args: Parameters<typeof createFirstAdmin>) => createFirstAdmin(...args)();

describe('the first admin', () => {
  it('makes an admin once and tells its secret once', async () => {
    const { clients } = await openClients();
    const made = await ensureFirstAdmin(clients, undefined);
    expect((await clients.verifySecret(made?.clientId ?? '', made?.secret ?? ''))?.client.accessType).toBe(
      'admin',
    );
    expect(await ensureFirstAdmin(clients, undefined)).toBeUndefined();
    expect(await clients.list()).toHaveLength(1);
  });

  it('makes none where any client is', async () => {
    const { clients } = await openClients();
    await clients.create({ clientId: 'reader' });
    expect(await ensureFirstAdmin(clients, undefined)).toBeUndefined();
    expect(await clients.list()).toHaveLength(1);
  });

  it('makes one when two start at once', async () => {
    const first = await openClients();
    const second = await openClients(first.path);
    const both = await Promise.all([
      ensureFirstAdmin(first.clients, undefined),
      ensureFirstAdmin(second.clients, undefined),
    ]);
    expect(both.filter((made) => made !== undefined)).toHaveLength(1);
  });

  it('makes or updates the configured one, beside others, and tells nothing', async () => {
    const { clients } = await openClients();
    await clients.create({ clientId: 'reader' });
    expect(await ensureFirstAdmin(clients, { id: 'root', secret: 'first secret' })).toBeUndefined();
    expect(await ensureFirstAdmin(clients, { id: 'root', secret: 'second secret' })).toBeUndefined();
    expect((await clients.verifySecret('root', 'second secret'))?.client.accessType).toBe('admin');
    expect(await clients.list()).toHaveLength(2);
  });

  it('is told of in the end when its making was reported as failed and was not', async () => {
    const { clients } = await openClients();
    let fails = true;
    const ensure = createFirstAdmin(
      {
        ...clients,
        create: async (body) => {
          const made = await clients.create(body);
          if (fails) throw new StoreError('unavailable');
          return made;
        },
      },
      undefined,
    );
    await expect(ensure()).rejects.toMatchObject({ reason: 'unavailable' });
    fails = false;
    const made = await ensure();
    expect((await clients.verifySecret('admin', made?.secret ?? ''))?.client.accessType).toBe('admin');
  });

  it('is made when the first attempt came to nothing, unless somebody else has made one meanwhile', async () => {
    for (const others of [false, true]) {
      const { clients } = await openClients();
      let fails = true;
      const ensure = createFirstAdmin(
        {
          ...clients,
          create: (body) => (fails ? Promise.reject(new StoreError('unavailable')) : clients.create(body)),
        },
        undefined,
      );
      await expect(ensure()).rejects.toMatchObject({ reason: 'unavailable' });
      fails = false;
      if (others) await clients.create({ clientId: 'admin', accessType: 'admin' });
      expect((await ensure()) === undefined).toBe(others);
    }
  });

  it('passes on that the configured id is unfit', async () => {
    const { clients } = await openClients();
    await expect(ensureFirstAdmin(clients, { id: 'a b', secret: 'x' })).rejects.toMatchObject({
      status: 400,
    });
  });
});
