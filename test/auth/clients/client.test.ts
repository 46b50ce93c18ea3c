// What may be said about a client: every fault is a 400 that names its field.
import { describe, expect, it } from 'vitest';
import {
  isClientId,
  parseClientChange,
  parseNewClient,
  parseSecret,
} from '../../../src/auth/clients/client.ts';
import { AppError } from '../../../src/errors/errors.ts';

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
    });
  });

  it('takes everything that a record has', () => {
    const given = {
      clientId: 'reader',
      secret: 'long enough',
      accessType: 'admin',
      permissions: {
        collections: [{ path: 'books' }, { path: 'authors', apiVersion: '1.0' }],
        endpoints: [{ path: 'report' }],
      },
    };
    expect(parseNewClient(given)).toEqual(given);
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
  ])('as %j is refused for %s', (body, field) => {
    expect(faultOf(() => parseNewClient(body))).toEqual({ field, status: 400 });
  });
});

describe('a change of a client', () => {
  it('leaves alone what it does not name', () => {
    expect(parseClientChange('a', {})).toEqual({ accessType: undefined, permissions: undefined });
    expect(parseClientChange('a', { permissions: null })).toEqual({
      accessType: undefined,
      permissions: null,
    });
  });

  it('may send the record back', () => {
    const record = { clientId: 'a', accessType: 'user', permissions: { collections: [] } };
    expect(parseClientChange('a', record)).toEqual({
      accessType: 'user',
      permissions: { collections: [] },
    });
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
