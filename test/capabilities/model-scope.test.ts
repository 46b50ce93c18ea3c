import { expect, test } from 'vitest';
import type { Client } from '../../src/auth/clients/client.ts';
import { createModelScope, findCollectionGrant, restrictCaller } from '../../src/capabilities/model-scope.ts';
import { type CollectionAccess, FULL_ACCESS } from '../../src/collections/model/access.ts';
import type { Collection } from '../../src/collections/model/collection.ts';
import { ACCESS_ACTIONS } from '../../src/lib/access-actions.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { callerNamed, collectionOf } from '../collections/library-service.ts';
import { callerOf } from '../http/fixtures.ts';
import { ANN, openModels } from './model.ts';
import { grantOf, unitWith } from './module.ts';

const BOOKS = '1.0/library/books';
const NOT_GRANTED = {
  code: 'NOT_GRANTED',
  message: 'The policy of this module grants no such use of a collection',
};

test('Model answers the same for missing and for ungranted collections', async () => {
  const { call, library } = await openModels();
  await library.create('books', [{ title: 'A' }]);
  const grants = [grantOf(BOOKS, { actions: ['count'] }), grantOf('1.0/library/gone')];
  for (const collection of ['books', 'people', 'gone', 'nowhere', '', '/', 'constructor', '__proto__']) {
    const { ok, value } = await call('model.find', { collection }, grants);
    expect([ok, value]).toEqual([false, NOT_GRANTED]);
  }
  expect((await call('model.count', { collection: 'books' }, grants)).value).toMatchObject({
    metadata: { totalCount: 1 },
  });
  expect((await call('model.find', { collection: 'books' }, [])).value).toEqual(NOT_GRANTED);
});

test('Model rejects a short name of two granted collections', async () => {
  const { call } = await openModels();
  const grants = [grantOf(BOOKS), grantOf('1.0/shop/books')];
  const short = await call('model.find', { collection: 'books' }, grants);
  expect(short.value).toEqual({
    code: 'AMBIGUOUS_NAME',
    message: 'The name may mean any of 1.0/library/books, 1.0/shop/books',
  });
  expect((await call('model.find', { collection: 'shop/books' }, grants)).ok).toBe(true);
});

test('Model needs the permission of the caller and the grant of the module', async () => {
  let client = ANN;
  const { call } = await openModels({ findCached: () => client });
  const grants = [grantOf(BOOKS), grantOf('1.0/library/open')];
  const find = async (collection: string, client: Client | null) =>
    (await call('model.find', { collection }, grants, { client })).value.code;
  const limited = (path: string): Client => {
    client = { ...ANN, permissions: { collections: [{ path }] } };
    return client;
  };
  expect(await find('books', null)).toBe('NO_TOKEN');
  expect(await find('books', limited('people'))).toBe('NOT_PERMITTED');
  expect(await find('books', limited('books'))).toBeUndefined();
  expect(await find('open', null)).toBeUndefined();
});

test('Model uses the current rights of the caller, who may be removed or created again', async () => {
  let now: Client | undefined = ANN;
  const { call } = await openModels({ findCached: () => now });
  const find = async () => (await call('model.find', { collection: 'books' }, [grantOf(BOOKS)])).value.code;
  expect(await find()).toBeUndefined();
  now = { ...ANN, permissions: { collections: [{ path: 'people' }] } };
  expect(await find()).toBe('NOT_PERMITTED');
  now = { ...ANN, id: 'another record of that name' };
  expect(await find()).toBe('CLIENT_REMOVED');
  now = undefined;
  expect(await find()).toBe('CLIENT_REMOVED');
});

test('a module can act as a client that its policy names, while that client exists', async () => {
  const robot: Client = { ...ANN, clientId: 'robot' };
  const clients = [robot];
  const { call } = await openModels({ clients });
  const grants = [grantOf(BOOKS, { as: 'client:robot' })];
  const create = () =>
    call('model.create', { collection: 'books', documents: { title: 'a' } }, grants, { client: null });
  expect((await create()).value.results[0].createdBy).toBe('robot');
  clients.pop();
  expect((await create()).value.code).toBe('CLIENT_REMOVED');
  const nobody = [grantOf(BOOKS, { as: 'somebody' })];
  expect((await call('model.find', { collection: 'books' }, nobody)).value.code).toBe('CLIENT_REMOVED');
});

