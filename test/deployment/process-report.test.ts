// The processes of a database as a command finds them.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { announceChange } from '../../src/deployment/command-change.ts';
import { machineId } from '../../src/deployment/machine.ts';
import { createProcessRecords } from '../../src/deployment/process-records.ts';
import { reportProcesses } from '../../src/deployment/process-report.ts';
import { FIRST, openDatabase, SECOND, type TestDatabase, THIRD } from './members.ts';

const depsOf = ({ store, clock }: TestDatabase) => ({ store, clock, now: Date.now, timeoutMs: 60_000 });

/** Lets time pass meanwhile. */
async function report(database: TestDatabase, isSole = false) {
  const moving = setInterval(() => database.advance(500), 100);
  const found = await reportProcesses({ ...depsOf(database), isSole }).finally(() => clearInterval(moving));
  return { ...found, states: found.processes.map(({ address, state }) => [address, state]) };
}

const leave = (database: TestDatabase, id: string, pid: number) =>
  createProcessRecords(depsOf(database)).save({
    id,
    host: 'host',
    machine: machineId(),
    pid,
    address: `${id.slice(0, 1)}:80`,
    version: '1.0.0',
    since: Date.now() + 1000,
    lastSeen: 0,
    beat: 1,
    applied: 0,
    settings: {},
    cacheAway: false,
  });

it('processes that give signs of life run, one that is cut off is silent, one that was killed here has ended', async () => {
  const database = await openDatabase();
  await database.join(FIRST);
  const second = await database.join(SECOND);
  second.connection.fail();
  await leave(database, THIRD, spawnSync('true').pid);
  const newest = await announceChange(depsOf(database), { kind: 'client', target: 'ann' });
  const { states, newestChange, processes } = await report(database);
  expect(new Set(states)).toEqual(
    new Set([
      ['a:80', 'running'],
      ['b:80', 'silent'],
      ['c:80', 'ended'],
    ]),
  );
  expect(newestChange).toBe(newest);
  const applied = new Map(processes.map(({ address, changes }) => [address, changes]));
  expect([applied.get('a:80'), applied.get('c:80')]).toEqual([newest, 0]);
  expect(JSON.stringify(processes)).not.toMatch(/settings|machine|beat/);
});

it('a database without servers has none, and one server that has it to itself is known by its process', async () => {
  const database = await openDatabase();
  expect((await report(database)).states).toEqual([]);
  await leave(database, FIRST, process.pid);
  expect((await report(database, true)).states).toEqual([['a:80', 'running']]);
  await leave(database, SECOND, spawnSync('true').pid);
  expect(new Set((await report(database, true)).states)).toEqual(
    new Set([
      ['a:80', 'running'],
      ['b:80', 'ended'],
    ]),
  );
});
