// What a specification may say of access, and what is refused or warned of.
import { describe, expect, it } from 'vitest';
import { parseSpecification } from '../../../src/collections/specifications/parse-specification.ts';
import { AppError } from '../../../src/errors/errors.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';

const FIELDS: JsonObject = {
  title: { type: 'String' },
  pages: { type: 'Number' },
  author: { type: 'Reference', settings: { collection: 'people' } },
};

function parse(settings: JsonObject, fields: JsonObject = FIELDS) {
  const address = { version: '1.0', database: 'library', name: 'books' };
  return parseSpecification({ fields, settings }, address, { enableCollectionDatabases: false });
}

function issues(settings: JsonObject, fields?: JsonObject): readonly string[] {
  try {
    parse(settings, fields);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.items.map(({ field, message }) => `${field}: ${message}`);
  }
}

const rule = (where: JsonObject): JsonObject => ({ access: { read: [{ to: 'clients', where }] } });

describe('the rules of a specification', () => {
  it.each([
    ['a list in place of the object', { access: [] }, 'must be an object of actions'],
    ['an action that does not exist', { access: { write: [] } }, '`write` is no action'],
    [
      'a rule in place of the list',
      { access: { read: { to: 'anyone' } } },
      'must be a list of at most 50 rules',
    ],
    ['a rule for nobody', { access: { read: [{}] } }, '`to` must be a caller'],
    ['an empty list of callers', { access: { read: [{ to: [] }] } }, '`to` must name a caller'],
    ['a caller that no name is', { access: { read: [{ to: 'client:a b' }] } }, 'and not `client:a b`'],
    ['admins', { access: { read: [{ to: ['admin'] }] } }, 'admins may do everything'],
    ['an unknown member', { access: { read: [{ to: 'anyone', when: {} }] } }, '`when` is unknown'],
    ['a filter that is no object', { access: { read: [{ to: 'anyone', where: [] }] } }, 'must be a filter'],
    ['a field that is not there', rule({ sekret: 1 }), "`sekret` doesn't exist"],
    ['an operator that is not offered', rule({ title: { $where: '1' } }), '$where'],
    ['a field behind a reference', rule({ 'author.name': 'Ann' }), '`author` A rule cannot ask'],
    ['a value that the field cannot have', rule({ pages: { $caller: 'clientId' } }), '`pages`'],
    ['roles in place of one value', rule({ title: { $caller: 'roles' } }), 'stands in `$in` only'],
    ['another member of the caller', rule({ title: { $caller: 'secret' } }), 'is `clientId`, or `roles`'],
    ['a caller as the name of a field', rule({ $caller: 'clientId' }), 'stands in place of a value'],
    ['a caller within a value', rule({ title: ['a', { b: { $caller: 'clientId' } }] }), 'stands alone'],
  ] as const)('are refused with %s', (_case, settings, message) => {
    const found = issues(settings as JsonObject);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  it('of `history` default to those of `update`', () => {
    const { access } = parse({ access: { update: [{ to: 'staff' }] } }).collection.settings;
    expect(access?.history).toBe(access?.update);
    expect(parse({ access: {} }).collection.settings.access).toEqual({});
    expect(parse({ access: null }).collection.settings.access).toBeNull();
  });

  it('insert the values of the caller, compared exactly, under operators too', () => {
    const where = {
      $or: [{ title: { $caller: 'clientId' } }, { title: { $in: ['x', { $caller: 'clientId' }] } }],
      title: { $not: { $in: { $caller: 'roles' } } },
    };
    const bound = parse(rule(where)).collection.settings.access?.read?.[0]?.where;
    expect([bound?.usesClientId, bound?.usesRoles]).toEqual([true, true]);
    expect(bound?.bind({ clientId: null, roles: null })).toBeNull();
    expect(bound?.bind({ clientId: 'Ann', roles: ['r'] })).toEqual({
      kind: 'and',
      filters: [
        {
          kind: 'or',
          filters: [
            { kind: 'field', path: 'title', tests: [{ kind: 'eq', value: 'Ann' }] },
            { kind: 'field', path: 'title', tests: [{ kind: 'in', values: ['x', 'Ann'] }] },
          ],
        },
        { kind: 'field', path: 'title', tests: [{ kind: 'not', tests: [{ kind: 'in', values: ['r'] }] }] },
      ],
    });
  });
});

describe('the access of a field', () => {
  it.each([
    ['a list', [], 'must be an object with `read` and `write`'],
    ['an unknown member', { delete: [] }, '`delete` that is unknown'],
    ['a caller that no name is', { read: [1] }, 'a caller is one of'],
  ])('is refused as %s', (_case, access, message) => {
    const found = issues({}, { title: { type: 'String', access } });
    expect(found[0]).toContain(message);
  });

  it('takes one caller for a list of one', () => {
    const { collection } = parse({}, { title: { type: 'String', access: { read: 'staff', write: [] } } });
    expect(collection.fields.get('title')?.access).toEqual({ read: ['staff'], write: [] });
  });
});

describe('the warnings of a specification', () => {
  const warnings = (settings: JsonObject) =>
    parse(settings).warnings.map(({ field, message }) => `${field}: ${message}`);

  it('name what anyone may write', () => {
    expect(warnings({ authenticate: false })).toEqual([
      'settings.authenticate: anyone may create, update, delete documents, without a token',
    ]);
    expect(warnings({ authenticate: ['POST', 'PUT', 'DELETE'] })).toEqual([]);
    expect(warnings({ authenticate: false, type: 'media' })).toEqual([]);
    expect(warnings({ access: { delete: [{ to: ['staff', 'anyone'], where: { title: 'a' } }] } })).toEqual([
      'settings.access: anyone may delete documents, without a token',
    ]);
  });

  it('name revisions of what anyone may read', () => {
    expect(warnings({ authenticate: ['POST', 'PUT', 'DELETE'], storeRevisions: true })[0]).toContain(
      'anyone may read these too',
    );
    expect(warnings({ access: { read: [{ to: 'anyone' }] }, storeRevisions: true })[0]).toContain(
      'the rules of `history` decide',
    );
  });

  it('say that `authenticate` has no effect beside rules', () => {
    expect(warnings({ access: {}, authenticate: true })).toEqual([
      'settings.authenticate: has no effect beside `settings.access`, whose rules decide',
    ]);
  });
});
