import { expect, test } from 'vitest';
import { createCapabilities } from '../../src/capabilities/capabilities.ts';
import { FULL_ACCESS } from '../../src/collections/model/access.ts';
import { toAppError } from '../../src/errors/errors.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { createPasswordHasher } from '../../src/workers/password-hasher.ts';
import { openModels } from './model.ts';
import { grantOf, unitWith } from './module.ts';

const grants = [grantOf('1.0/library/books')];

test('a guest call is performed by its name', async () => {
  const { call } = await openModels();
  expect((await call('fetch', {}, [])).value).toEqual({ status: 200 });
  expect((await call('model.count', { collection: 'books' }, grants)).ok).toBe(true);
});

test.each([
  '',
  'model',
  'model.get',
  'model.drop',
  'timer',
  'constructor',
  '__proto__',
  'FETCH',
  'model.find ',
])('the guest call %j is rejected as unknown', async (name) => {
  const { call } = await openModels();
  const { ok, value } = await call(name, { collection: 'books' }, grants);
  expect([ok, value]).toEqual([false, { code: 'BAD_ARGUMENTS', message: 'There is no such call' }]);
});

test('bad arguments of a guest call are an error result', async () => {
  const { call } = await openModels();
  expect((await call('model.find', 'not json', grants)).value.code).toBe('BAD_ARGUMENTS');
  expect((await call('fetch', '[]', [])).value.code).toBe('BAD_ARGUMENTS');
});

test('an internal error of a guest call is logged and hidden from the guest', async () => {
  const broken = (store: DocumentStore): DocumentStore => ({
    ...store,
    stats: async () => {
      throw new TypeError('secret /etc/path');
    },
  });
  const { call, logged } = await openModels({ wrap: broken });
  const { ok, value } = await call('model.stats', { collection: 'books' }, grants);
  expect([ok, value]).toEqual([false, { code: 'INTERNAL', message: 'Something went wrong' }]);
  expect(logged).toMatchObject([
    {
      fields: {
        requestId: 'r1',
        module: 'endpoint:1.0/report',
        call: 'model.stats',
        err: expect.any(TypeError),
      },
    },
  ]);
});

test('no guest call begins after its request has ended', async () => {
  const begun: string[] = [];
  const never = async () => {
    throw new Error('begun');
  };
  const capabilities = createCapabilities({
    documents: { list: never, count: never, create: never, updateByQuery: never, removeByQuery: never },
    registry: { get: () => undefined, isRevisionCollection: () => false },
    store: { stats: never },
    createCaller: () => ({ clientId: null, access: () => FULL_ACCESS }),
    findClient: async () => undefined,
    findCached: async () => undefined,
    toAppError,
    fetch: async () => {
      begun.push('fetch');
      return '{}';
    },
    hasher: createPasswordHasher(),
    queryMs: 1000,
    now: Date.now,
    log: { error: () => undefined },
  });
  const context = { moduleVersion: unitWith({}), client: null, requestId: 'r1' };
  const { ok, text } = await capabilities.perform(
    { name: 'fetch', args: '{}' },
    context,
    AbortSignal.abort(),
  );
  expect([ok, JSON.parse(text).code, begun]).toEqual([false, 'ABORTED', []]);
});
