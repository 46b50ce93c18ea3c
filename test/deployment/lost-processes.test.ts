// Processes that are cut off from their database, and those that never come back.
import { expect, it } from 'vitest';
import { EVERYTHING, FIRST, openDatabase, SECOND, type TestDatabase, type TestMember } from './members.ts';

/** Milliseconds for which a process relies on its last look, and after which others do not wait for it any more. */
const CONFIRMED_MS = 5000;
const EXPIRE_MS = 6000;

async function startTwo(): Promise<{ database: TestDatabase; first: TestMember; second: TestMember }> {
  const database = await openDatabase();
  const first = await database.join(FIRST);
  const second = await database.join(SECOND);
  first.heard.length = 0;
  return { database, first, second };
}

/** Lets the time of the other process pass, while this one keeps giving signs of life. */
async function outlive(database: TestDatabase, { member }: TestMember): Promise<void> {
  for (let passed = 0; passed <= EXPIRE_MS; passed += 1000) {
    database.advance(1000);
    await expect.poll(() => member.confirmedMs()).toBe(CONFIRMED_MS);
  }
}

it('a process that is cut off relies on nothing after five seconds, says so once, and goes on by itself', async () => {
  const { database, first, second } = await startTwo();
  second.connection.fail();
  database.advance(CONFIRMED_MS - 1);
  expect(second.member.confirmedMs()).toBe(1);
  database.advance(1);
  expect(second.member.isConfirmed()).toBe(false);
  await expect.poll(() => second.logged.length).toBe(1);
  await expect.poll(() => first.member.isConfirmed()).toBe(true);
  const failures = second.connection.failed.length;
  await expect.poll(() => second.connection.failed.length).toBeGreaterThan(failures + 1);
  second.connection.recover();
  await expect.poll(() => second.logged.length).toBe(2);
  expect(second.member.isConfirmed()).toBe(true);
  expect(second.logged).toEqual([
    expect.stringMatching(/^warn: cut off from the database for 5 s: /),
    'info: the database answers again: endpoints, hooks and writes are resumed',
  ]);
});

it('a process that is gone without a word is waited for until its time is over, and what it did counts as changed', async () => {
  const { database, first, second } = await startTwo();
  second.connection.fail();
  await second.member.close();
  const before = first.member.membership();
  await first.member.announce({ kind: 'client', target: 'ann' });
  let isInForce = false;
  const inForce = first.member.inForceEverywhere().then(() => {
    isInForce = true;
  });
  database.advance(1000);
  await expect.poll(() => first.member.confirmedMs()).toBe(CONFIRMED_MS);
  expect([isInForce, first.member.isAlone()]).toEqual([false, false]);
  await outlive(database, first);
  await inForce;
  await expect.poll(() => first.member.isAlone()).toBe(true);
  expect(first.member.membership()).not.toBe(before);
  expect(first.logged).toEqual(['warn: a server on the same database has gone without stopping']);
  await expect.poll(() => first.heard).toEqual(EVERYTHING);
});

it('a process that was taken for lost and comes back takes everything for changed', async () => {
  const { database, first, second } = await startTwo();
  second.connection.fail();
  await outlive(database, first);
  await expect.poll(() => first.member.isAlone()).toBe(true);
  await first.member.announce({ kind: 'client', target: 'ann' });
  second.connection.recover();
  database.advance(1000);
  await expect.poll(() => first.member.isAlone()).toBe(false);
  await expect.poll(() => second.heard).toEqual(expect.arrayContaining([...EVERYTHING]));
  await expect.poll(() => second.member.isConfirmed()).toBe(true);
});

it('a process that looks late does not take itself for alone', async () => {
  const database = await openDatabase();
  const { member, connection } = await database.join(FIRST);
  connection.fail();
  database.advance(2000);
  expect(member.isAlone()).toBe(false);
});

it('a process that cannot reach the shared cache keeps the others from it', async () => {
  const { database, first, second } = await startTwo();
  expect(first.member.isCacheAway()).toBe(false);
  await second.member.setCacheAway(true);
  await second.member.setCacheAway(true);
  expect(second.member.isCacheAway()).toBe(true);
  await second.member.announce({ kind: 'cache-away', target: '*' });
  await second.member.inForceEverywhere();
  database.advance(1000);
  await expect.poll(() => first.member.isCacheAway()).toBe(true);
  await second.member.setCacheAway(false);
  database.advance(1000);
  await expect.poll(() => first.member.isCacheAway()).toBe(false);
});
