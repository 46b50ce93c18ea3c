// What may be said about a client: every fault is a 400 that names its field.
import { describe, expect, it } from 'vitest';
import { parseClientChange, parseNewClient, parseSecret } from '../../../src/auth/clients/parse-client.ts';
import { AppError } from '../../../src/errors/errors.ts';
import { isClientId } from '../../../src/lib/client-names.ts';

function faultOf(task: () => unknown): { field: string | undefined; status: number } {
  try {
    task();
  } catch (error) {
    if (error instanceof AppError) return { field: error.items[0]?.field, status: error.status };
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('client ids', () => {
  it.each(['a', 'my-client-key', 'Me@example.org', 'a:b.c_d+e~f', '_x', '0', 'x'.repeat(200)])(
    'may be %s',
    (id) => {
      expect(isClientId(id)).toBe(true);
    },
  );

  it.each(['', '.', '..', '-x', 'a b', 'a/b', 'a\n', 'é', 'x'.repeat(201), { $ne: '' }, null, 7, ['a']])(
    'may not be %j',
    (id) => {
      expect(isClientId(id)).toBe(false);
    },
  );
});

describe('a new client', () => {
  it('is an unrestricted user unless it says otherwise', () => {
    expect(parseNewClient({ clientId: 'reader' })).toEqual({
      clientId: 'reader',
      secret: undefined,
      accessType: 'user',
      permissions: null,
      roles: [],
    });
  });

  it('takes everything that a record has', () => {
    const given = {
      clientId: 'reader',
      secret: 'long enough',
      accessType: 'admin',
      permissions: {
        actions: ['read', 'history'],
        collections: [
          { path: 'books' },
          { path: 'authors', apiVersion: '1.0', database: 'library', actions: ['update', 'read'] },
        ],
        endpoints: [{ path: 'report' }],
      },
      roles: ['editor', 'Editor', '__proto__', 'constructor', '-', '_', 'x'.repeat(100)],
    };
    expect(parseNewClient(given)).toEqual(given);
  });

  it('has each role and action once', () => {
    const given = { clientId: 'a', roles: ['a', 'b', 'a'], permissions: { actions: ['read', 'read'] } };
    expect(parseNewClient(given)).toMatchObject({ roles: ['a', 'b'], permissions: { actions: ['read'] } });
  });

  it('may be permitted nothing', () => {
    for (const permissions of [{}, { actions: [] }, { collections: [], endpoints: [] }])
      expect(parseNewClient({ clientId: 'a', permissions }).permissions).toEqual(permissions);
  });

  it.each([
    [null, undefined],
    [[], undefined],
    ['text', undefined],
    [{}, 'clientId'],
    [{ clientId: { $ne: '' } }, 'clientId'],
    [{ clientId: 'a', secret: { $ne: '' } }, 'secret'],
    [{ clientId: 'a', secret: null }, 'secret'],
    [{ clientId: 'a', secret: 'short' }, 'secret'],
    [{ clientId: 'a', secret: 'x'.repeat(1025) }, 'secret'],
    [{ clientId: 'a', secret: 'lone \ud800 surrogate' }, 'secret'],
    [{ clientId: 'a', accessType: 'root' }, 'accessType'],
    [{ clientId: 'a', accessType: null }, 'accessType'],
    [{ clientId: 'a', acessType: 'admin' }, 'acessType'],
    [JSON.parse('{"clientId":"a","__proto__":{"accessType":"admin"}}'), '__proto__'],
    [{ clientId: 'a', reviewer: true }, 'reviewer'],
    [{ clientId: 'a', permissions: { reviewer: true } }, 'permissions.reviewer'],
    [{ clientId: 'a', permissions: [] }, 'permissions'],
    [{ clientId: 'a', permissions: 'all' }, 'permissions'],
    [{ clientId: 'a', permissions: { routes: [] } }, 'permissions.routes'],
    [{ clientId: 'a', permissions: { collections: {} } }, 'permissions.collections'],
    [{ clientId: 'a', permissions: { collections: ['books'] } }, 'permissions.collections.0'],
    [{ clientId: 'a', permissions: { collections: [{}] } }, 'permissions.collections.0.path'],
    [{ clientId: 'a', permissions: { collections: [{ path: '/1.0/x' }] } }, 'permissions.collections.0.path'],
    [
      { clientId: 'a', permissions: { endpoints: [{ path: 'x' }, { path: 'y', apiVersion: 1 }] } },
      'permissions.endpoints.1.apiVersion',
    ],
    [
      { clientId: 'a', permissions: { endpoints: [{ path: 'x', verb: 'GET' }] } },
      'permissions.endpoints.0.verb',
    ],
    [
      { clientId: 'a', permissions: { collections: Array(1001).fill({ path: 'x' }) } },
      'permissions.collections',
    ],
    [{ clientId: 'a', permissions: { actions: 'read' } }, 'permissions.actions'],
    [{ clientId: 'a', permissions: { actions: null } }, 'permissions.actions'],
    [{ clientId: 'a', permissions: { actions: { length: 0 } } }, 'permissions.actions'],
    [{ clientId: 'a', permissions: { actions: Array(21).fill('read') } }, 'permissions.actions'],
    [{ clientId: 'a', permissions: { actions: ['read', 'write'] } }, 'permissions.actions.1'],
    [{ clientId: 'a', permissions: { actions: ['constructor'] } }, 'permissions.actions.0'],
    [{ clientId: 'a', permissions: { actions: [['read']] } }, 'permissions.actions.0'],
    [
      { clientId: 'a', permissions: { collections: [{ path: 'x', database: 'a/b' }] } },
      'permissions.collections.0.database',
    ],
    [
      { clientId: 'a', permissions: { collections: [{ path: 'x', actions: ['stats'] }] } },
      'permissions.collections.0.actions.0',
    ],
    [
      { clientId: 'a', permissions: { endpoints: [{ path: 'x', actions: ['read'] }] } },
      'permissions.endpoints.0.actions',
    ],
    [{ clientId: 'a', roles: null }, 'roles'],
    [{ clientId: 'a', roles: 'editor' }, 'roles'],
    [{ clientId: 'a', roles: { 0: 'editor', length: 1 } }, 'roles'],
    [{ clientId: 'a', roles: Array.from({ length: 101 }, (_, n) => `r${n}`) }, 'roles'],
    [{ clientId: 'a', roles: Array(10_000).fill('r') }, 'roles'],
    [{ clientId: 'a', issuer: 'github' }, 'issuer'],
  ])('as %j is refused for %s', (body, field) => {
    expect(faultOf(() => parseNewClient(body))).toEqual({ field, status: 400 });
  });
});

describe('a role', () => {
  it.each([
    ...['anyone', 'clients', 'admin', '', ' ', 'a b', 'a,b', 'a.b', 'client:x', 'user:a:b', 'a\n', 'a\u0000'],
    ...['é', 'аdmin', 'ａdmin', 'admin\u200b', 'x'.repeat(101), 7, null, ['editor'], { toString: 'a' }],
  ])('is not %j', (role) => {
    expect(faultOf(() => parseNewClient({ clientId: 'a', roles: ['ok', role] }))).toEqual({
      field: 'roles.1',
      status: 400,
    });
    expect(faultOf(() => parseClientChange('a', { roles: [role] }))).toMatchObject({ field: 'roles.0' });
  });

  it('that is refused is told what would be right', () => {
    const messageOf = (role: string) => {
      try {
        return parseNewClient({ clientId: 'a', roles: [role] });
      } catch (error) {
        return error instanceof AppError ? error.items[0]?.message : error;
      }
    };
    expect(messageOf('admin')).toBe('anyone, clients, admin are reserved: a role has another name');
    expect(messageOf('a b')).toBe('A role is 1 to 100 letters, digits, - or _');
  });
});

describe('the id of a client of our own', () => {
  const issuers = ['github', 'corp'];

  it.each(['github:1', 'github:', 'corp:ann:x'])('is not %s where users of an issuer have such ids', (id) => {
    expect(faultOf(() => parseNewClient({ clientId: id }, issuers))).toEqual({
      field: 'clientId',
      status: 400,
    });
    expect(parseNewClient({ clientId: id }).clientId).toBe(id);
  });

  it.each(['github', 'github2:1', 'GitHub:1', 'my-github:1', 'github-1'])('may be %s', (id) => {
    expect(parseNewClient({ clientId: id }, issuers).clientId).toBe(id);
  });
});

describe('a change of a client', () => {
  it('leaves alone what it does not name', () => {
    const nothing = { accessType: undefined, permissions: undefined, roles: undefined };
    expect(parseClientChange('a', {})).toEqual(nothing);
    expect(parseClientChange('a', { permissions: null })).toEqual({ ...nothing, permissions: null });
    expect(parseClientChange('a', { roles: [] })).toEqual({ ...nothing, roles: [] });
  });

  it('may send the record back', () => {
    const record = { clientId: 'a', accessType: 'user', permissions: { actions: ['read'] }, roles: ['r'] };
    const { clientId: _, ...change } = record;
    expect(parseClientChange('a', record)).toEqual(change);
  });

  it.each([
    [{ clientId: 'b' }, 'clientId'],
    [{ secret: 'new secret' }, 'secret'],
    [{ reviewer: false }, 'reviewer'],
    [{ accessType: 'owner' }, 'accessType'],
    [{ permissions: 1 }, 'permissions'],
  ])('as %j is refused for %s', (body, field) => {
    expect(faultOf(() => parseClientChange('a', body))).toEqual({ field, status: 400 });
  });
});

describe('a client secret', () => {
  it('has 8 to 1024 characters of any kind', () => {
    expect(parseSecret('12345678')).toBe('12345678');
    expect(parseSecret('p\u00e4ss \u0000 w\u00f6rd')).toBe('p\u00e4ss \u0000 w\u00f6rd');
    expect(parseSecret('x'.repeat(1024))).toHaveLength(1024);
    for (const bad of ['1234567', 'x'.repeat(1025), 12_345_678, null, {}, ['12345678']]) {
      expect(faultOf(() => parseSecret(bad))).toEqual({ field: 'secret', status: 400 });
    }
  });
});
