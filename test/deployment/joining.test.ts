// A process joins the others of its database, and leaves them.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { machineId } from '../../src/deployment/machine.ts';
import { createProcessRecords, type ProcessRecord } from '../../src/deployment/process-records.ts';
import { StoreError } from '../../src/errors/errors.ts';
import { FIRST, openDatabase, SECOND, type TestDatabase, THIRD } from './members.ts';

const recordsOf = ({ store }: TestDatabase) =>
  createProcessRecords({ store, now: Date.now, timeoutMs: 60_000 });

/** A record as a process leaves it that is killed. */
const leftRecord = (record: Partial<ProcessRecord>): ProcessRecord => ({
  id: THIRD,
  host: 'host',
  machine: 'another',
  pid: 1,
  address: 'lost:80',
  version: '1.0.0',
  since: 0,
  lastSeen: 0,
  beat: 7,
  applied: 0,
  settings: {},
  cacheAway: false,
  ...record,
});

/** The number of a process that has ended. */
function endedPid(): number {
  const { pid } = spawnSync('true');
  return pid;
}

const idsOf = async (database: TestDatabase) => (await recordsOf(database).list()).map(({ id }) => id).sort();

it('a process that has joined is known to the others, until it says goodbye', async () => {
  const database = await openDatabase();
  const { member: first, logged } = await database.join(FIRST);
  expect(first.isAlone()).toBe(true);
  expect(first.shareOf(10)).toBe(10);
  const before = first.membership();
  const { member: second } = await database.join(SECOND);
  expect(first.processes()).toMatchObject([
    { id: FIRST, isSelf: true },
    { id: SECOND, isSelf: false },
  ]);
  expect([first.isAlone(), second.isAlone()]).toEqual([false, false]);
  expect([first.shareOf(10), first.shareOf(1), first.shareOf(0)]).toEqual([5, 1, 0]);
  expect(first.membership()).not.toBe(before);
  await second.close();
  database.advance(1000);
  await expect.poll(() => first.isAlone()).toBe(true);
  expect(logged).toEqual([]);
});

it('a process that joins twice has joined once', async () => {
  const database = await openDatabase();
  const { member } = await database.join(FIRST);
  await member.join();
  expect(await idsOf(database)).toEqual([FIRST]);
});

it('a process whose database is away joins once it is there', async () => {
  const database = await openDatabase();
  const { member, connection } = database.create(FIRST);
  connection.fail();
  await expect(member.join()).rejects.toMatchObject({ reason: 'unavailable' });
  expect(member.isAlone()).toBe(false);
  connection.recover();
  await member.join();
  expect(member.isAlone()).toBe(true);
});

it('a process that has its database to itself starts without a record where that part is damaged', async () => {
  const database = await openDatabase();
  const damaged = () => Promise.reject(new StoreError('damaged'));
  const store = { find: damaged, commit: damaged };
  const { member: sole, logged } = database.create(FIRST, { store, isSole: true });
  await sole.join();
  expect(logged).toEqual(['error: cannot register this server in its database']);
  expect([sole.isAlone(), sole.isConfirmed()]).toEqual([true, true]);
  const { member: shared } = database.create(SECOND, { store });
  await expect(shared.join()).rejects.toMatchObject({ reason: 'damaged' });
});

it('a process that has its database to itself tells nobody again of what it could not store', async () => {
  const database = await openDatabase();
  const { member, connection } = await database.join(FIRST, { isSole: true });
  connection.fail('unavailable', ['commit']);
  const from = performance.now();
  await member.announce({ kind: 'client', target: 'ann' });
  await member.inForceEverywhere();
  await member.exclusively('x', async () => 'done');
  // Longer than until it would be told again.
  database.advance(1000);
  await expect.poll(() => member.catchUp().then(() => performance.now() - from)).toBeGreaterThan(700);
  expect(connection.failed).toEqual(['commit']);
});

it('records of processes of the same machine that have ended are removed, and what they changed counts as changed', async () => {
  const database = await openDatabase();
  const { heard } = await database.join(FIRST);
  await recordsOf(database).save(leftRecord({ machine: machineId(), pid: endedPid() }));
  await database.join(SECOND);
  expect(await idsOf(database)).toEqual([FIRST, SECOND]);
  await expect.poll(() => heard).toContain('client anything');
});

it('a process that has its database to itself removes the records of all others', async () => {
  const database = await openDatabase();
  await recordsOf(database).save(leftRecord({}));
  await database.join(FIRST, { isSole: true });
  expect(await idsOf(database)).toEqual([FIRST]);
});

it('a setting that differs from that of a process which runs is told with its address', async () => {
  const database = await openDatabase();
  await database.join(FIRST);
  const { member } = database.create(SECOND, { settings: { secret: 'another' } });
  const moving = setInterval(() => database.advance(1000), 100);
  const joining = member.join().finally(() => clearInterval(moving));
  await expect(joining).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
    items: [{ field: 'secret', message: expect.stringContaining('the server at a:80') }],
  });
});

it('a setting that differs in the record of a process which is gone is waited for until its time is over', async () => {
  const database = await openDatabase();
  await recordsOf(database).save(leftRecord({ settings: { secret: 'another' } }));
  const { member } = database.create(FIRST);
  const moving = setInterval(() => database.advance(1000), 100);
  await member.join().finally(() => clearInterval(moving));
  expect(database.clock()).toBeGreaterThanOrEqual(6000);
});

it('the address of a process is told once it is known', async () => {
  const database = await openDatabase();
  const { member: first } = await database.join(FIRST);
  const { member: second } = database.create(SECOND);
  second.setAddress('before:80');
  await second.join();
  const addresses = () => first.processes().map(({ address }) => address);
  expect(addresses()).toEqual(['a:80', 'before:80']);
  second.setAddress('after:80');
  database.advance(1000);
  await expect.poll(addresses).toEqual(['a:80', 'after:80']);
});
