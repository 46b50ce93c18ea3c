import { expect, it } from 'vitest';
import { StoreError } from '../../../../src/errors.ts';
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
  const spells = createOutageLog({ log, now: () => clock.now });
  const told = () => lines.splice(0).map(({ level, message }) => `${level}: ${message}`);
  return { spells, clock, told, lines };
}

it('greets each deployment once, and says what a lone server lacks', () => {
  const { spells, told } = setUp();
  spells.connected(ALONE);
  spells.connected(ALONE);
  spells.connected(SET);
  expect(told()).toEqual([
    'info: connected to the database (standalone): no transactions, a replica set of one member has them',
    'info: connected to the database (replica set)',
  ]);
});

it('tells each spell once, however many requests it fails', () => {
  const { spells, told, lines } = setUp();
  spells.connected(SET);
  told();
  for (let n = 0; n < 100; n += 1) spells.failed(spells.currentPeriod(), away());
  expect(lines).toEqual([
    { level: 'warn', message: 'the database is away', facts: { reason: 'connect ECONNREFUSED' } },
  ]);
  told();
  for (let n = 0; n < 100; n += 1) spells.succeeded(spells.currentPeriod());
  expect(told()).toEqual(['info: the database is back']);
  spells.failed(spells.currentPeriod(), away());
  spells.connected(SET);
  expect(told()).toEqual(['warn: the database is away', 'info: the database is back']);
});

it('does not let operations of before a change speak against it', () => {
  const { spells, told } = setUp();
  spells.connected(SET);
  told();
  const [one, other] = [spells.currentPeriod(), spells.currentPeriod()];
  spells.failed(one, away());
  spells.succeeded(other);
  expect(told()).toEqual(['warn: the database is away']);
  const during = spells.currentPeriod();
  spells.succeeded(spells.currentPeriod());
  spells.failed(during, away());
  expect(told()).toEqual(['info: the database is back']);
});

it.each(['timeout', 'busy', 'conflict', 'duplicate'] as const)('takes %s for no absence', (reason) => {
  const { spells, told } = setUp();
  spells.failed(spells.currentPeriod(), new StoreError(reason));
  spells.failed(spells.currentPeriod(), new TypeError('a defect'));
  expect(told()).toEqual([]);
});

it.each([18, 8000])('says in plain words that nobody may come in, once a spell (%d)', (code) => {
  const { spells, clock, told } = setUp();
  const refused = ['error: the database refuses the user or the password of database.mongodb.uri'];
  for (; clock.now < 600_000; clock.now += 1000) spells.failed(spells.currentPeriod(), coded(code));
  expect(told()).toEqual(refused);
  clock.now += 60_000;
  spells.failed(spells.currentPeriod(), coded(code));
  expect(told()).toEqual(refused);
  spells.succeeded(spells.currentPeriod());
  expect(told()).toEqual(['info: the database is back']);
});

it('says that a privilege is missing, and takes it for no absence', () => {
  const { spells, told } = setUp();
  spells.connected(SET);
  told();
  for (let n = 0; n < 10; n += 1) {
    spells.failed(spells.currentPeriod(), coded(13));
    spells.succeeded(spells.currentPeriod());
  }
  expect(told()).toEqual([
    'error: the database user lacks a privilege: it needs readWrite on every database that is used',
  ]);
});

it('says what the database fails at, one line a minute for each code, and takes it for no absence', () => {
  const { spells, clock, told } = setUp();
  const failed = (code: number) =>
    new StoreError('failed', { cause: Object.assign(new Error('no space'), { code }) });
  for (; clock.now < 60_000; clock.now += 1000) {
    spells.failed(spells.currentPeriod(), failed(8));
    spells.failed(spells.currentPeriod(), failed(175));
    spells.succeeded(spells.currentPeriod());
  }
  const line = 'error: the database fails: what it fails at is answered with 503';
  expect(told()).toEqual([line, line]);
  spells.failed(spells.currentPeriod(), failed(8));
  expect(told()).toEqual([line]);
});
