import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import {
  createModuleRecords,
  initialModuleState,
  type VersionRecord,
} from '../../../src/modules/versions/module-records.ts';
import { ALICE } from '../../helpers/fixtures/actors.ts';
import { auditedIn, auditOf } from '../../helpers/store/audit-log.ts';
import { openTemporaryStore } from '../../helpers/store/temporary-store.ts';

const metadata = { methods: ['GET'], authenticate: true, displayName: null, route: null } as const;
const record = (version: number): VersionRecord => ({
  version,
  sha256: `hash${version}`,
  clientId: 'alice',
  createdAt: version,
  metadata,
  approvedBy: null,
  approvedAt: null,
  policy: null,
  policySha256: null,
});

const ENTRY = { actor: ALICE, action: 'hook.create', target: '/api/hooks/a', before: null, after: 'x' };

async function open() {
  const { store } = await openTemporaryStore();
  const records = createModuleRecords({ store, audit: auditOf(store), now: Date.now, queryMs: 60_000 });
  await records.ensureIndexes();
  return { store, records };
}

describe('module records', () => {
  it('store states whole', async () => {
    const { records } = await open();
    const state = {
      ...initialModuleState('hook:a'),
      active: record(2),
      last: 3,
      pending: [3],
      suspendedBy: 'admin' as const,
      violations: [{ kind: 'kill', limit: 'cpuMs', at: 5, version: 2 } as const],
    };
    await records.saveState(initialModuleState('hook:b'));
    await records.saveState(state);
    await records.saveState({ ...state, quarantined: true });
    const found = await records.loadStates();
    expect(found.find(({ key }) => key === 'hook:a')).toEqual({ ...state, quarantined: true });
    expect(found.find(({ key }) => key === 'hook:b')).toEqual(initialModuleState('hook:b'));
  });

  it('list versions without their descriptions, and keep these', async () => {
    const { records } = await open();
    const state = { ...initialModuleState('endpoint:1.0/a'), last: 1 };
    const described = { ...record(1), metadata: { ...metadata, openapi: { GET: '{}' } } };
    await records.addVersion(state, { record: described, source: 'one' }, ENTRY);
    expect(await records.listVersions(state.key)).toEqual([record(1)]);
    expect(await records.findPosters('hash1')).toEqual(['alice']);
    await records.saveDecision(state, { ...described, approvedBy: 'bob' });
    expect(await records.findVersion(state.key, 1)).toEqual({ ...described, approvedBy: 'bob' });
  });

  it('store versions per module with their sources', async () => {
    const { records } = await open();
    const [a, b] = ['endpoint:1.0/a', 'endpoint:1.0/b'] as const;
    await records.addVersion(
      { ...initialModuleState(a), last: 1 },
      { record: record(1), source: 'one' },
      ENTRY,
    );
    await records.addVersion(
      { ...initialModuleState(a), last: 2 },
      { record: record(2), source: 'two' },
      ENTRY,
    );
    await records.addVersion(
      { ...initialModuleState(b), last: 1 },
      { record: { ...record(1), policy: { version: 1 } }, source: 'other' },
      ENTRY,
    );
    expect(await records.listVersions(a)).toEqual([record(1), record(2)]);
    expect(await records.findVersion(b, 1)).toEqual({ ...record(1), policy: { version: 1 } });
    expect(await records.findVersion(b, 2)).toBeUndefined();
    expect([await records.lastVersion(a), await records.lastVersion(b)]).toEqual([2, 1]);
    expect(await records.lastVersion('endpoint:1.0/c')).toBe(0);
    expect(await records.findSource(a, 2)).toBe('two');
    expect(await records.findSource(a, 3)).toBeUndefined();
    expect((await records.loadStates()).map(({ key, last }) => [key, last]).sort()).toEqual([
      [a, 2],
      [b, 1],
    ]);
  });

  it('never overwrite a version', async () => {
    const { store, records } = await open();
    await records.addVersion(
      { ...initialModuleState('hook:a'), last: 1 },
      { record: record(1), source: 'one' },
      ENTRY,
    );
    const again = records.addVersion(
      { ...initialModuleState('hook:a'), last: 9 },
      { record: record(1), source: 'two' },
      ENTRY,
    );
    await expect(again).rejects.toBeInstanceOf(StoreError);
    expect(await records.findSource('hook:a', 1)).toBe('one');
    expect((await records.loadStates())[0]?.last).toBe(1);
    expect(await auditedIn(store)).toEqual([['hook.create', '/api/hooks/a', 'alice']]);
  });

  it('store an approval', async () => {
    const { records } = await open();
    const state = { ...initialModuleState('hook:a'), last: 1, pending: [1] };
    await records.addVersion(state, { record: record(1), source: 'one' }, ENTRY);
    const approved = { ...record(1), approvedBy: 'bob', approvedAt: 7 };
    await records.saveDecision({ ...state, pending: [], active: approved }, approved);
    expect(await records.findVersion('hook:a', 1)).toEqual(approved);
    expect((await records.loadStates())[0]?.active).toEqual(approved);
  });

  it('store one decision about a version, with its audit entry: of two at a time only one', async () => {
    const { store, records } = await open();
    const state = { ...initialModuleState('hook:a'), last: 1, pending: [1] };
    await records.addVersion(state, { record: record(1), source: 'one' }, ENTRY);
    const refused = { ...record(1), refused: { by: 'bob', at: 7, reason: 'no' } };
    const approved = { ...record(1), approvedBy: 'carol', approvedAt: 8 };
    const decided = { ...state, pending: [] };
    const refusing = records.saveDecision(decided, refused, { ...ENTRY, action: 'hook.refuse' });
    const outcomes = await Promise.allSettled([refusing, records.saveDecision(decided, approved)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const lost = outcomes.find(({ status }) => status === 'rejected');
    expect(lost).toMatchObject({ reason: { reason: 'conflict' } });
    const isRefused = outcomes[0].status === 'fulfilled';
    for (const late of [approved, refused])
      await expect(records.saveDecision(decided, late)).rejects.toMatchObject({ reason: 'conflict' });
    expect(await records.findVersion('hook:a', 1)).toEqual(isRefused ? refused : approved);
    const actions = (await auditedIn(store)).map(([action]) => action);
    expect(actions).toEqual(isRefused ? ['hook.create', 'hook.refuse'] : ['hook.create']);
  });

  it('find versions of several modules at once', async () => {
    const { records } = await open();
    for (const [key, last] of [
      ['hook:a', 1],
      ['hook:a', 2],
      ['hook:b', 1],
    ] as const) {
      const version = { record: record(last), source: 'one' };
      await records.addVersion({ ...initialModuleState(key), last }, version, ENTRY);
    }
    const wanted = [
      { key: 'hook:a', version: 2 },
      { key: 'hook:a', version: 1 },
      { key: 'hook:b', version: 1 },
      { key: 'hook:b', version: 2 },
    ];
    expect(await records.findVersions(wanted)).toEqual(
      new Map([
        ['hook:a', [record(1), record(2)]],
        ['hook:b', [record(1)]],
      ]),
    );
    expect(await records.findVersions([])).toEqual(new Map());
  });
});
