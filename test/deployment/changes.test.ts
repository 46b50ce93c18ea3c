// What one process announces, the others bring into force: once, in its order, and after whatever kept it from them.
import { describe, expect, it } from 'vitest';
import { createChangeLog } from '../../src/deployment/change-log.ts';
import type { ChangeListener } from '../../src/deployment/coordination.ts';
import { StoreError } from '../../src/errors/errors.ts';
import { EVERYTHING, FIRST, openDatabase, SECOND, type TestDatabase } from './members.ts';

const BY = 'c'.repeat(24);
/** More than the log of changes keeps. */
const MORE_THAN_KEPT = 201;

const logOf = ({ store }: TestDatabase) => createChangeLog({ store, now: Date.now, timeoutMs: 60_000 });

describe('a change', () => {
  it('is in force in the others when it is said to be, and is no news to whoever made it', async () => {
    const database = await openDatabase();
    const first = await database.join(FIRST);
    const second = await database.join(SECOND);
    await first.member.announce({ kind: 'client', target: 'ann' });
    await first.member.announce({ kind: 'module', target: 'endpoint:1.0/a' });
    await first.member.announce({ kind: 'client', target: 'ann' });
    await first.member.announce({ kind: 'route', target: 'nobody-listens' });
    await first.member.inForceEverywhere();
    // Of equal ones, one: those that came together are applied once.
    expect(new Set(second.heard)).toEqual(new Set(['client ann', 'module endpoint:1.0/a']));
    await first.member.catchUp();
    expect(first.heard).toEqual([]);
    expect(first.member.processes()[0]).toMatchObject({ changes: 6 });
  });

  it('that cannot be stored is announced once the database is there again', async () => {
    const database = await openDatabase();
    const first = await database.join(FIRST);
    const second = await database.join(SECOND);
    first.connection.fail('unavailable', ['commit']);
    await first.member.announce({ kind: 'client', target: 'ann' });
    await expect
      .poll(() => first.connection.failed.filter((one) => one === 'commit').length)
      .toBeGreaterThan(1);
    expect(second.heard).toEqual([]);
    first.connection.recover();
    await expect.poll(() => second.heard).toContain('client ann');
  });

  it('that waits to be announced keeps no process from leaving', async () => {
    const database = await openDatabase();
    const { member, connection } = await database.join(FIRST);
    connection.fail();
    await member.announce({ kind: 'client', target: 'ann' });
    await member.close();
    connection.recover();
    expect(await logOf(database).newest()).toBe(1);
  });

  it('is told with errors that are none of the database', async () => {
    const database = await openDatabase();
    const { member } = database.create(FIRST, {
      store: { find: database.store.find, commit: () => Promise.reject(new TypeError('a fault')) },
    });
    await expect(member.announce({ kind: 'client', target: 'ann' })).rejects.toThrow('a fault');
  });

  it('that cannot be brought into force is tried again, and said', async () => {
    const database = await openDatabase();
    const first = await database.join(FIRST);
    const second = await database.join(SECOND);
    let tries = 0;
    const failOnce: ChangeListener = async () => {
      tries += 1;
      if (tries === 1) throw new TypeError('a fault');
    };
    second.member.onChange('client', failOnce);
    await first.member.announce({ kind: 'client', target: 'ann' });
    await first.member.inForceEverywhere();
    expect(tries).toBe(2);
    expect(second.logged).toEqual(['error: cannot apply a change of another process']);
  });

  it('that a database cannot tell of yet is tried again in silence', async () => {
    const database = await openDatabase();
    const first = await database.join(FIRST);
    const second = await database.join(SECOND);
    let tries = 0;
    second.member.onChange('client', async () => {
      tries += 1;
      if (tries === 1) throw new StoreError('timeout');
    });
    await first.member.announce({ kind: 'client', target: 'ann' });
    await first.member.inForceEverywhere();
    expect([tries, second.logged]).toEqual([2, []]);
  });
});

describe('the log of changes', () => {
  it('gives changes that are made at once different numbers', async () => {
    const log = logOf(await openDatabase());
    const targets = Array.from({ length: 20 }, (_, n) => `client${n}`);
    const numbers = await Promise.all(targets.map((target) => log.append({ kind: 'client', target }, BY)));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(targets.map((_, n) => n + 1));
    const { changes = [] } = await log.since(0);
    expect(changes.map(({ target }) => target).sort()).toEqual(targets.toSorted());
  });

  it('gives up a number that others take again and again', async () => {
    const { store } = await openDatabase();
    const conflicting = { find: store.find, commit: () => Promise.reject(new StoreError('conflict')) };
    const log = createChangeLog({ store: conflicting, now: Date.now, timeoutMs: 50 });
    await expect(log.append({ kind: 'client', target: 'ann' }, BY)).rejects.toMatchObject({
      reason: expect.stringMatching(/^(?:conflict|timeout)$/),
    });
  });

  it('that is full has those that missed more take everything for changed', async () => {
    const database = await openDatabase();
    const { member, heard, connection } = await database.join(FIRST);
    const log = logOf(database);
    connection.fail();
    for (let n = 0; n < MORE_THAN_KEPT; n += 1) await log.append({ kind: 'client', target: `c${n}` }, BY);
    expect(await log.since(1)).toEqual({ newest: MORE_THAN_KEPT + 1 });
    expect((await log.since(2)).changes).toHaveLength(MORE_THAN_KEPT - 1);
    connection.recover();
    await member.catchUp();
    expect(heard).toEqual(EVERYTHING);
  });

  it('whose number has gone back is that of another database: everything counts as changed', async () => {
    const log = logOf(await openDatabase());
    await log.append({ kind: 'client', target: 'ann' }, BY);
    expect(await log.since(5)).toEqual({ newest: 1 });
  });
});
