import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../../src/errors/errors.ts';
import {
  createStorageErrorLog,
  isDiskFull,
  StorageError,
  storageErrorKindOf,
} from '../../../../src/stores/sqlite-documents/data-file/storage-errors.ts';
import { openTestDatabase } from '../test-database.ts';

const driver = (errcode: number, message = 'words of the driver') =>
  Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
const unavailable = (cause: unknown) => new StoreError('unavailable', { cause });

describe('a storage error', () => {
  it.each([
    [11, 'damaged'],
    [11 | (3 << 8), 'damaged'],
    [26, 'damaged'],
    [13, 'full'],
    [10 | (3 << 8), 'disk'],
    [10 | (12 << 8), 'memory'],
    [7, 'memory'],
    [8 | (1 << 8), 'access'],
    [14, 'access'],
    [5, 'locked'],
    [15, 'locked'],
    [1, 'unexpected'],
  ])('with result code %i is of kind %s, wrapped or not', (errcode, fault) => {
    expect(storageErrorKindOf(driver(errcode))).toBe(fault);
    expect(storageErrorKindOf(unavailable(driver(errcode)))).toBe(fault);
  });

  it('is of kind damaged if the file contains invalid data', () => {
    const { connection } = openTestDatabase();
    connection.db.exec(`create table t (a); insert into t values ('{"a":'), (9223372036854775807)`);
    const failures = ["select json_extract(a, '$.a') from t", 'select a from t'].map((sql) => {
      try {
        return connection.statement(sql).all();
      } catch (error) {
        return storageErrorKindOf(error);
      }
    });
    expect(failures).toEqual(['damaged', 'damaged']);
    expect(storageErrorKindOf(new SyntaxError('of JSON.parse'))).toBe('damaged');
    expect(storageErrorKindOf(new StorageError('disk', 'of a thread'))).toBe('disk');
  });

  it('has no kind if a write is rejected or the store is closed', () => {
    expect(storageErrorKindOf(new StoreError('conflict'))).toBeUndefined();
    expect(storageErrorKindOf(unavailable('the store is closed'))).toBeUndefined();
    expect(storageErrorKindOf(new TypeError('of ours'))).toBe('unexpected');
  });

  it('of a full disk is recognised', () => {
    expect([
      isDiskFull(unavailable(driver(13))),
      isDiskFull(driver(10)),
      isDiskFull(new StoreError('busy')),
    ]).toEqual([true, false, false]);
  });
});

describe('the log of storage errors', () => {
  it('has one line per kind and minute, without a stack', () => {
    const lines: { fields: object; message: string }[] = [];
    let time = 0;
    const log = { error: (fields: object, message: string) => void lines.push({ fields, message }) };
    const faults = createStorageErrorLog(log as never, () => time);
    for (let n = 0; n < 5; n += 1) faults.report(unavailable(driver(13, 'database or disk is full')));
    faults.report(driver(11));
    faults.report(new StoreError('conflict'));
    time = 60_000;
    faults.report(driver(13));
    expect(lines.map(({ message }) => message.split(':')[0])).toEqual([
      'the disk is full',
      'the data file is damaged',
      'the disk is full',
    ]);
    expect(lines[0]?.fields).toEqual({ fault: 'full', detail: 'database or disk is full', suppressed: 0 });
    expect(lines[2]?.fields).toMatchObject({ suppressed: 4 });
  });

  it('has the stack of unexpected errors', () => {
    const lines: object[] = [];
    const log = { error: (fields: object) => void lines.push(fields) };
    const defect = new TypeError('of ours');
    createStorageErrorLog(log as never, () => 0).report(defect);
    expect(lines).toEqual([{ fault: 'unexpected', err: defect, suppressed: 0 }]);
  });
});
