// The decision of rules: which callers they mean, which documents and fields they allow, and for whom a decision is the same.
import { describe, expect, it } from 'vitest';
import { decideAccess, type RuledCollection } from '../../src/auth/access/decide-access.ts';
import type { Client, Permissions } from '../../src/auth/clients/client.ts';
import { parseRuleFilter } from '../../src/collections/filters/rule-filter.ts';
import type { AccessRule, AccessRules, FieldAccess } from '../../src/collections/model/access-rules.ts';
import { createPlainField, type Field } from '../../src/collections/model/collection.ts';
import { ACCESS_ACTIONS, type AccessAction } from '../../src/lib/access-actions.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { MATCH_ALL } from '../../src/stores/filter.ts';
import { createPredicate } from '../../src/stores/matching/filter-predicate.ts';
import { collection } from '../http/fixtures.ts';

const field = (name: string, access?: Partial<FieldAccess>): Field => ({
  ...createPlainField(name, 'String', false),
  access: access && { read: undefined, write: undefined, ...access },
});
const FIELDS = [field('owner'), field('team'), field('status')];
const BY_NAME = new Map(FIELDS.map((one) => [one.name, one]));

type Rule = readonly [to: string | readonly string[], where?: JsonObject];

const toRule = ([to, where]: Rule): AccessRule => ({
  to: [to].flat(),
  where: where && parseRuleFilter(where, { fields: BY_NAME }),
});

const ruled = (access: AccessRules, media = false, fields = FIELDS): RuledCollection =>
  collection('notes', { settings: { access, media }, fields });
const readable = (...rules: readonly Rule[]) => ruled({ read: rules.map(toRule) });

const client = (clientId: string, more: Partial<Client> = {}): Client => ({
  id: clientId,
  clientId,
  accessType: 'user',
  permissions: null,
  roles: [],
  ...more,
});
const CALLERS: Readonly<Record<string, Client | null>> = {
  anonymous: null,
  ann: client('ann'),
  bob: client('bob', { roles: ['staff'] }),
  user: client('idp:ann', { issuer: 'idp' }),
  root: client('root', { accessType: 'admin', permissions: {} }),
};

/** The owners of the documents that somebody may read. */
const OWNERS = ['ann', 'Ann', 'bob', 'idp:ann', 'nobody'];
function ownersFor(somebody: Client | null | undefined, of: RuledCollection): readonly string[] {
  const { read } = decideAccess(somebody ?? null, of);
  const matches = read === null ? () => false : createPredicate(read);
  return OWNERS.filter((owner) => matches({ _id: '1', owner, status: owner === 'bob' ? 'public' : 'draft' }));
}

const actionsOf = (somebody: Client | null | undefined, of: RuledCollection): readonly AccessAction[] => {
  const access = decideAccess(somebody ?? null, of);
  return ACCESS_ACTIONS.filter((action) => access[action] !== null);
};

const OWN: JsonObject = { owner: { $caller: 'clientId' } };

