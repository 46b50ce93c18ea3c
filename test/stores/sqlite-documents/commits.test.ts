import { describe, expect, it } from 'vitest';
import { inTransaction } from '../../../src/stores/sqlite-documents/data-file/connection.ts';
import { openStoreParts } from './store-parts.ts';
import { idOf, indexOf, insertThing, NS } from './test-database.ts';

describe('commits', () => {
  it('run on the main thread when short', async () => {
    const { commits, asked, bench } = openStoreParts();
    await commits.commit([insertThing(1, { a: 1 })], {});
    await commits.commit([], {});
    expect(asked).toEqual([]);
    expect(bench.catalogue.get(NS)?.documents).toBe(1);
  });

  it('run on the writer thread when they are many, long, or make many rows', async () => {
    const { commits, asked, bench } = openStoreParts();
    bench.index(indexOf({ path: 'a' }));
    await commits.commit(
      Array.from({ length: 40 }, (_, n) => insertThing(n, {})),
      {},
    );
    await commits.commit([insertThing(100, { text: 'x'.repeat(300_000) })], {});
    await commits.commit([insertThing(101, { a: Array.from({ length: 20_000 }, (_, n) => n) })], {});
    expect(asked).toEqual(['commit', 'commit', 'commit']);
    bench.catalogue.refresh();
    expect(bench.catalogue.get(NS)?.documents).toBe(42);
    const stale = { kind: 'remove', ns: NS, id: idOf(1), v: 9 } as const;
    const failing = commits.commit(
      [...Array.from({ length: 40 }, (_, n) => insertThing(200 + n, {})), stale],
      {},
    );
    await expect(failing).rejects.toMatchObject({ name: 'StoreError', reason: 'conflict', index: 40 });
  });

  it('succeed even if a listener throws', async () => {
    const failure = new Error('behind a commit');
    const fail = () => {
      throw failure;
    };
    const { commits, bench, errors } = openStoreParts({ freeBytes: fail });
    const told: unknown[] = [];
    commits.onCommit(fail);
    commits.onCommit((changed) => void told.push(changed));
    await commits.commit([insertThing(1, { text: 'x'.repeat(100_000) })], {});
    expect(bench.catalogue.get(NS)?.documents).toBe(1);
    expect(told).toEqual([[NS]]);
    expect(errors).toEqual([failure, failure]);
  });

  it('wait for another process that holds the file, until the deadline', async () => {
    const { commits, bench } = openStoreParts();
    const other = bench.connect();
    other.db.exec('begin immediate');
    const late = commits.commit([insertThing(1, {})], { deadline: Date.now() + 40 });
    await expect(late).rejects.toMatchObject({ reason: 'timeout' });
    const patient = commits.commit([insertThing(2, {})], {});
    other.db.exec('commit');
    await patient;
    expect(inTransaction(other, 'read', () => other.statement('select count(*) from d_1').get())).toEqual([
      1,
    ]);
  });
});
