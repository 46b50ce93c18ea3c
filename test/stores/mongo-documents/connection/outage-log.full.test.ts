import { expect, it } from 'vitest';
import { StoreError } from '../../../../src/errors/errors.ts';
import { createOutageLog } from '../../../../src/stores/mongo-documents/connection/outage-log.ts';
import { createLogLines } from '../log-lines.ts';

const ALONE = { kind: 'standalone', transactions: false } as const;
const SET = { kind: 'replica set', transactions: true } as const;

const away = () => new StoreError('unavailable', { cause: new Error('connect ECONNREFUSED') });
const coded = (code: number) =>
  new StoreError('unavailable', { cause: Object.assign(new Error('no'), { code }) });

function setUp() {
  const { log, lines } = createLogLines();
  const clock = { now: 0 };
  const outageLog = createOutageLog({ log, now: () => clock.now });
  const told = () => lines.splice(0).map(({ level, message }) => `${level}: ${message}`);
  return { outageLog, clock, told, lines };
}

it('the outage log reports each deployment once, and that a standalone server has no transactions', () => {
  const { outageLog, told } = setUp();
  outageLog.connected(ALONE);
  outageLog.connected(ALONE);
  outageLog.connected(SET);
  expect(told()).toEqual([
    'info: connected to the database (standalone): no transactions; a single-member replica set has them',
    'info: connected to the database (replica set)',
  ]);
});

it('the outage log reports an outage once, however many requests fail', () => {
  const { outageLog, told, lines } = setUp();
  outageLog.connected(SET);
  told();
  for (let n = 0; n < 100; n += 1) outageLog.failed(outageLog.currentPeriod(), away());
  expect(lines).toEqual([
    { level: 'warn', message: 'database unavailable', facts: { reason: 'connect ECONNREFUSED' } },
  ]);
  told();
  for (let n = 0; n < 100; n += 1) outageLog.succeeded(outageLog.currentPeriod());
  expect(told()).toEqual(['info: database available again']);
  outageLog.failed(outageLog.currentPeriod(), away());
  outageLog.connected(SET);
  expect(told()).toEqual(['warn: database unavailable', 'info: database available again']);
});

it('the outage log ignores operations from before the last change', () => {
  const { outageLog, told } = setUp();
  outageLog.connected(SET);
  told();
  const [one, other] = [outageLog.currentPeriod(), outageLog.currentPeriod()];
  outageLog.failed(one, away());
  outageLog.succeeded(other);
  expect(told()).toEqual(['warn: database unavailable']);
  const during = outageLog.currentPeriod();
  outageLog.succeeded(outageLog.currentPeriod());
  outageLog.failed(during, away());
  expect(told()).toEqual(['info: database available again']);
});

it.each(['timeout', 'busy', 'conflict', 'duplicate'] as const)(
  'the outage log does not take %s for an outage',
  (reason) => {
    const { outageLog, told } = setUp();
    outageLog.failed(outageLog.currentPeriod(), new StoreError(reason));
    outageLog.failed(outageLog.currentPeriod(), new TypeError('a defect'));
    expect(told()).toEqual([]);
  },
);

it.each([18, 8000])('the outage log reports failed authentication once per outage (code %d)', (code) => {
  const { outageLog, clock, told } = setUp();
  const refused = [
    'error: database authentication failed: check the user and password in database.mongodb.uri',
  ];
  for (; clock.now < 600_000; clock.now += 1000) outageLog.failed(outageLog.currentPeriod(), coded(code));
  expect(told()).toEqual(refused);
  clock.now += 60_000;
  outageLog.failed(outageLog.currentPeriod(), coded(code));
  expect(told()).toEqual(refused);
  outageLog.succeeded(outageLog.currentPeriod());
  expect(told()).toEqual(['info: database available again']);
});

it('the outage log reports a missing privilege, which is no outage', () => {
  const { outageLog, told } = setUp();
  outageLog.connected(SET);
  told();
  for (let n = 0; n < 10; n += 1) {
    outageLog.failed(outageLog.currentPeriod(), coded(13));
    outageLog.succeeded(outageLog.currentPeriod());
  }
  expect(told()).toEqual([
    'error: database user lacks a privilege: it needs readWrite on every database in use',
  ]);
});

it('the outage log reports server errors once a minute per code, which are no outage', () => {
  const { outageLog, clock, told } = setUp();
  const failed = (code: number) =>
    new StoreError('failed', { cause: Object.assign(new Error('no space'), { code }) });
  for (; clock.now < 60_000; clock.now += 1000) {
    outageLog.failed(outageLog.currentPeriod(), failed(8));
    outageLog.failed(outageLog.currentPeriod(), failed(175));
    outageLog.succeeded(outageLog.currentPeriod());
  }
  const line = 'error: database operation failed, responding with 503';
  expect(told()).toEqual([line, line]);
  outageLog.failed(outageLog.currentPeriod(), failed(8));
  expect(told()).toEqual([line]);
});
