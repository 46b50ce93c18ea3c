// The callers of requests: who asks, and what they may do. A caller of one client is made once, and so is each of its decisions, for
// as long as the specifications stay what they are.

import { type CollectionAccess, FULL_ACCESS } from '../../collections/model/access.ts';
import type { Collection, CollectionRegistry } from '../../collections/model/collection.ts';
import type { Caller } from '../../collections/model/documents.ts';
import type { Client } from '../clients/client.ts';
import { decideAccess } from './decide-access.ts';

/** Gives the caller for a client; null: anonymous. */
export type CreateCaller = (client: Client | null) => Caller;

interface Decision {
  /** The live collections that it was made with. */
  readonly live: readonly Collection[];
  readonly access: CollectionAccess;
}

/** Makes the function that gives callers. */
export function createCallers(
  registry: Pick<CollectionRegistry, 'list' | 'keepsRuledRevisions'>,
): CreateCaller {
  const create = (client: Client | null): Caller => {
    const decisions = new WeakMap<Collection, Decision>();
    return {
      clientId: client?.clientId ?? null,
      access(collection) {
        // The registry makes a new list for each change.
        const live = registry.list();
        const known = decisions.get(collection);
        if (known?.live === live) return known.access;
        const needsRules = registry.keepsRuledRevisions(collection);
        const access = decideAccess(client, collection, { needsRules });
        decisions.set(collection, { live, access });
        return access;
      },
    };
  };
  const callers = new WeakMap<Client, Caller>();
  const anonymous = create(null);
  return (client) => {
    if (client === null) return anonymous;
    const caller = callers.get(client) ?? create(client);
    callers.set(client, caller);
    return caller;
  };
}

/** The caller as a reader of files: `media.public` opens those of every collection whose specification has no rules. */
export function createFileReader(caller: Caller, media: { readonly public: boolean }): Caller {
  if (!media.public) return caller;
  return {
    clientId: caller.clientId,
    access: (collection) => (collection.settings.access === null ? FULL_ACCESS : caller.access(collection)),
  };
}
