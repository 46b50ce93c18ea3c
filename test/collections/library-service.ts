// Collections of a small library over a real store, for the tests of documents.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDocumentService } from '../../src/collections/document-service.ts';
import type { DocumentHooks } from '../../src/collections/hooks/document-hooks.ts';
import { FULL_ACCESS, narrowAccess } from '../../src/collections/model/access.ts';
import type { Collection } from '../../src/collections/model/collection.ts';
import { createCollectionRegistry } from '../../src/collections/model/collection-registry.ts';
import type { Caller, DocumentLimits, RequestContext } from '../../src/collections/model/documents.ts';
import { REVISION_INDEXES, revisionNamespaceOf } from '../../src/collections/model/stored-document.ts';
import { parseSpecification } from '../../src/collections/specifications/parse-specification.ts';
import {
  createFileRemovals,
  type FileRemovals,
} from '../../src/collections/writes/file-removals/file-removals.ts';
import type { RecordFiles } from '../../src/collections/writes/file-removals/remove-files.ts';
import { AppError } from '../../src/errors/errors.ts';
import type { AccessAction } from '../../src/lib/access-actions.ts';
import type { MaybePromise } from '../../src/lib/async/maybe-promise.ts';
import type { ChunkedText } from '../../src/lib/chunked-text.ts';
import { createIdSource } from '../../src/lib/ids.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { MATCH_ALL } from '../../src/stores/filter.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { openSqliteDocuments } from '../../src/stores/sqlite-documents/store.ts';

export const LIMITS: DocumentLimits = {
  pageSize: 1000,
  batch: 10_000,
  writeMatches: 10_000,
  filterDepth: 8,
  filterNodes: 200,
  composeDepth: 10,
  composeReferences: 10_000,
};

/** Milliseconds: the clocks of tests stand long before the one by which a store keeps deadlines. */
export const AGES = 1e15;

/** A collection at `1.0/library/<name>`, from its specification. */
export function collectionOf(name: string, source: JsonObject, database = 'library'): Collection {
  const address = { version: '1.0', database, name };
  return parseSpecification({ settings: {}, ...source }, address, { enableCollectionDatabases: true })
    .collection;
}

const SILENT: Log = { warn: () => undefined };

type Denial = readonly [collection: string, ...actions: AccessAction[]];

/** Someone who may do everything but what is denied. */
export function callerNamed(name: string | null, ...denied: readonly Denial[]): Caller {
  return {
    clientId: name,
    access: ({ name: of }) =>
      narrowAccess(
        FULL_ACCESS,
        (action) => !denied.some(([denial, ...actions]) => denial === of && actions.includes(action)),
      ),
  };
}

/** A request of `caller`, with time enough. */
export function contextOf(caller: Caller = callerNamed('ann')): RequestContext {
  return { caller, deadline: Date.now() + 60_000 };
}

interface Log {
  warn(fields: object, message: string): void;
}

interface LibraryOptions {
  readonly limits?: Partial<DocumentLimits>;
  /** Stands between the service and its store. */
  readonly wrap?: (store: DocumentStore) => DocumentStore;
  readonly hooks?: DocumentHooks;
  /** The files of media records. */
  readonly files?: RecordFiles;
  /** Warnings of the service. */
  readonly log?: Log;
}

export interface Library {
  readonly store: DocumentStore;
  readonly documents: ReturnType<typeof createDocumentService>;
  /** Only where there are files. */
  readonly removals: FileRemovals | undefined;
  readonly at: (name: string) => Collection;
  /** Puts another specification in force. */
  put(collection: Collection): void;
  /** Takes a specification out of force. */
  remove(collection: Collection): void;
  /** Creates documents and returns them parsed. */
  create(name: string, body: Json, context?: RequestContext): Promise<readonly JsonObject[]>;
  /** Every document of the collection, parsed, by id. */
  all(name: string): Promise<readonly JsonObject[]>;
  close(): Promise<void>;
}

/** For collections without hooks: none is run. */
export const NO_HOOKS: DocumentHooks = {
  run: async () => {
    throw new Error('a hook was run in a test without hooks');
  },
  runAfterHooks: () => undefined,
  openResultQuota: () => {
    throw new Error('a hook was run in a test without hooks');
  },
};

/** Opens the collections of `sources` on a new data folder. The clock stands at 1000 and moves by 1 at each look. */
export async function openLibrary(
  sources: Readonly<Record<string, JsonObject>>,
  { limits, wrap = (store) => store, hooks = NO_HOOKS, files, log = SILENT }: LibraryOptions = {},
): Promise<Library> {
  const folder = await mkdtemp(join(tmpdir(), 'library-'));
  const store = await openSqliteDocuments({ path: folder, queueLimit: 1000 });
  const registry = createCollectionRegistry();
  for (const [name, source] of Object.entries(sources)) {
    const collection = collectionOf(name, source);
    registry.put(collection);
    await store.ensureIndexes(collection.namespace, collection.settings.indexes);
    const revisions = revisionNamespaceOf(collection);
    if (collection.settings.storeRevisions) await store.ensureIndexes(revisions, REVISION_INDEXES);
  }
  let clock = 1000;
  const now = () => {
    clock += 1;
    return clock;
  };
  const generateId = createIdSource(now);
  const removals =
    files &&
    createFileRemovals({ store: wrap(store), files, generateId, now, queryMs: AGES, isSole: true, log });
  const documents = createDocumentService({
    store: wrap(store),
    registry,
    limits: { ...LIMITS, ...limits },
    generateId,
    now,
    patterns: { matches: async () => true },
    log,
    hooks,
    ...(removals === undefined ? {} : { removals }),
  });
  const at = (name: string) => registry.get('1.0', 'library', name)!;
  return {
    store,
    documents,
    removals,
    at,
    put: (collection) => registry.put(collection),
    remove: (collection) => void registry.remove(collection),
    async create(name, body, context = contextOf()) {
      const { results } = await documents.create(at(name), body, context, {});
      return results.map(parse);
    },
    async all(name) {
      const query = { filter: MATCH_ALL, sort: [], skip: 0, limit: 100_000 };
      return store.find({ database: 'library', collection: name }, query);
    },
    async close() {
      await removals?.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const parse = (text: string) => JSON.parse(text) as JsonObject;

/** The documents of a page that was read. */
export const documentsOf = ({ text }: { readonly text: ChunkedText }): JsonObject[] =>
  JSON.parse(`[${[text].flat().join('')}]`);

/** The AppError that the work must end in. */
export async function refusalOf(work: MaybePromise<unknown>): Promise<AppError> {
  const error = await Promise.resolve(work).then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw error;
}
