// The audit log: entries follow each other without gaps, each bound to the one before, whoever appends.
import { describe, expect, it } from 'vitest';
import { createAudit } from '../../../src/auth/audit/audit.ts';
import { StoreError } from '../../../src/errors/errors.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { BOSS } from '../../helpers/fixtures/actors.ts';
import {
  auditedIn,
  auditFolder,
  auditOf,
  countThings,
  expectChain,
  keysNamed,
  STALE,
  silent,
  thing,
} from '../../helpers/store/audit-log.ts';
import { openFailingStore, openTemporaryStore } from '../../helpers/store/temporary-store.ts';

const ACTION = {
  actor: BOSS,
  action: 'client.create',
  target: 'app',
  before: null,
  after: 'f'.repeat(64),
};
const open = (store: Pick<DocumentStore, 'find' | 'commit'>) =>
  createAudit({ store, now: () => 1000, queryMs: 1e13, log: silent, folder: auditFolder() });

describe('the audit log', () => {
  it('keeps who did what to what, and when', async () => {
    const { store } = await openTemporaryStore();
    const audit = open(store);
    expect(await audit.read(0, 10)).toEqual([]);
    await audit.record(ACTION);
    const [entry, ...more] = await audit.read(0, 10);
    const { actor, ...rest } = ACTION;
    expect(entry).toEqual({
      ...actor,
      ...rest,
      seq: 1,
      at: 1000,
      key: keysNamed('test').current.id,
      previous: '0'.repeat(64),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(more).toEqual([]);
  });

  it('is one chain, however many append, in however many processes', async () => {
    const { store, path } = await openTemporaryStore();
    const other = (await openTemporaryStore(path)).store;
    const [here, there] = [open(store), open(other)];
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        (n % 2 === 0 ? here : there).record({ ...ACTION, target: `${n}` }),
      ),
    );
    const entries = await here.read(0, 100);
    expect(new Set(entries.map(({ target }) => target)).size).toBe(40);
    expectChain(entries);
  });

  it('is read from any entry on, in pages', async () => {
    const { store } = await openTemporaryStore();
    const audit = open(store);
    for (let n = 0; n < 20; n += 1) await audit.record(ACTION);
    expect((await audit.read(17, 10)).map(({ seq }) => seq)).toEqual([18, 19, 20]);
    expect((await audit.read(3, 2)).map(({ seq }) => seq)).toEqual([4, 5]);
    expect(await audit.read(999_999_999_999_999, 10)).toEqual([]);
  });

  it('bounds the wait for entries that hang, not only each of them', async () => {
    const { store } = await openTemporaryStore();
    let at = 1000;
    const deadlines: (number | undefined)[] = [];
    const audit = createAudit({
      store: {
        find: async (_ns, _query, options) => {
          deadlines.push(options?.deadline);
          await Promise.resolve();
          at = options?.deadline ?? at;
          throw new StoreError('timeout');
        },
        commit: store.commit.bind(store),
      },
      now: () => at,
      queryMs: 5000,
      log: silent,
      folder: auditFolder(),
    });
    const all = await Promise.allSettled([audit.record(ACTION), audit.record(ACTION), audit.record(ACTION)]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(deadlines).toEqual([6000]);
  });

  it('rejects when the newest entry is stored but not found, as in a damaged index', async () => {
    const { store } = await openTemporaryStore();
    await open(store).record(ACTION);
    let commits = 0;
    const audit = open({
      find: async () => [],
      commit: (writes, options) => {
        commits += 1;
        return store.commit(writes, options);
      },
    });
    await expect(audit.record(ACTION)).rejects.toMatchObject({ name: 'StoreError', reason: 'damaged' });
    expect(commits).toBeLessThanOrEqual(1000);
    expectChain(await open(store).read(0, 10));
  });

  it('rejects when the store is away, and goes on when it is back', async () => {
    const { store } = await openTemporaryStore();
    let away = true;
    const audit = open({
      find: (...query) => store.find(...query),
      commit: (...writes) => (away ? Promise.reject(new StoreError('unavailable')) : store.commit(...writes)),
    });
    await expect(audit.record(ACTION)).rejects.toMatchObject({ reason: 'unavailable' });
    away = false;
    await audit.record(ACTION);
    expectChain(await audit.read(0, 10));
  });
});

describe('a change in one commit with its audit entry', () => {
  it('is one commit: both, or neither', async () => {
    const store = await openFailingStore();
    const audit = auditOf(store);
    await audit.commit(ACTION, [thing(1), thing(2)]);
    expect([await countThings(store), (await auditedIn(store)).length]).toEqual([2, 1]);
    for (const reason of ['busy', 'timeout', 'unavailable'] as const) {
      for (const operation of ['find', 'commit'] as const) {
        store.fail(reason, [operation]);
        await expect(audit.commit(ACTION, [thing(3)])).rejects.toMatchObject({ reason });
        store.recover();
        expect([await countThings(store), (await auditedIn(store)).length]).toEqual([2, 1]);
      }
    }
  });

  it('is neither where the change is refused, which is told as the store tells it', async () => {
    const { store } = await openTemporaryStore();
    const audit = auditOf(store);
    await audit.commit(ACTION, [thing(1)]);
    const taken = audit.commit(ACTION, [thing(2), thing(1)]);
    await expect(taken).rejects.toMatchObject({ reason: 'duplicate', index: 1, fields: ['_id'] });
    await expect(audit.commit(ACTION, [STALE])).rejects.toMatchObject({ reason: 'conflict', index: 0 });
    expect([await countThings(store), (await auditedIn(store)).length]).toEqual([1, 1]);
  });

  it('leaves one chain, without a gap, in however many processes', async () => {
    const { store, path } = await openTemporaryStore();
    const audits = [auditOf(store), auditOf((await openTemporaryStore(path)).store)] as const;
    const numbers = Array.from({ length: 40 }, (_, n) => n);
    const outcomes = await Promise.allSettled(
      numbers.map((n) => audits[n % 2 === 0 ? 0 : 1].commit(ACTION, [n % 5 === 4 ? STALE : thing(n)])),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(8);
    expect([await countThings(store), (await auditedIn(store)).length]).toEqual([32, 32]);
  });
});

describe('a change after its audit entry', () => {
  it('is not made without it', async () => {
    const store = await openFailingStore();
    const audit = auditOf(store);
    let made = 0;
    const change = async () => {
      expect(await auditedIn(store)).toHaveLength(made + 1);
      made += 1;
      return made;
    };
    expect(await audit.recordChange(ACTION, change)).toBe(1);
    for (const operation of ['find', 'commit'] as const) {
      store.fail('busy', [operation]);
      await expect(audit.recordChange(ACTION, change)).rejects.toMatchObject({ reason: 'busy' });
      store.recover();
    }
    expect([made, (await auditedIn(store)).length]).toEqual([1, 1]);
  });

  it('that fails has a second entry', async () => {
    const { store } = await openTemporaryStore();
    const broken = auditOf(store).recordChange(ACTION, () => Promise.reject(new Error('no disk')));
    await expect(broken).rejects.toThrow('no disk');
    expect(await auditedIn(store)).toEqual([
      ['client.create', 'app', 'boss'],
      ['client.create.failed', 'app', 'boss'],
    ]);
  });

  it('that fails while the store is unavailable is noted before the next entry', async () => {
    const store = await openFailingStore();
    const audit = auditOf(store);
    const broken = audit.recordChange(ACTION, async () => {
      store.fail('busy');
      throw new Error('no disk');
    });
    await expect(broken).rejects.toThrow('no disk');
    await expect(audit.record({ ...ACTION, target: 'lost' })).rejects.toMatchObject({ reason: 'busy' });
    store.recover();
    await audit.record({ ...ACTION, target: 'other' });
    expect((await auditedIn(store)).map(([action, target]) => [action, target])).toEqual([
      ['client.create', 'app'],
      ['client.create.failed', 'app'],
      ['client.create', 'other'],
    ]);
  });

  it('that was not made although its entry got in, unseen, has it too', async () => {
    const { store } = await openTemporaryStore();
    let isDeaf = true;
    const audit = auditOf({
      find: store.find.bind(store),
      async commit(...writes) {
        await store.commit(...writes);
        if (isDeaf) throw new StoreError('timeout');
      },
    });
    await expect(audit.recordChange(ACTION, () => expect.unreachable())).rejects.toMatchObject({
      reason: 'timeout',
    });
    isDeaf = false;
    await audit.record({ ...ACTION, target: 'other' });
    expect((await auditedIn(store)).map(([action, target]) => [action, target])).toEqual([
      ['client.create', 'app'],
      ['client.create.failed', 'app'],
      ['client.create', 'other'],
    ]);
  });
});
