// A command that changes something beside servers: they hear of it, and it tells which of them have it in force.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { announceChange, awaitInForce } from '../../src/deployment/command-change.ts';
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
    ...{ id: THIRD, host: 'host', machine: machineId(), pid, address: 'ended:80', version: '1.0.0' },
    ...{ since: 0, lastSeen: 0, beat: 1, applied: 0, settings: {}, cacheAway: false },
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
