// What is remembered of clients: never longer than allowed, never across a change.
import { describe, expect, it } from 'vitest';
import { createClientCache } from '../../../src/auth/clients/client-cache.ts';
import type { ClientStatus } from '../../../src/auth/clients/client-record.ts';
import { StoreError } from '../../../src/errors.ts';
import type { Namespace } from '../../../src/stores/ports.ts';

const source: Namespace = { database: null, collection: 'clients' };

const standing = (stamp: string): ClientStatus => ({
  client: { id: '0'.repeat(24), clientId: 'a', accessType: 'user', permissions: null },
  stamp,
});

function setUp() {
  const clock = { at: 1000 };
  const reads: ((result: ClientStatus | undefined) => void)[] = [];
  const failures: ((error: Error) => void)[] = [];
  const listeners = new Set<(changed: readonly Namespace[]) => void>();
  const standings = createClientCache({
    load: () =>
      new Promise((resolve, reject) => {
        reads.push(resolve);
        failures.push(reject);
      }),
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    namespace: source,
    now: () => clock.at,
  });
  const change = (ns: Namespace) => {
    for (const listener of listeners) listener([ns]);
  };
  return { clock, reads, failures, listeners, standings, change };
}

async function known(stamp: string) {
  const set = setUp();
  const first = set.standings.get('a');
  set.reads[0]?.(standing(stamp));
  await first;
  return set;
}

describe('standings', () => {
  it('are read once and then remembered', async () => {
    const { standings, reads } = await known('s');
    expect(standings.peek('a')?.stamp).toBe('s');
    expect((await standings.get('a'))?.stamp).toBe('s');
    expect(reads).toHaveLength(1);
    expect(standings.peek('b')).toBeUndefined();
  });

  it('are read once for many who ask at the same time', async () => {
    const { standings, reads } = setUp();
    const all = Promise.all([standings.get('a'), standings.get('a'), standings.get('a')]);
    reads[0]?.(standing('s'));
    expect((await all).map((each) => each?.stamp)).toEqual(['s', 's', 's']);
    expect(reads).toHaveLength(1);
  });

  it('are read anew after three seconds, counted from the start of the read', async () => {
    const { standings, clock, reads } = setUp();
    const first = standings.get('a');
    clock.at += 2000;
    reads[0]?.(standing('old'));
    await first;
    clock.at += 1000;
    expect(standings.peek('a')?.stamp).toBe('old');
    clock.at += 1;
    expect(standings.peek('a')).toBeUndefined();
    const second = standings.get('a');
    reads[1]?.(standing('new'));
    expect((await second)?.stamp).toBe('new');
  });

  it('are not kept for ever by a clock that steps back', async () => {
    const { standings, clock } = await known('s');
    clock.at -= 500;
    expect(standings.peek('a')).toBeUndefined();
  });

  it('are forgotten at once when a client changes, and only then', async () => {
    const { standings, change } = await known('s');
    change({ database: null, collection: 'books' });
    change({ database: 'library', collection: 'clients' });
    expect(standings.peek('a')?.stamp).toBe('s');
    change(source);
    expect(standings.peek('a')).toBeUndefined();
  });

  it('are not remembered from a read that a change overtook', async () => {
    const { standings, change, reads } = setUp();
    const early = standings.get('a');
    change(source);
    const late = standings.get('a');
    reads[0]?.(standing('old'));
    await early;
    expect(standings.peek('a')).toBeUndefined();
    reads[1]?.(standing('new'));
    expect((await late)?.stamp).toBe('new');
    expect(standings.peek('a')?.stamp).toBe('new');
  });

  it('remember that a client is gone', async () => {
    const { standings, reads } = setUp();
    const first = standings.get('a');
    reads[0]?.(undefined);
    expect(await first).toBeUndefined();
    expect(await standings.get('a')).toBeUndefined();
    expect(reads).toHaveLength(1);
  });

  it('remember nothing of a failed read', async () => {
    const { standings, reads, failures } = setUp();
    const first = standings.get('a');
    failures[0]?.(new StoreError('unavailable'));
    await expect(first).rejects.toMatchObject({ reason: 'unavailable' });
    const second = standings.get('a');
    reads[1]?.(standing('s'));
    expect((await second)?.stamp).toBe('s');
  });

  it('stop watching when closed', async () => {
    const { standings, listeners } = await known('s');
    standings.close();
    expect(listeners.size).toBe(0);
    expect(standings.peek('a')).toBeUndefined();
  });
});
