import { describe, expect, it } from 'vitest';
import {
  assertBeforeDeadline,
  createDeadlineLimit,
  createWorkLimit,
  documentText,
  inTransaction,
  isBusy,
  parseDocument,
  WorkLimitExceeded,
} from '../../../../src/stores/sqlite-documents/data-file/connection.ts';
import { damagePages } from '../../../helpers/temp/folders.ts';
import { openTestDatabase } from '../test-database.ts';

describe('a connection', () => {
  it('caches its statements and returns rows as arrays', () => {
    const { connection } = openTestDatabase();
    expect(connection.statement('select 1, 2')).toBe(connection.statement('select 1, 2'));
    expect(connection.statement('select 1, 2').get()).toEqual([1, 2]);
  });

  it('works with more statements than its cache holds', () => {
    const { connection } = openTestDatabase();
    for (let n = 0; n < 1100; n += 1) connection.statement(`select ${n}`).get();
    expect(connection.statement('select 1').get()).toEqual([1]);
  });

  it('runs a transaction completely or not at all', () => {
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

  it('does not wait for a lock and recognises that error', () => {
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

  it('shares one snapshot per tick of the event loop until a write or endSnapshot', async () => {
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

  it('uses a snapshot per read without shared snapshots', () => {
    const { connection } = openTestDatabase();
    expect([connection.onSnapshot((isNew) => isNew), connection.onSnapshot((isNew) => isNew)]).toEqual([
      true,
      true,
    ]);
    expect(connection.db.isTransaction).toBe(false);
  });

  it('ends the snapshot after a damaged page without an uncaught error', async () => {
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

  it('starts a new snapshot if an error has ended the shared one', () => {
    const sharing = openTestDatabase().connect({ sharedReads: true });
    // What SQLite does by itself when the disk or the memory fails.
    sharing.onSnapshot(() => sharing.db.exec('rollback'));
    expect(sharing.onSnapshot((isNew) => [isNew, sharing.db.isTransaction])).toEqual([true, true]);
    sharing.close();
  });

  it('cannot write if it is read-only', () => {
    const reader = openTestDatabase().connect({ readOnly: true });
    expect(() => reader.db.exec('create table t (a)')).toThrow(/readonly/);
  });
});

const spin = (times: number, work: () => void) => {
  for (let n = 0; n < times; n += 1) work();
};

describe('a work limit', () => {
  it('is exceeded by too much text', () => {
    const budget = createWorkLimit(1000, 100, () => 0);
    budget.tick(100);
    expect(() => budget.tick(1)).toThrow(WorkLimitExceeded);
  });

  it('is exceeded after its time, with a check of the clock every few ticks', () => {
    let time = 0;
    const budget = createWorkLimit(5, 100, () => time);
    spin(100, () => budget.tick(0));
    time = 6;
    expect(() => spin(100, () => budget.tick(0))).toThrow(WorkLimitExceeded);
  });
});

describe('a deadline', () => {
  it('is checked at the first tick and then every few ticks', () => {
    expect(() => createDeadlineLimit(10, () => 11).tick(0)).toThrow('timeout');
    let time = 0;
    const deadline = createDeadlineLimit(10, () => time);
    spin(1000, () => deadline.tick(0));
    time = 11;
    expect(() => spin(1000, () => deadline.tick(0))).toThrow('timeout');
  });

  it('may be absent', () => {
    spin(1000, () => createDeadlineLimit(undefined, () => Infinity).tick(0));
    assertBeforeDeadline(undefined, () => Infinity);
    expect(() => assertBeforeDeadline(1, () => 2)).toThrow('timeout');
  });
});

const DAMAGED = expect.objectContaining({ name: 'StorageError', kind: 'damaged' });

it('the text of a document in the data file is accepted', () => {
  expect(documentText('{"_id":"a"}')).toBe('{"_id":"a"}');
  expect(parseDocument('{"_id":"a","b":[1]}')).toEqual({ _id: 'a', b: [1] });
});

it.each([null, undefined, 7, new Uint8Array(3), '', '"text"', '{"_id":"a"', '\u0000}'])(
  'takes no row that has %j for a document',
  (value) => {
    expect(() => documentText(value)).toThrow(DAMAGED);
  },
);

it.each(['', '{', 'null', '7', '[]', '{"a":1}', '{"_id":7}', '{"_id":"a",}'])(
  'takes no text %j for a document',
  (text) => {
    expect(() => parseDocument(text)).toThrow(DAMAGED);
  },
);