test('Model does not follow references with grants for another acting client', async () => {
  const { library } = await openModels();
  const scopeOf = createModelScope({
    registry: { get: (_version, _database, name) => library.at(name), isRevisionCollection: () => false },
    createCaller: callerOf,
    findClient: async (clientId) => ({ ...ANN, clientId }),
    findCached: async () => ANN,
    queryMs: 500,
    now: () => 0,
  });
  const people = '1.0/library/people';
  const mayRead = async (as: string) => {
    const unit = unitWith({ collections: [grantOf(BOOKS, { as: 'client:robot' }), grantOf(people, { as })] });
    const run = { moduleVersion: unit, client: ANN, requestId: 'r1' };
    const { context } = await scopeOf('find', { collection: 'books' }, run);
    return context.caller.access(library.at('people')!).read !== null;
  };
  expect([await mayRead('client:robot'), await mayRead('caller')]).toEqual([true, false]);
});

test('a request that the code passes on is the one that the server knows, and says who has sent it', async () => {
  const { library } = await openModels();
  const scopeOf = createModelScope({
    registry: { get: (_version, _database, name) => library.at(name), isRevisionCollection: () => false },
    createCaller: callerOf,
    findClient: async (clientId) => ({ ...ANN, clientId }),
    findCached: async () => ANN,
    queryMs: 500,
    now: () => 0,
  });
  const http = { method: 'GET', url: '/1.0/report', headers: {}, ip: '10.0.0.1', client: ANN };
  const unit = unitWith({ collections: [grantOf(BOOKS, { as: 'client:robot' })] });
  const run = { moduleVersion: unit, client: ANN, requestId: 'r1' };
  const originOf = async (passesRequest: unknown, ownRequest?: () => typeof http | undefined) => {
    const args = { collection: 'books', passesRequest } as JsonObject;
    return (await scopeOf('find', args, { ...run, ...(ownRequest && { ownRequest }) })).context.origin;
  };
  const acting = { requestId: 'r1', client: { ...ANN, clientId: 'robot' }, module: unit.id };
  expect(await originOf(true, () => http)).toEqual({ ...acting, http });
  expect(await originOf(true, () => undefined)).toEqual(acting);
  expect(await originOf(true)).toEqual(acting);
  for (const forged of [undefined, 'true', { ...http, url: '/forged' }, 1])
    expect(await originOf(forged, () => http)).toEqual(acting);
});

test('Model calls inside hooks of Model calls end at a depth of four', async () => {
  const { call } = await openModels();
  const at = (depth: number) => call('model.find', { collection: 'books' }, [grantOf(BOOKS)], { depth });
  expect((await at(3)).ok).toBe(true);
  expect((await at(4)).value.code).toBe('TOO_DEEP');
});

test('Model passes caller, depth and limits to the document service', async () => {
  const { library } = await openModels();
  const scopeOf = createModelScope({
    registry: { get: (_version, _database, name) => library.at(name), isRevisionCollection: () => false },
    createCaller: callerOf,
    findClient: async () => undefined,
    findCached: async () => ANN,
    queryMs: 500,
    now: () => 1000,
  });
  const unit = unitWith({ collections: [grantOf(BOOKS, { maxResults: 7 })] });
  const run = { moduleVersion: unit, client: ANN, requestId: 'r1', depth: 2, deadline: 1200 };
  const { collection, context } = await scopeOf('find', { collection: 'books' }, run);
  expect(collection.path).toBe('/1.0/library/books');
  const { caller, ...told } = context;
  expect(caller.clientId).toBe('ann');
  const origin = { requestId: 'r1', client: ANN, module: 'endpoint:1.0/report' };
  expect({ ...told, deadline: context.deadline }).toEqual({
    deadline: 1200,
    maxMatches: 7,
    callDepth: 3,
    origin,
  });
  const free = await scopeOf(
    'find',
    { collection: 'books' },
    { moduleVersion: unit, client: ANN, requestId: 'r1' },
  );
  expect(free.context).toMatchObject({ deadline: 1500, callDepth: 1 });
});

