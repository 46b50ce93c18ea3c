// `Model` over a real library, for the tests of its calls.

import { onTestFinished } from 'vitest';
import type { Client } from '../../src/auth/clients/client.ts';
import { createCapabilities } from '../../src/capabilities/capabilities.ts';
import type { InvocationContext } from '../../src/capabilities/model-scope.ts';
import { createCollectionRegistry } from '../../src/collections/model/collection-registry.ts';
import { toAppError } from '../../src/errors/errors.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import type { CollectionGrant } from '../../src/sandbox-supervisor/model/module-version.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { createPasswordHasher } from '../../src/workers/password-hasher.ts';
import { collectionOf, type Library, openLibrary } from '../collections/library-service.ts';
import { callerOf } from '../http/fixtures.ts';
import { unitWith } from './module.ts';

export const ANN: Client = { id: 'a1', clientId: 'ann', accessType: 'user', permissions: null, roles: [] };

const STRING = { type: 'String' };
const NUMBER = { type: 'Number' };

export const SOURCES: Readonly<Record<string, JsonObject>> = {
  books: {
    fields: {
      title: { type: 'String', required: true },
      pages: NUMBER,
      author: { type: 'Reference', settings: { collection: 'people' } },
    },
    settings: { count: 3, sort: 'title' },
  },
  people: { fields: { name: STRING } },
  open: { fields: { title: STRING }, settings: { authenticate: false } },
  kept: { fields: { title: STRING }, settings: { storeRevisions: true, revisionCollection: 'old' } },
  old: { fields: { title: STRING } },
  files: { fields: { title: STRING }, settings: { type: 'mediaCollection' } },
};

interface Answer {
  readonly ok: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds
  readonly value: any;
}

export interface ModelBench {
  readonly library: Library;
  readonly logged: { readonly fields: object; readonly message: string }[];
  /** One guest call of a module with these grants. Text as `args` is sent as it is. */
  call(
    name: string,
    args: JsonObject | string,
    grants: readonly CollectionGrant[],
    run?: Partial<InvocationContext>,
  ): Promise<Answer>;
}

interface BenchOptions {
  readonly clients?: readonly Client[];
  /** Who the callers are now; by default clients without limits. */
  readonly findCached?: (clientId: string) => Client | undefined;
  readonly wrap?: (store: DocumentStore) => DocumentStore;
  readonly queryMs?: number;
}

/** Opens the library; it goes when the test is over. */
export async function openModels({
  clients = [],
  findCached = (clientId) => ({ ...ANN, clientId }),
  wrap,
  queryMs = 5000,
}: BenchOptions = {}): Promise<ModelBench> {
  const logged: ModelBench['logged'] = [];
  const note = (fields: object, message: string) => void logged.push({ fields, message });
  const options = wrap === undefined ? {} : { wrap };
  const library = await openLibrary(SOURCES, { ...options, log: { warn: note } });
  onTestFinished(() => library.close());
  const registry = createCollectionRegistry();
  for (const name of Object.keys(SOURCES)) registry.put(library.at(name));
  registry.put(collectionOf('books', SOURCES['open']!, 'shop'));
  const capabilities = createCapabilities({
    documents: library.documents,
    registry,
    store: wrap === undefined ? library.store : wrap(library.store),
    createCaller: callerOf,
    findCached: async (clientId) => findCached(clientId),
    findClient: async (clientId) => clients.find((client) => client.clientId === clientId),
    toAppError,
    fetch: async () => '{"status":200}',
    hasher: createPasswordHasher(),
    queryMs,
    now: Date.now,
    log: { error: note },
  });
  return {
    library,
    logged,
    async call(name, args, grants, run = {}) {
      const unit = unitWith({ collections: grants });
      const context = { moduleVersion: unit, client: ANN, requestId: 'r1', ...run };
      const text = typeof args === 'string' ? args : JSON.stringify(args);
      const { signal } = new AbortController();
      const answer = await capabilities.perform({ name, args: text }, context, signal);
      return { ok: answer.ok, value: JSON.parse(answer.text) };
    },
  };
}
