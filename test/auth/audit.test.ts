// The audit log: entries follow each other without gaps, each bound to the one before, whoever appends.
import { describe, expect, it } from 'vitest';
import { type AuditEntry, createAudit } from '../../src/auth/audit.ts';
import { StoreError } from '../../src/errors.ts';
import { fingerprint } from '../../src/lib/fingerprint.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { openTemporaryStore } from '../helpers/temporary-store.ts';

const ACTION = {
  clientId: 'boss',
  action: 'client.create',
  target: 'app',
  before: null,
  after: 'f'.repeat(64),
};
const open = (store: Pick<DocumentStore, 'find' | 'commit'>) =>
  createAudit({ store, now: () => 1000, queryMs: 1e13 });

function expectChain(entries: readonly AuditEntry[]): void {
  let previous = '0'.repeat(64);
  for (const [index, entry] of entries.entries()) {
    const { seq, at, clientId, action, target, before, after } = entry;
    expect([seq, entry.previous]).toEqual([index + 1, previous]);
    previous = fingerprint(JSON.stringify([previous, seq, at, clientId, action, target, before, after]));
    expect(entry.hash).toBe(previous);
  }
}

describe('the audit log', () => {
  it('keeps who did what to what, and when', async () => {
    const { store } = await openTemporaryStore();
    const audit = open(store);
    expect(await audit.read(0, 10)).toEqual([]);
    await audit.record(ACTION);
    const [entry, ...more] = await audit.read(0, 10);
    expect(entry).toEqual({
      ...ACTION,
      seq: 1,
      at: 1000,
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
    });
    const all = await Promise.allSettled([audit.record(ACTION), audit.record(ACTION), audit.record(ACTION)]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(deadlines).toEqual([6000]);
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
