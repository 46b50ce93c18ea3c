// Servers of a later version on the same database: what they keep for each other has members and kinds that this one does not know.
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { filterById } from '../../src/stores/filter.ts';
import { EVERYTHING, FIRST, openDatabase, SECOND, type TestDatabase } from './members.ts';

const CHANGES = { database: null, collection: 'cloister.changes' };
const PROCESSES = { database: null, collection: 'cloister.processes' };
const LOG_ID = '0'.repeat(24);

async function read({ store }: TestDatabase, ns: typeof CHANGES, id: string): Promise<JsonObject> {
  const query = { filter: filterById(id), sort: [], skip: 0, limit: 1 };
  const [found] = await store.find(ns, query);
  return found as JsonObject;
}

/** Announces as a later version does. */
async function announceLater(database: TestDatabase, kind: string): Promise<void> {
  const stored = await read(database, CHANGES, LOG_ID);
  const v = Number(stored['v']);
  const change = { seq: v + 1, kind, target: 'x', by: SECOND, later: 'a member of a change' };
  const changes = [...(stored['changes'] as JsonObject[]), change];
  const document = { ...stored, _id: LOG_ID, v: v + 1, changes, later: 'a member of the list' };
  const changed = ['v', 'changes', 'later'];
  await database.store.commit([{ kind: 'update', ns: CHANGES, id: LOG_ID, v, document, changed }]);
}

it('a change of a kind that only later versions know counts as everything changed', async () => {
  const database = await openDatabase();
  const { member, heard } = await database.join(FIRST);
  await announceLater(database, 'kind-of-the-future');
  await member.catchUp();
  expect(heard).toEqual(EVERYTHING);
  heard.length = 0;
  // One that is known, and of no interest here, is none.
  await announceLater(database, 'joined');
  await member.catchUp();
  expect(heard).toEqual([]);
});

it('a change of a known kind with members that only later versions know is what it is, and stays so', async () => {
  const database = await openDatabase();
  const { member, heard } = await database.join(FIRST);
  await announceLater(database, 'client');
  await member.catchUp();
  expect(heard).toEqual(['client x']);
  await member.announce({ kind: 'module', target: 'y' });
  const stored = await read(database, CHANGES, LOG_ID);
  expect(stored).toMatchObject({ later: 'a member of the list' });
  expect(stored['changes']).toContainEqual(expect.objectContaining({ later: 'a member of a change' }));
});

it('a server with members and settings that only later versions know is one of the servers, and keeps them', async () => {
  const database = await openDatabase();
  const { member } = await database.join(FIRST);
  const settings = { 'a.setting.of.the.future': 'hash' };
  const known = {
    host: 'h',
    machine: 'm',
    pid: 1,
    address: 'later:80',
    version: '9.9.9',
    since: 0,
    lastSeen: 0,
  };
  const state = { beat: 1, applied: 1_000_000, cacheAway: false, settings, later: { any: 'thing' } };
  const document = { _id: SECOND, v: 1, ...known, ...state };
  await database.store.commit([{ kind: 'insert', ns: PROCESSES, document }]);
  database.advance(1000);
  await expect.poll(() => member.processes().map(({ version }) => version)).toEqual(['1.0.0', '9.9.9']);
  const { member: joining } = database.create('d'.repeat(24));
  await joining.join();
  expect(await read(database, PROCESSES, SECOND)).toEqual(document);
});
