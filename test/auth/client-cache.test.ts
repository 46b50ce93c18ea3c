// What is remembered of clients: never longer than allowed, never across a change.
import { describe, expect, it } from 'vitest';
import { createClientCache } from '../../src/auth/access-tokens.ts';
import type { ClientStatus } from '../../src/auth/clients/client-record.ts';
import { StoreError } from '../../src/errors/errors.ts';
import type { Namespace } from '../../src/stores/ports.ts';

const source: Namespace = { database: null, collection: 'clients' };

const statusWith = (stamp: string): ClientStatus => ({
  client: { id: '0'.repeat(24), clientId: 'a', accessType: 'user', permissions: null, roles: [] },
  secretVersion: stamp,
});

function setUp() {
  const clock = { at: 1000 };
  const reads: ((result: ClientStatus | undefined) => void)[] = [];
  const failures: ((error: Error) => void)[] = [];
  const listeners = new Set<(changed: readonly Namespace[]) => void>();
  const cache = createClientCache({
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
  return { clock, reads, failures, listeners, cache, change };
}

async function known(stamp: string) {
  const set = setUp();
  const first = set.cache.get('a');
  set.reads[0]?.(statusWith(stamp));
  await first;
  return set;
}

describe('the client cache', () => {
  it('gives the same object for a client that was read again unchanged, and another one for a changed one', async () => {
    const { cache, reads, clock } = await known('s');
    const before = cache.peek('a')?.client;
    const readAgain = async (stamp: string) => {
      clock.at += 3001;
      const reading = cache.get('a');
      reads.at(-1)?.(statusWith(stamp));
      return (await reading)?.client;
    };
    expect(await readAgain('s')).toBe(before);
    expect(await readAgain('other')).not.toBe(before);
  });

  it('reads a client once and then remembers it', async () => {
    const { cache, reads } = await known('s');
    expect(cache.peek('a')?.secretVersion).toBe('s');
    expect((await cache.get('a'))?.secretVersion).toBe('s');
    expect(reads).toHaveLength(1);
    expect(cache.peek('b')).toBeUndefined();
  });

  it('reads a client once for many who ask at the same time', async () => {
    const { cache, reads } = setUp();
    const all = Promise.all([cache.get('a'), cache.get('a'), cache.get('a')]);
    reads[0]?.(statusWith('s'));
    expect((await all).map((each) => each?.secretVersion)).toEqual(['s', 's', 's']);
    expect(reads).toHaveLength(1);
  });

  it('reads a client again after three seconds, counted from the start of the read', async () => {
    const { cache, clock, reads } = setUp();
    const first = cache.get('a');
    clock.at += 2000;
    reads[0]?.(statusWith('old'));
    await first;
    clock.at += 1000;
    expect(cache.peek('a')?.secretVersion).toBe('old');
    clock.at += 1;
    expect(cache.peek('a')).toBeUndefined();
    const second = cache.get('a');
    reads[1]?.(statusWith('new'));
    expect((await second)?.secretVersion).toBe('new');
  });

  it('does not keep clients for ever when the clock steps back', async () => {
    const { cache, clock } = await known('s');
    clock.at -= 500;
    expect(cache.peek('a')).toBeUndefined();
  });

  it('forgets clients at once when one changes, and only then', async () => {
    const { cache, change } = await known('s');
    change({ database: null, collection: 'books' });
    change({ database: 'library', collection: 'clients' });
    expect(cache.peek('a')?.secretVersion).toBe('s');
    change(source);
    expect(cache.peek('a')).toBeUndefined();
  });

  it('does not remember a read that a change overtook', async () => {
    const { cache, change, reads } = setUp();
    const early = cache.get('a');
    change(source);
    const late = cache.get('a');
    reads[0]?.(statusWith('old'));
    await early;
    expect(cache.peek('a')).toBeUndefined();
    reads[1]?.(statusWith('new'));
    expect((await late)?.secretVersion).toBe('new');
    expect(cache.peek('a')?.secretVersion).toBe('new');
  });

  it('remembers that a client does not exist', async () => {
    const { cache, reads } = setUp();
    const first = cache.get('a');
    reads[0]?.(undefined);
    expect(await first).toBeUndefined();
    expect(await cache.get('a')).toBeUndefined();
    expect(reads).toHaveLength(1);
  });

  it('remembers nothing of a failed read', async () => {
    const { cache, reads, failures } = setUp();
    const first = cache.get('a');
    failures[0]?.(new StoreError('unavailable'));
    await expect(first).rejects.toMatchObject({ reason: 'unavailable' });
    const second = cache.get('a');
    reads[1]?.(statusWith('s'));
    expect((await second)?.secretVersion).toBe('s');
  });

  it('stops watching when closed', async () => {
    const { cache, listeners } = await known('s');
    cache.close();
    expect(listeners.size).toBe(0);
    expect(cache.peek('a')).toBeUndefined();
  });
});
