// Cache of clients for token checks: 3 s TTL, cleared when this process writes a client.
import { LRUCache } from 'lru-cache';
import type { Namespace } from '../../stores/ports.ts';
import type { ClientStatus } from './client-store.ts';

/** A change by another process is seen after this time at the latest. */
const TTL_MS = 3000;
const MAX_CLIENTS = 10_000;

interface ClientCacheDeps {
  /** Reads the client anew; undefined when it is gone. */
  readonly load: (clientId: string) => Promise<ClientStatus | undefined>;
  readonly watch: (listener: (changed: readonly Namespace[]) => void) => () => void;
  /** The name space whose changes matter. */
  readonly namespace: Namespace;
  readonly now: () => number;
}

interface Entry {
  readonly status: ClientStatus | undefined;
  readonly readAt: number;
}

export type ClientCache = ReturnType<typeof createClientCache>;

export function createClientCache({ load: read, watch, namespace: source, now }: ClientCacheDeps) {
  const entries = new LRUCache<string, Entry>({ max: MAX_CLIENTS });
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
    return entry !== undefined && isFresh(entry, now()) ? entry.status : undefined;
  };

  const load = async (clientId: string): Promise<ClientStatus | undefined> => {
    const started = { generation, readAt: now() };
    const status = await read(clientId);
    if (started.generation === generation) entries.set(clientId, { status, readAt: started.readAt });
    return status;
  };

  return {
    /** The cached status; undefined if none is cached or fresh, or the client does not exist. */
    peek,

    /** Rejects as `read` does. */
    get(clientId: string): Promise<ClientStatus | undefined> {
      const entry = entries.get(clientId);
      if (entry !== undefined && isFresh(entry, now())) return Promise.resolve(entry.status);
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

/** A clock that was set back makes an entry stale instead of eternal. */
function isFresh({ readAt }: Entry, at: number): boolean {
  return at >= readAt && at - readAt <= TTL_MS;
}
