// Processes that come back together: from an outage of their database, and with each other.
import { expect, it } from 'vitest';
import { FIRST, openDatabase, SECOND, THIRD } from './members.ts';

it('processes that come back from a long outage of their database do not take each other for lost', async () => {
  const database = await openDatabase();
  const members = [await database.join(FIRST), await database.join(SECOND), await database.join(THIRD)];
  for (const { connection } of members) connection.fail();
  database.advance(11_000);
  await expect.poll(() => members.every(({ logged }) => logged.length === 1)).toBe(true);
  for (const one of members) {
    // One after the other: the first finds records that have not moved for eleven seconds.
    one.connection.recover();
    await expect.poll(() => one.member.isConfirmed()).toBe(true);
  }
  for (const { logged, member } of members) {
    expect(logged.join()).not.toContain('gone without stopping');
    expect(member.processes()).toHaveLength(3);
  }
});

it('processes that introduce themselves at the same time do not wait for each other', async () => {
  const database = await openDatabase();
  const members = [FIRST, SECOND, THIRD].map((id) => database.create(id).member);
  await Promise.all(members.map((member) => member.join()));
  // No time has passed: nobody was waited for until it counted as gone.
  expect(database.clock()).toBe(0);
  for (const member of members) expect([member.isConfirmed(), member.isAlone()]).toEqual([true, false]);
});

it('processes that were taken for lost together come back together', async () => {
  const database = await openDatabase();
  const first = await database.join(FIRST);
  const others = [await database.join(SECOND), await database.join(THIRD)];
  for (const { connection } of others) connection.fail();
  for (let passed = 0; passed < 8; passed += 1) {
    database.advance(1000);
    await expect.poll(() => first.member.confirmedMs()).toBe(5000);
  }
  await expect.poll(() => first.member.isAlone()).toBe(true);
  for (const { connection } of others) connection.recover();
  await expect.poll(() => others.every(({ member }) => member.isConfirmed())).toBe(true);
  expect(database.clock()).toBe(8000);
});

it('what a process left under way that is lost is ended by one of the others', async () => {
  const database = await openDatabase();
  const ended: string[] = [];
  const endWorkOf = async (owner: string) => void ended.push(owner);
  const store = { ...database.store, endWorkOf };
  const first = await database.join(FIRST, { store });
  const second = await database.join(SECOND, { store });
  const lost = await database.join(THIRD);
  lost.connection.fail();
  await lost.member.close();
  for (let passed = 0; passed < 8; passed += 1) {
    database.advance(1000);
    await expect.poll(() => [first, second].every(({ member }) => member.confirmedMs() === 5000)).toBe(true);
  }
  await expect.poll(() => ended).toEqual([THIRD]);
});

it('what cannot be ended of a lost process is told, and nothing else waits for it', async () => {
  const database = await openDatabase();
  const endWorkOf = () => Promise.reject(new Error('not allowed'));
  const first = await database.join(FIRST, { store: { ...database.store, endWorkOf } });
  const lost = await database.join(SECOND);
  lost.connection.fail();
  await lost.member.close();
  for (let passed = 0; passed < 8; passed += 1) {
    database.advance(1000);
    await expect.poll(() => first.member.confirmedMs()).toBe(5000);
  }
  await expect.poll(() => first.member.isAlone()).toBe(true);
  expect(first.logged).toContain('warn: cannot end what a lost server has left under way');
});
