// The records of processes, each written by its own process and removed by any; what tells that a process has ended.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { isEnded, machineId } from '../../src/deployment/machine.ts';
import {
  createProcessRecords,
  type ProcessRecord,
  type ProcessRecords,
} from '../../src/deployment/process-records.ts';
import { StoreError } from '../../src/errors/errors.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { openFailingStore, openTemporaryStore } from '../helpers/store/temporary-store.ts';
import { FIRST } from './members.ts';

const record = (beat: number): ProcessRecord => ({
  id: FIRST,
  host: 'host',
  machine: 'm',
  pid: 1,
  address: 'a:80',
  version: '1.0.0',
  since: 0,
  lastSeen: 0,
  beat,
  applied: 0,
  settings: { one: 'hash' },
  cacheAway: false,
});

const recordsIn = (store: Pick<DocumentStore, 'find' | 'commit'>): ProcessRecords =>
  createProcessRecords({ store, now: Date.now, timeoutMs: 60_000 });

describe('the record of a process', () => {
  it('is stored, changed, told and removed', async () => {
    const { store } = await openTemporaryStore();
    const records = recordsIn(store);
    expect(await records.save(record(1))).toBe(false);
    expect(await records.save(record(2))).toBe(true);
    expect(await records.list()).toEqual([record(2)]);
    expect([await records.remove(FIRST), await records.remove(FIRST)]).toEqual([true, false]);
    expect(await records.list()).toEqual([]);
  });

  it('is stored again where another process has removed it', async () => {
    const { store } = await openTemporaryStore();
    const records = recordsIn(store);
    await records.save(record(1));
    await recordsIn(store).remove(FIRST);
    expect(await records.save(record(2))).toBe(false);
    expect(await records.save(record(3))).toBe(true);
    expect(await records.list()).toEqual([record(3)]);
  });

  it('is changed after an answer of the database was lost', async () => {
    const { store } = await openTemporaryStore();
    let losesAnswer = false;
    const records = recordsIn({
      find: store.find,
      async commit(writes, options) {
        await store.commit(writes, options);
        if (losesAnswer) throw new StoreError('timeout');
      },
    });
    await records.save(record(1));
    losesAnswer = true;
    await expect(records.save(record(2))).rejects.toMatchObject({ reason: 'timeout' });
    losesAnswer = false;
    expect(await records.save(record(3))).toBe(true);
    expect(await records.list()).toEqual([record(3)]);
  });

  it('is no reason to hide that the database is away', async () => {
    const store = await openFailingStore();
    const records = recordsIn(store);
    await records.save(record(1));
    store.fail('unavailable', ['commit']);
    await expect(records.save(record(2))).rejects.toMatchObject({ reason: 'unavailable' });
    await expect(records.remove(FIRST)).rejects.toMatchObject({ reason: 'unavailable' });
  });

  it('that two others remove at once is removed by one of them', async () => {
    const { store } = await openTemporaryStore();
    await recordsIn(store).save(record(1));
    const removed = await Promise.all([1, 2, 3].map(() => recordsIn(store).remove(FIRST)));
    expect(removed.filter(Boolean)).toHaveLength(1);
  });
});

describe('a process of the same machine', () => {
  const machine = machineId();

  it('has ended where none has its number', () => {
    expect(machine).toMatch(/^[0-9a-f]{16}$/);
    const { pid } = spawnSync('true');
    expect(isEnded({ machine, pid }, machine)).toBe(true);
  });

  it('runs where one has its number, whoever owns that', () => {
    expect(isEnded({ machine, pid: process.ppid }, machine)).toBe(false);
    expect(isEnded({ machine, pid: 1 }, machine)).toBe(false);
    // A record of an earlier process with the number of this one.
    expect(isEnded({ machine, pid: process.pid }, machine)).toBe(false);
  });

  it('is not told from those of machines that cannot be told apart', () => {
    const { pid } = spawnSync('true');
    expect(isEnded({ machine: 'another', pid }, machine)).toBe(false);
    expect(isEnded({ machine: '', pid }, '')).toBe(false);
  });
});
