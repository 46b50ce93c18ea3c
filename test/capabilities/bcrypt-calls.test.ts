// The guest calls of bcrypt: the grant, hostile arguments, many at once, and requests that are over.
import { afterAll, describe, expect, test } from 'vitest';
import {
  createBcryptCalls,
  MAX_ACTIVE_PER_MODULE,
  MAX_TEXT_BYTES,
  MIN_NEW_ROUNDS,
  type PasswordHasher,
} from '../../src/capabilities/bcrypt-calls.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { createPasswordHasher } from '../../src/workers/password-hasher.ts';
import { unitWith } from './module.ts';

const hasher = createPasswordHasher();
afterAll(() => hasher.close());
const { signal } = new AbortController();

/** One call of a module with so many rounds. */
async function call(name: string, args: JsonObject, maxRounds = 10, by: PasswordHasher = hasher) {
  const perform = createBcryptCalls(by).get(`bcrypt.${name}`);
  if (perform === undefined) throw new Error(`no call ${name}`);
  return JSON.parse(await perform(args, unitWith({ maxRounds }), signal));
}

/** Records what it is asked, and answers when `finish` is called. */
function heldHasher() {
  const asked: unknown[] = [];
  const held = Promise.withResolvers<string>();
  const hash: PasswordHasher['hash'] = (_text, salt) => {
    asked.push(salt);
    return held.promise;
  };
  const salt: PasswordHasher['salt'] = (rounds) => hash('', rounds, signal);
  return { asked, finish: () => held.resolve('x'), hasher: { hash, salt, compare: async () => false } };
}

test('a hash is made and compared, also with a salt of its own', async () => {
  const hash = await call('hash', { text: 'secret', salt: 4 }, 4);
  expect(await call('compare', { text: 'secret', hash })).toBe(true);
  expect(await call('compare', { text: 'Secret', hash })).toBe(false);
  const salt = await call('salt', { rounds: 4 }, 4);
  expect(await call('hash', { text: 'secret', salt }, 4)).toBe(
    await call('hash', { text: 'secret', salt }, 4),
  );
  const number = await call('hash', { text: 12345, salt }, 4);
  expect(await call('compare', { text: '12345', hash: number }, 4)).toBe(true);
});

test.each([
  [1, MIN_NEW_ROUNDS],
  [0, MIN_NEW_ROUNDS],
  ['8', MIN_NEW_ROUNDS],
  [11, 11],
  ['12', 12],
])('a new hash with %j rounds has %i: few would be guessed', async (salt, rounds) => {
  const held = heldHasher();
  held.finish();
  await call('hash', { text: 'a', salt }, 12, held.hasher);
  await call('salt', { rounds: salt }, 12, held.hasher);
  expect(held.asked).toEqual([rounds, rounds]);
});

describe('a call is refused', () => {
  const LONG = `$2b$31$${'a'.repeat(53)}`;
  test.each([
    ['hash', { text: 'a', salt: 11 }, 'NOT_GRANTED', '11 rounds is not granted'],
    ['hash', { text: 'a', salt: 1e9 }, 'NOT_GRANTED', 'rounds is not granted'],
    ['hash', { text: 'a', salt: `$2b$31$${'a'.repeat(22)}` }, 'NOT_GRANTED', '31 rounds'],
    ['hash', { text: 'a', salt: `$2b$03$${'a'.repeat(22)}` }, 'BAD_ARGUMENTS', 'too few'],
    ['hash', { text: 'a', salt: `$2b$10$${'a'.repeat(21)}` }, 'BAD_ARGUMENTS', 'rounds'],
    ['hash', { text: 'a', salt: 10.5 }, 'BAD_ARGUMENTS', 'whole number'],
    ['hash', { text: 'a', salt: -1 }, 'BAD_ARGUMENTS', 'whole number'],
    ['hash', { text: 'a', salt: [10] }, 'BAD_ARGUMENTS', 'whole number'],
    ['hash', { text: 'a' }, 'BAD_ARGUMENTS', 'whole number'],
    ['hash', { text: 'a'.repeat(MAX_TEXT_BYTES + 1), salt: 10 }, 'BAD_ARGUMENTS', 'bytes'],
    ['hash', { text: 'ä'.repeat(MAX_TEXT_BYTES / 2 + 1), salt: 10 }, 'BAD_ARGUMENTS', 'bytes'],
    ['hash', { text: { toString: 'a' }, salt: 10 }, 'BAD_ARGUMENTS', 'a text'],
    ['hash', { salt: 10 }, 'BAD_ARGUMENTS', 'a text'],
    ['compare', { text: 'a', hash: LONG }, 'NOT_GRANTED', '31 rounds'],
    ['compare', { text: 'a' }, 'BAD_ARGUMENTS', 'a hash'],
    ['compare', { text: null, hash: LONG }, 'BAD_ARGUMENTS', 'a text'],
    ['salt', { rounds: 31 }, 'NOT_GRANTED', '31 rounds'],
    ['salt', {}, 'BAD_ARGUMENTS', 'whole number'],
  ])('%s with %j', async (name, args, code, message) => {
    await expect(call(name, args as JsonObject)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  test('for a module without the grant', async () => {
    for (const name of ['hash', 'compare', 'salt'])
      await expect(call(name, { text: 'a', salt: 4, rounds: 4, hash: 'x' }, 0)).rejects.toMatchObject({
        code: 'NOT_GRANTED',
        message: 'The policy of this module grants no `bcrypt`',
      });
  });
});

test.each(['', 'plain text', '$2b$10$short', `$2b$02$${'a'.repeat(53)}`, `$9b$10$${'a'.repeat(53)}`])(
  'what is no hash, %j, matches nothing',
  async (hash) => {
    expect(await call('compare', { text: 'a', hash })).toBe(false);
  },
);

test('a module has so many calls at a time, and another module its own', async () => {
  const held = heldHasher();
  const perform = createBcryptCalls(held.hasher).get('bcrypt.hash')!;
  const begin = (id?: string) =>
    perform({ text: 'a', salt: 10 }, unitWith({ maxRounds: 10, ...(id && { id }) }), signal);
  const running = Array.from({ length: MAX_ACTIVE_PER_MODULE }, () => begin());
  await expect(begin()).rejects.toMatchObject({ code: 'ENDPOINT_BUSY', status: 503 });
  const other = begin('endpoint:1.0/other');
  held.finish();
  await Promise.all([...running, other]);
  expect(await begin()).toBe('"x"');
});

test('what has begun for a request that is over counts until it ends, and nobody gets its result', async () => {
  const held = heldHasher();
  const perform = createBcryptCalls(held.hasher).get('bcrypt.hash')!;
  const request = new AbortController();
  const unit = unitWith({ maxRounds: 10 });
  const left = Array.from({ length: MAX_ACTIVE_PER_MODULE }, () =>
    perform({ text: 'a', salt: 10 }, unit, request.signal),
  );
  request.abort();
  await expect(perform({ text: 'a', salt: 10 }, unit, signal)).rejects.toMatchObject({
    code: 'ENDPOINT_BUSY',
  });
  held.finish();
  await Promise.all(left);
  const waits: PasswordHasher = {
    ...held.hasher,
    hash: async (_text, _salt, given) => Promise.reject(given.reason),
  };
  await expect(
    createBcryptCalls(waits).get('bcrypt.hash')!({ text: 'a', salt: 10 }, unit, request.signal),
  ).rejects.toMatchObject({ code: 'ABORTED' });
});