test('Model begins no store operation after its request has ended', async () => {
  const { library } = await openModels();
  const scopeOf = createModelScope({
    registry: { get: (_version, _database, name) => library.at(name), isRevisionCollection: () => false },
    createCaller: callerOf,
    findClient: async () => undefined,
    findCached: async () => ANN,
    queryMs: 500,
    now: () => 1000,
  });
  const request = new AbortController();
  const unit = unitWith({ collections: [grantOf(BOOKS)] });
  const run = { moduleVersion: unit, client: ANN, requestId: 'r1', signal: request.signal };
  const { context } = await scopeOf('find', { collection: 'books' }, run);
  expect(context.deadline).toBe(1500);
  request.abort();
  expect(context.deadline, 'long past').toBe(0);
});

test.each([undefined, null, 1, ['books'], { name: 'books' }])('%j is no name', async (collection) => {
  const { call } = await openModels();
  const { value } = await call('model.find', { collection } as never, [grantOf(BOOKS)]);
  expect(value.code).toBe('BAD_ARGUMENTS');
});

const books = grantOf('1.0/library/books', { actions: ['find'] });

test('a Model name matches whole segments at the end of a path', () => {
  for (const name of ['books', 'library/books', '1.0/library/books']) {
    expect(findCollectionGrant([books], name, 'find')).toBe(books);
  }
  for (const name of ['ooks', 'y/books', '.0/library/books', '/1.0/library/books', 'library', 'books/', '']) {
    expect(() => findCollectionGrant([books], name, 'find')).toThrow(
      expect.objectContaining({ code: 'NOT_GRANTED' }),
    );
  }
});

test('actions of two grants on one collection add up', () => {
  const writes = grantOf('1.0/library/books', { actions: ['create'], as: 'client:robot' });
  expect(findCollectionGrant([books, writes], 'books', 'find')).toBe(books);
  expect(findCollectionGrant([books, writes], 'books', 'create')).toBe(writes);
  expect(() => findCollectionGrant([books, writes], 'books', 'delete')).toThrow();
});

test('a restricted caller may do what both caller and grants allow', () => {
  const source = { fields: { title: { type: 'String' } } };
  const people = collectionOf('people', source);
  const other = collectionOf('other', source);
  const grants = [
    grantOf('1.0/library/people', { actions: ['find', 'update', 'create'] }),
    grantOf('1.0/library/other', { actions: ['count', 'stats'] }),
  ];
  const caller = restrictCaller(callerNamed('ann', ['people', 'update']), grants, {
    path: other.path,
    action: 'delete',
  });
  const allowed = (collection: Collection) =>
    ACCESS_ACTIONS.filter((action) => caller.access(collection)[action] !== null);
  expect(allowed(people)).toEqual(['read', 'create', 'history']);
  // What the call itself does was granted before.
  expect(allowed(other)).toEqual(['delete']);
  expect(caller.clientId).toBe('ann');
});

test('the access of a restricted caller is the same object, until that of the caller is another', () => {
  const people = collectionOf('people', { fields: { title: { type: 'String' } } });
  const grants = [grantOf('1.0/library/people', { actions: ['find'] })];
  let access: CollectionAccess = { ...FULL_ACCESS };
  const caller = restrictCaller({ clientId: 'ann', access: () => access }, grants, {
    path: people.path,
    action: 'read',
  });
  const first = caller.access(people);
  expect(caller.access(people)).toBe(first);
  access = { ...FULL_ACCESS, read: null };
  expect(caller.access(people)).not.toBe(first);
  expect(caller.access(people).read).toBeNull();
});