describe('a rule', () => {
  it.each([
    ['anyone', ['anonymous', 'ann', 'bob', 'user', 'root']],
    ['clients', ['ann', 'bob', 'user', 'root']],
    ['staff', ['bob', 'root']],
    ['client:ann', ['ann', 'root']],
    ['client:idp:ann', ['root']],
    ['user:idp:ann', ['user', 'root']],
    ['user:ann', ['root']],
    ['ann', ['root']],
    [
      ['staff', 'client:ann'],
      ['ann', 'bob', 'root'],
    ],
    [[], ['root']],
  ] as const)('to %j means %j', (to, expected) => {
    const allowed = Object.keys(CALLERS).filter(
      (name) => actionsOf(CALLERS[name], readable([to])).length > 0,
    );
    expect(allowed).toEqual(expected);
  });

  it('allows its own action only, and what has no rule is for admins', () => {
    const of = ruled({ update: [toRule(['clients'])], delete: [] });
    expect(actionsOf(CALLERS['ann'], of)).toEqual(['update']);
    expect(actionsOf(CALLERS['root'], of)).toEqual(ACCESS_ACTIONS);
  });

  it('allows what another one does not: one that holds is enough', () => {
    const of = readable(['anyone', { status: 'public' }], ['clients', OWN], ['staff']);
    expect(ownersFor(CALLERS['anonymous'], of)).toEqual(['bob']);
    expect(ownersFor(CALLERS['ann'], of)).toEqual(['ann', 'bob']);
    expect(ownersFor(CALLERS['bob'], of)).toEqual(OWNERS);
    expect(decideAccess(CALLERS['bob'] ?? null, of).read).toBe(MATCH_ALL);
  });

  it('compares the caller exactly, in every place of a value', () => {
    const forms: readonly JsonObject[] = [
      OWN,
      { owner: { $eq: { $caller: 'clientId' } } },
      { owner: { $in: [{ $caller: 'clientId' }] } },
      { owner: { $not: { $ne: { $caller: 'clientId' } } } },
      { $nor: [{ owner: { $ne: { $caller: 'clientId' } } }] },
    ];
    for (const where of forms)
      expect(ownersFor(CALLERS['ann'], readable(['clients', where]))).toEqual(['ann']);
  });

  it.each([
    { owner: { $ne: { $caller: 'clientId' } } },
    { owner: { $not: { $eq: { $caller: 'clientId' } } } },
    { owner: { $not: { $in: { $caller: 'roles' } } } },
    { $nor: [OWN] },
    { $or: [{ status: { $exists: true } }, OWN] },
  ])('fails for the anonymous where it asks for the caller: %j', (where) => {
    expect(decideAccess(null, readable(['anyone', where])).read).toBeNull();
    expect(ownersFor(CALLERS['ann'], readable(['anyone', where])).length).toBeGreaterThan(0);
  });

  it('takes a client without roles for one with an empty list of them', () => {
    expect(
      ownersFor(CALLERS['ann'], readable(['clients', { owner: { $in: { $caller: 'roles' } } }])),
    ).toEqual([]);
    const others = readable(['clients', { owner: { $not: { $in: { $caller: 'roles' } } } }]);
    expect(ownersFor(CALLERS['ann'], others)).toEqual(OWNERS);
  });

  it.each([
    { owner: { $regex: { $caller: 'clientId' } } },
    { owner: { $not: { $regex: { $caller: 'clientId' } } } },
    { owner: { $elemMatch: { $regex: { $caller: 'clientId' } } } },
    { owner: { $regex: 'x', $options: { $caller: 'clientId' } } },
    { owner: { $type: { $caller: 'clientId' } } },
  ])('cannot make a pattern or an option of the caller: %j', (where) => {
    expect(() => toRule(['clients', where])).toThrow(
      expect.objectContaining({
        code: 'FILTER_INVALID',
        items: [expect.objectContaining({ field: '$caller' })],
      }),
    );
  });
});

describe('permissions', () => {
  it.each<[Permissions, readonly AccessAction[]]>([
    [{}, []],
    [{ actions: ['read'] }, ['read']],
    [{ collections: [{ path: 'notes', actions: ['read', 'delete'] }] }, ['read', 'delete']],
    [{ collections: [{ path: 'others' }] }, []],
  ])('%j narrow what rules allow, also to anyone', (permissions, expected) => {
    const rules = [toRule(['anyone'])];
    const of = ruled({ read: rules, create: rules, update: rules, delete: rules, history: rules });
    expect(actionsOf(client('ann', { permissions }), of)).toEqual(expected);
  });

  it('never widen what rules allow', () => {
    const permissions = { actions: ACCESS_ACTIONS };
    expect(actionsOf(client('ann', { permissions }), readable(['staff']))).toEqual([]);
  });
});

describe('files', () => {
  it('come from those with a token only, whatever the rules say', () => {
    const open = [toRule(['anyone'])];
    const of = ruled({ read: open, create: open, update: open }, true);
    expect(actionsOf(null, of)).toEqual(['read', 'update']);
    expect(actionsOf(CALLERS['user'], of)).toEqual(['read', 'create', 'update']);
  });
});

