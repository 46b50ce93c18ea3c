// The audit log on MongoDB, with transactions and without: one chain, and no change without its entry.
import { expect, it, onTestFinished } from 'vitest';
import { openMongoDocuments } from '../../src/stores/mongo-documents/store.ts';
import { BOSS } from '../helpers/fixtures/actors.ts';
import { auditedIn, auditOf, countThings, STALE, thing } from '../helpers/store/audit-log.ts';
import { describeMongo, ownDatabase } from '../helpers/store/mongo-servers.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const action = (target: string) => ({
  actor: BOSS,
  action: 'client.create',
  target,
  before: null,
  after: 'f'.repeat(64),
});

function open(uri: string) {
  const pool = { maxPoolSize: 20, minPoolSize: 0, separateDatabases: false };
  const store = openMongoDocuments({ uri, ...pool, queryMs: 20_000, log });
  onTestFinished(() => store.close());
  return store;
}

describeMongo('on MongoDB', (servers) => {
  it.each(['standalone', 'replicaSet'] as const)('two processes write one chain: %s', async (kind) => {
    const uri = await ownDatabase(servers[kind]);
    const [store, other] = [open(uri), open(uri)];
    const audits = [auditOf(store), auditOf(other)] as const;
    // Every number is asked for twice, by different processes: one of the two is refused.
    const outcomes = await Promise.allSettled(
      Array.from({ length: 24 }, (_, n) =>
        audits[n % 2 === 0 ? 0 : 1].commit(action(`${n}`), [thing(n >> 1)]),
      ),
    );
    const made = outcomes.flatMap(({ status }, n) => (status === 'fulfilled' ? [`${n}`] : []));
    expect(made).toHaveLength(12);
    expect(await countThings(store)).toBe(12);
    const entries = await auditedIn(store);
    const failed = entries.filter(([what]) => what === 'client.create.failed').map(([, target]) => target);
    const told = entries.filter(([what]) => what === 'client.create').map(([, target]) => target);
    expect(told.filter((target) => !failed.includes(target)).toSorted()).toEqual(made.toSorted());
    if (kind === 'replicaSet') expect(failed).toEqual([]);
  });

  it('keeps the entry of a change that a lone server refused, and says that it failed', async () => {
    const store = open(await ownDatabase(servers.standalone));
    const audit = auditOf(store);
    await audit.commit(action('a'), [thing(1)]);
    const taken = audit.commit(action('b'), [thing(2), thing(1)]);
    await expect(taken).rejects.toMatchObject({ reason: 'duplicate', index: 1 });
    // Nothing is written where a state is not there any more.
    await expect(audit.commit(action('c'), [STALE])).rejects.toMatchObject({ reason: 'conflict', index: 0 });
    expect(await countThings(store)).toBe(1);
    expect((await auditedIn(store)).map(([what, target]) => [what, target])).toEqual([
      ['client.create', 'a'],
      ['client.create', 'b'],
      ['client.create.failed', 'b'],
    ]);
  });
});
