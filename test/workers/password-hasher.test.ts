// Hashes of passwords on a thread: what other programs made is recognised, and who waits too long or no longer is let go.
import { afterAll, expect, test } from 'vitest';
import { createPasswordHasher } from '../../src/workers/password-hasher.ts';

const hasher = createPasswordHasher();
afterAll(() => hasher.close());
const { signal } = new AbortController();

test('a text has the hash that was made of it, and no other text has', async () => {
  const hash = await hasher.hash('correct horse', 4, signal);
  expect(hash).toMatch(/^\$2b\$04\$[./A-Za-z0-9]{53}$/);
  expect(await hasher.compare('correct horse', hash, signal)).toBe(true);
  expect(await hasher.compare('correct horsf', hash, signal)).toBe(false);
  const salt = await hasher.salt(5, signal);
  expect(await hasher.hash('a', salt, signal)).toMatch(new RegExp(`^${salt.replaceAll(/[$.]/g, '\\$&')}`));
});

test.each([
  // Published test values of other implementations.
  ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['U*U*', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK'],
])('a hash that another program made of %j is recognised', async (text, hash) => {
  expect(await hasher.compare(text, hash, signal)).toBe(true);
  expect(await hasher.compare(`${text}x`, hash, signal)).toBe(false);
});

test('a salt that is none is named, and the next text has its hash', async () => {
  await expect(hasher.hash('a', 'no salt', signal)).rejects.toThrow(/salt/);
  expect(await hasher.hash('a', 4, signal)).toMatch(/^\$2b\$04\$/);
});

test('who has gone is taken out of the queue, and one too many is told that it is busy', async () => {
  const small = createPasswordHasher({ maxQueue: 1 });
  const gone = new AbortController();
  const first = small.hash('a', 4, signal);
  const waiting = small.hash('b', 4, gone.signal);
  await expect(small.hash('c', 4, signal)).rejects.toMatchObject({ code: 'ENDPOINT_BUSY', status: 503 });
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  expect(await first).toMatch(/^\$2b\$04\$/);
  expect(await small.hash('d', 4, signal)).toMatch(/^\$2b\$04\$/);
  await small.close();
});

test('a task that takes too long ends with its thread, and the next one has another', async () => {
  const slow = createPasswordHasher({ timeoutMs: 1 });
  await expect(slow.hash('a', 14, signal)).rejects.toMatchObject({ code: 'ENDPOINT_BUSY' });
  await slow.close();
});