describe('a collection of ruled revisions', () => {
  it('is for admins, unless its own specification has rules', () => {
    const open = collection('notesHistory', { settings: { authenticate: false } });
    for (const name of ['anonymous', 'bob', 'user']) {
      const decided = decideAccess(CALLERS[name] ?? null, open, { needsRules: true });
      expect([name, decided.read, decided.history, decided.isRuled]).toEqual([name, null, null, true]);
    }
    expect(decideAccess(CALLERS['root'] ?? null, open, { needsRules: true }).read).toBe(MATCH_ALL);
    expect(decideAccess(null, readable(['anyone']), { needsRules: true }).read).toBe(MATCH_ALL);
  });
});

describe('the access of a field', () => {
  const fields = [
    field('owner'),
    field('team', { read: ['staff'] }),
    field('status', { write: ['client:ann'] }),
    field('none', { read: [], write: [] }),
  ];
  it('hides it from whom it does not name, and closes it to them', () => {
    const named = Object.entries(CALLERS).map(([name, somebody]) => {
      const { hidden, closed } = decideAccess(somebody, collection('notes', { fields }));
      return [name, [...hidden], [...closed]];
    });
    expect(named).toEqual([
      ['anonymous', ['team', 'none'], ['status', 'none']],
      ['ann', ['team', 'none'], ['none']],
      ['bob', ['none'], ['status', 'none']],
      ['user', ['team', 'none'], ['status', 'none']],
      ['root', [], []],
    ]);
  });
});

describe('the key of a decision about reading', () => {
  const keyOf = (somebody: Client | null, of: RuledCollection) => decideAccess(somebody, of).readKey;

  it('is equal for callers who read the same', () => {
    const of = readable(['anyone', { status: 'public' }], ['staff', OWN]);
    expect(keyOf(client('x'), of)).toBe(keyOf(null, of));
    expect(keyOf(client('x'), of)).toBe(keyOf(client('y', { roles: ['other'] }), of));
    expect(keyOf(client('x', { roles: ['staff'] }), readable(['staff']))).toBe(
      keyOf(client('y', { roles: ['staff'] }), readable(['staff'])),
    );
  });

  it('differs wherever a caller, its roles, its history or its fields do', () => {
    const byRoles: JsonObject = { team: { $in: { $caller: 'roles' } } };
    const staff = (clientId: string) => client(clientId, { roles: ['staff'] });
    const distinct = (of: RuledCollection, ...callers: readonly (Client | null)[]) =>
      expect(new Set(callers.map((one) => keyOf(one, of))).size).toBe(callers.length);
    distinct(
      readable(['clients', OWN]),
      null,
      client('ann'),
      client('bob'),
      client('root', { accessType: 'admin' }),
    );
    distinct(
      readable(['clients', byRoles]),
      client('ann'),
      staff('ann'),
      client('ann', { roles: ['a', 'b'] }),
    );
    distinct(
      readable(['clients', byRoles]),
      client('x', { roles: ['a,b'] }),
      client('x', { roles: ['a', 'b'] }),
    );
    distinct(readable(['client:a', OWN], ['client:b', OWN]), client('a'), client('b'));
    distinct(
      readable(['staff', { status: 'public' }], ['clients', { status: 'draft' }]),
      client('x'),
      staff('x'),
    );
    const own = [toRule(['clients', OWN])];
    distinct(ruled({ read: [toRule(['anyone'])], history: own }), null, client('ann'), client('bob'));
    const hiding = [...FIELDS, field('secret', { read: ['staff'] }), field('pin', { read: ['client:ann'] })];
    const hidden = ruled({ read: [toRule(['anyone'])] }, false, hiding);
    distinct(hidden, null, client('ann'), staff('bob'), staff('ann'));
  });

  it('minds no writing', () => {
    const of = ruled({ read: [toRule(['anyone'])], update: [], create: [toRule(['clients', OWN])] });
    expect(keyOf(client('ann'), of)).toBe(keyOf(null, of));
  });
});
