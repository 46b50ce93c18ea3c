// Clients as tokens see them: remembered for seconds, forgotten at once when this process changes one.
import { LRUCache } from 'lru-cache';
import type { Namespace } from '../../stores/ports.ts';
import type { ClientStatus } from './client-record.ts';

/** Another process's change is noticed after this time at the latest. */
const FRESH_MS = 3000;
const REMEMBERED_MOST = 10_000;

interface ClientCacheDeps {
  /** Reads the client anew; undefined when it is gone. */
  readonly load: (clientId: string) => Promise<ClientStatus | undefined>;
  readonly watch: (listener: (changed: readonly Namespace[]) => void) => () => void;
  /** The name space whose changes matter. */
  readonly namespace: Namespace;
  readonly now: () => number;
}

interface Entry {
  readonly standing: ClientStatus | undefined;
  readonly readAt: number;
}

export type ClientCache = ReturnType<typeof createClientCache>;

export function createClientCache({ load: read, watch, namespace: source, now }: ClientCacheDeps) {
  const entries = new LRUCache<string, Entry>({ max: REMEMBERED_MOST });
  const pending = new Map<string, Promise<ClientStatus | undefined>>();
  let generation = 0;

  const unwatch = watch((changed) => {
    const concerns = ({ database, collection }: Namespace) =>
      database === source.database && collection === source.collection;
    if (!changed.some(concerns)) return;
    generation += 1;
    entries.clear();
    pending.clear();
  });

  const peek = (clientId: string): ClientStatus | undefined => {
    const entry = entries.get(clientId);
    return entry !== undefined && isFresh(entry, now()) ? entry.standing : undefined;
  };

  const load = async (clientId: string): Promise<ClientStatus | undefined> => {
    const started = { generation, readAt: now() };
    const standing = await read(clientId);
    if (started.generation === generation) entries.set(clientId, { standing, readAt: started.readAt });
    return standing;
  };

  return {
    /** What is freshly known of the client; undefined when nothing is, or when it is gone. */
    peek,

    /** Rejects as `read` does. */
    get(clientId: string): Promise<ClientStatus | undefined> {
      const entry = entries.get(clientId);
      if (entry !== undefined && isFresh(entry, now())) return Promise.resolve(entry.standing);
      const running = pending.get(clientId);
      if (running !== undefined) return running;
      const loading = load(clientId).finally(() => {
        if (pending.get(clientId) === loading) pending.delete(clientId);
      });
      pending.set(clientId, loading);
      return loading;
    },

    /** Stops watching the store. */
    close(): void {
      unwatch();
      entries.clear();
    },
  };
}

/** A clock that was set back makes an entry stale, not eternal. */
function isFresh({ readAt }: Entry, at: number): boolean {
  return at >= readAt && at - readAt <= FRESH_MS;
}
