// What the commands say of a client's rights: true for every combination, and one line whatever names there are.
import { describe, expect, it } from 'vitest';
import { permitsCollection } from '../../../src/auth/access/permissions.ts';
import type { Client, Permissions } from '../../../src/auth/clients/client.ts';
import { describeClient, describeRights } from '../../../src/cli/output/client-rights.ts';
import { ACCESS_ACTIONS, type AccessAction } from '../../../src/lib/access-actions.ts';

const clientWith = (permissions: Permissions | null, more: Partial<Client> = {}): Client => ({
  id: '1',
  clientId: 'app',
  accessType: 'user',
  permissions,
  roles: [],
  ...more,
});

const RULES = 'where a collection has access rules, only what they allow to clients';
const NO_ENDPOINT = 'call no endpoint that needs a token';
const NO_COLLECTION = 'use no collection that needs a token';

describe('the rights of a client in words', () => {
  it.each<[string, Permissions | null]>([
    [`read (with history) and write every collection; call every endpoint; ${RULES}`, null],
    [`${NO_COLLECTION}; ${NO_ENDPOINT}`, {}],
    [`${NO_COLLECTION}; ${NO_ENDPOINT}`, { actions: [] }],
    [`${NO_COLLECTION}; ${NO_ENDPOINT}`, { collections: [], endpoints: [] }],
    [`read every collection; ${NO_ENDPOINT}; ${RULES}`, { actions: ['read'] }],
    [`read (with history) every collection; ${NO_ENDPOINT}; ${RULES}`, { actions: ['history', 'read'] }],
    [`read (with history) and write every collection; ${NO_ENDPOINT}; ${RULES}`, { actions: ACCESS_ACTIONS }],
    [
      `read, create and delete every collection; call report; ${RULES}`,
      {
        actions: ['read', 'delete', 'create'],
        endpoints: [{ path: 'report' }],
      },
    ],
    [`${NO_COLLECTION}; call report of version 1.0`, { endpoints: [{ path: 'report', apiVersion: '1.0' }] }],
    [
      `read (with history) and write books, library/people and 1.0/library/x, read songs; ${NO_ENDPOINT}; ${RULES}`,
      {
        collections: [
          { path: 'books' },
          { path: 'songs', actions: ['read'] },
          { path: 'people', database: 'library' },
          { path: 'x', database: 'library', apiVersion: '1.0' },
        ],
      },
    ],
    [
      `read books; ${NO_ENDPOINT}; ${RULES}`,
      { actions: ['read'], collections: [{ path: 'books' }, { path: 'songs', actions: ['create'] }] },
    ],
    [`${NO_COLLECTION}; ${NO_ENDPOINT}`, { actions: ['read'], collections: [] }],
    [`${NO_COLLECTION}; ${NO_ENDPOINT}`, { collections: [{ path: 'books', actions: [] }] }],
  ])('%s', (words, permissions) => {
    expect(describeRights(clientWith(permissions))).toBe(words);
  });

  it('are those of an admin whatever its permissions and roles', () => {
    const admin = { accessType: 'admin', roles: ['editor'] } as const;
    expect(describeRights(clientWith({}, admin))).toBe('do everything, as an admin');
    expect(describeRights(clientWith(null, { ...admin, reviewer: true }))).toBe(
      'do everything, as an admin; approve what others post',
    );
    expect(describeClient(clientWith({}, admin))).toEqual(['roles: editor']);
  });

  it('name roles where they matter, and the right to approve', () => {
    const roles = ['author', 'editor'];
    expect(describeRights(clientWith(null, { roles }))).toMatch(/ clients and the roles author and editor$/);
    expect(describeRights(clientWith({}, { roles, reviewer: true }))).toBe(
      `${NO_COLLECTION}; ${NO_ENDPOINT}; approve what others post`,
    );
  });

  it('never promise history without reading, or an action that is not permitted', () => {
    const subsets = Array.from({ length: 32 }, (_, bits) => ACCESS_ACTIONS.filter((_, n) => bits & (1 << n)));
    for (const actions of subsets) {
      for (const permissions of [{ actions }, { collections: [{ path: 'books', actions }] }]) {
        const words = describeRights(clientWith(permissions));
        const has = (action: AccessAction) => actions.includes(action);
        expect(words.includes('history')).toBe(has('history') && has('read'));
        expect(/\bread\b/.test(words)).toBe(has('read'));
        for (const action of ['create', 'update', 'delete'] as const)
          expect(words.includes(action) || /\bwrite\b/.test(words)).toBe(has(action));
      }
    }
  });

  it('say the same as the decision about a request, for all permissions', () => {
    const lists = [
      undefined,
      [],
      ['read'],
      ['history'],
      ['create', 'update'],
      ['read', 'delete'],
      ACCESS_ACTIONS,
    ];
    const entries = lists.map((actions) => ({ path: 'books', ...(actions && { actions }) }));
    const all = lists.flatMap((actions) => [
      { ...(actions && { actions }) },
      { ...(actions && { actions }), collections: [] },
      ...entries.map((entry) => ({ ...(actions && { actions }), collections: [entry] })),
    ]);
    const books = { version: '1.0', database: 'library', name: 'books' };
    for (const permissions of [null, ...(all as readonly Permissions[])]) {
      const client = clientWith(permissions);
      const words = describeRights(client);
      const permitted = ACCESS_ACTIONS.filter((action) => permitsCollection(client, books, action));
      const named = ACCESS_ACTIONS.filter((action) => {
        if (action === 'read' || action === 'history') return words.includes(action);
        return words.includes(action) || /\bwrite\b/.test(words);
      });
      const isUseless = (action: AccessAction) => action === 'history' && !permitted.includes('read');
      expect([permissions, named]).toEqual([permissions, permitted.filter((action) => !isUseless(action))]);
    }
    expect(all.length).toBe(63);
  });

  it('stay one short line with a thousand names, odd ones quoted', () => {
    const collections = Array.from({ length: 1000 }, (_, n) => ({ path: `c${n}` }));
    const roles = Array.from({ length: 100 }, (_, n) => `r${n}`);
    const words = describeRights(clientWith({ collections, endpoints: collections }, { roles }));
    expect(words).toContain('c0, c1, c2, c3, c4 and 995 more');
    expect(words).toContain('r0, r1, r2, r3, r4 and 95 more');
    expect(words.length).toBeLessThan(500);
    const odd = describeRights(
      clientWith({ collections: [{ path: 'a\nclient secret: x; do everything, b' }] }),
    );
    expect(odd).toContain('write "a\\nclient secret: x; do everything, b";');
  });
});

describe('the columns of a client in the list', () => {
  it('are empty for what is usual', () => {
    expect(describeClient(clientWith(null))).toEqual([]);
    expect(describeClient(clientWith(null, { accessType: 'admin' }))).toEqual([]);
  });

  it('name the right to approve, all roles, and what permissions leave', () => {
    const roles = Array.from({ length: 9 }, (_, n) => `r${n}`);
    expect(describeClient(clientWith({ actions: ['read'] }, { roles, reviewer: true }))).toEqual([
      ...['reviewer', `roles: ${roles.join(', ')}`, `may only read every collection; ${NO_ENDPOINT}`],
    ]);
    expect(describeClient(clientWith({}))).toEqual([`may only ${NO_COLLECTION}; ${NO_ENDPOINT}`]);
  });
});
