// A command that changes something beside servers: they hear of it, and it tells which of them have it in force.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { announceChange, awaitAnnounced, awaitInForce } from '../../src/deployment/command-change.ts';
import { machineId } from '../../src/deployment/machine.ts';
import { createProcessRecords } from '../../src/deployment/process-records.ts';
import { FIRST, openDatabase, SECOND, THIRD } from './members.ts';

it('a change of a command is in force in the servers that live, and those that are silent are named', async () => {
  const database = await openDatabase();
  const first = await database.join(FIRST);
  const second = await database.join(SECOND);
  const { store, clock } = database;
  const deps = { store, clock, now: Date.now, timeoutMs: 60_000 };
  const { pid } = spawnSync('true');
  await createProcessRecords(deps).save({
    id: THIRD,
    host: 'host',
    machine: machineId(),
    pid,
    address: 'ended:80',
    version: '1.0.0',
    since: 0,
    lastSeen: 0,
    beat: 1,
    applied: 0,
    settings: {},
    cacheAway: false,
  });
  second.connection.fail();
  const seq = await announceChange(deps, { kind: 'client', target: 'ann' });
  const reached = awaitInForce(deps, seq);
  await expect.poll(() => first.heard).toContain('client ann');
  const moving = setInterval(() => database.advance(1000), 300);
  expect(await reached.finally(() => clearInterval(moving))).toEqual({ inForce: ['a:80'], silent: ['b:80'] });
});

it('a change of a command is in force everywhere at once where no server runs', async () => {
  const { store, clock } = await openDatabase();
  const deps = { store, clock, now: Date.now, timeoutMs: 60_000 };
  const seq = await announceChange(deps, { kind: 'client', target: 'ann' });
  expect(await awaitInForce(deps, seq)).toEqual({ inForce: [], silent: [] });
});

it('a command waits until servers have announced all that it changed', async () => {
  const { store, clock } = await openDatabase();
  const deps = { store, clock, now: Date.now, timeoutMs: 60_000 };
  const seq = await announceChange(deps, { kind: 'workspace', target: '*' });
  let isDone = false;
  const announced = awaitAnnounced(deps, seq, ['module hook:slugify', 'specification /1.0/library/books']);
  void announced.then(() => {
    isDone = true;
  });
  await announceChange(deps, { kind: 'module', target: 'hook:slugify' });
  await announceChange(deps, { kind: 'client', target: 'ann' });
  expect(isDone).toBe(false);
  await announceChange(deps, { kind: 'specification', target: '/1.0/library/books' });
  expect(await announced).toBe(seq + 3);
});

it('a command does not wait for ever for what nobody announces', async () => {
  const { store, clock, advance } = await openDatabase();
  const deps = { store, clock, now: Date.now, timeoutMs: 60_000 };
  const seq = await announceChange(deps, { kind: 'workspace', target: '*' });
  const announced = awaitAnnounced(deps, seq, ['module hook:slugify']);
  advance(10_000);
  expect(await announced).toBe(seq);
});

it('a command waits for nothing where so much was announced that some of it is not kept', async () => {
  const { store, clock } = await openDatabase();
  const deps = { store, clock, now: Date.now, timeoutMs: 60_000 };
  const seq = await announceChange(deps, { kind: 'workspace', target: '*' });
  for (let count = 0; count <= 200; count += 1) await announceChange(deps, { kind: 'client', target: 'ann' });
  expect(await awaitAnnounced(deps, seq, ['module hook:slugify'])).toBe(seq + 201);
});
