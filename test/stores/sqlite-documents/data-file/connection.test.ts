import { describe, expect, it } from 'vitest';
import { inTransaction, isBusy } from '../../../../src/stores/sqlite-documents/data-file/connection.ts';
import { damagePages } from '../../../helpers/damage.ts';
import { openTestDatabase } from '../test-database.ts';

describe('a connection', () => {
  it('keeps its statements and gives rows as arrays', () => {
    const { connection } = openTestDatabase();
    expect(connection.statement('select 1, 2')).toBe(connection.statement('select 1, 2'));
    expect(connection.statement('select 1, 2').get()).toEqual([1, 2]);
  });

  it('survives more statements than it keeps', () => {
    const { connection } = openTestDatabase();
    for (let n = 0; n < 1100; n += 1) connection.statement(`select ${n}`).get();
    expect(connection.statement('select 1').get()).toEqual([1]);
  });

  it('runs a transaction wholly or not at all', () => {
    const { connection } = openTestDatabase();
    connection.db.exec('create table t (a)');
    expect(() =>
      inTransaction(connection, 'immediate', () => {
        connection.db.exec('insert into t values (1)');
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(
      inTransaction(connection, 'read', () => connection.statement('select count(*) from t').get()),
    ).toEqual([0]);
  });

  it('does not wait for a lock, and knows that failure', () => {
    const bench = openTestDatabase();
    const other = bench.connect();
    const failure = inTransaction(bench.connection, 'immediate', () => {
      try {
        return inTransaction(other, 'immediate', () => undefined);
      } catch (error) {
        return error;
      }
    });
    expect(isBusy(failure)).toBe(true);
    expect(isBusy(new Error('busy'))).toBe(false);
  });

  it('reads one snapshot in one turn of the event loop, unless something is written or it is told to', async () => {
    const bench = openTestDatabase();
    bench.connection.db.exec('create table t (a)');
    const sharing = bench.connect({ sharedReads: true });
    const count = () =>
      sharing.onSnapshot((isNew) => [isNew, (sharing.statement('select count(*) from t').get() as never)[0]]);
    const add = () => bench.connection.db.exec('insert into t values (1)');
    expect(count()).toEqual([true, 0]);
    add();
    expect(count()).toEqual([false, 0]);
    sharing.endSnapshot();
    expect(count()).toEqual([true, 1]);
    add();
    await new Promise((resolve) => setImmediate(resolve));
    expect(count()).toEqual([true, 2]);
    inTransaction(sharing, 'immediate', () => sharing.db.exec('insert into t values (1)'));
    expect(count()).toEqual([true, 3]);
    sharing.close();
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('reads a snapshot for each read where none is shared', () => {
    const { connection } = openTestDatabase();
    expect([connection.onSnapshot((isNew) => isNew), connection.onSnapshot((isNew) => isNew)]).toEqual([
      true,
      true,
    ]);
    expect(connection.db.isTransaction).toBe(false);
  });

  it('ends the snapshot of a read that met a damaged page, without a failure that nobody could catch', async () => {
    const bench = openTestDatabase();
    bench.fill(Array.from({ length: 500 }, (_, n) => ({ n, pad: 'x'.repeat(100) })));
    bench.connection.db.exec('pragma wal_checkpoint(truncate)');
    damagePages(bench.file, { seed: 1, count: 200, from: 5 * 4096 });
    const sharing = bench.connect({ sharedReads: true });
    const read = () => sharing.onSnapshot(() => sharing.statement('select sum(length(json)) from d_1').get());
    expect(read).toThrow(/malformed/);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sharing.db.isTransaction).toBe(false);
    expect(read).toThrow(/malformed/);
    sharing.endSnapshot();
    expect(sharing.onSnapshot((isNew) => isNew)).toBe(true);
    sharing.close();
  });

  it('takes a new snapshot where a grave failure has ended the shared one', () => {
    const sharing = openTestDatabase().connect({ sharedReads: true });
    // What SQLite does by itself when the disk or the memory fails.
    sharing.onSnapshot(() => sharing.db.exec('rollback'));
    expect(sharing.onSnapshot((isNew) => [isNew, sharing.db.isTransaction])).toEqual([true, true]);
    sharing.close();
  });

  it('never writes as a reader', () => {
    const reader = openTestDatabase().connect({ readOnly: true });
    expect(() => reader.db.exec('create table t (a)')).toThrow(/readonly/);
  });
});
