// Document service: wires reads, creates, updates and removals. Writes are validated by the specification that is in force when they
// commit: one that was replaced meanwhile has them validated again.

import { AppError } from '../errors/errors.ts';
import type { AccessAction } from '../lib/access-actions.ts';
import { createKeyedMutex } from '../lib/async/concurrency.ts';
import type { MaybePromise } from '../lib/async/maybe-promise.ts';
import type { DocumentStore } from '../stores/ports.ts';
import { createFilterCompiler } from './filters/compile.ts';
import type { DocumentHooks } from './hooks/document-hooks.ts';
import { withUnderscoredNames } from './internals/underscored-service.ts';
import { createVisibleCollections, notPermitted } from './model/access.ts';
import type { Collection, CollectionRegistry } from './model/collection.ts';
import type { DocumentLimits, DocumentService, RecordService, RequestContext } from './model/documents.ts';
import { createComposer } from './reads/compose.ts';
import { createHistoryLoader } from './reads/history-loader.ts';
import { createReader } from './reads/reader.ts';
import type { PatternMatcher } from './validation/validate-document.ts';
import { SpecificationChangedError } from './writes/commit.ts';
import { createDocuments, createRecords } from './writes/create.ts';
import type { FileRemovals } from './writes/file-removals/file-removals.ts';
import { removeById, removeByQuery } from './writes/remove.ts';
import { documentRights } from './writes/restore/document-rights.ts';
import { restoreRevision } from './writes/restore/restore.ts';
import { updateById, updateByQuery } from './writes/update.ts';
import type { WriteDeps } from './writes/write-deps.ts';

export interface DocumentServiceDeps {
  readonly store: DocumentStore;
  readonly registry: CollectionRegistry;
  readonly limits: DocumentLimits;
  /** Must grow with every call. */
  readonly generateId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Runs the patterns of specifications that are beyond the linear-time engine. */
  readonly patterns: { readonly matches: PatternMatcher };
  readonly hooks: DocumentHooks;
  /** Removes the files of media records that are removed. Without it the files stay. */
  readonly removals?: Pick<FileRemovals, 'createEntries' | 'removeNow'>;
  /** Collections show only what was written under their version. */
  readonly useVersionFilter?: boolean;
  readonly log: { warn(fields: object, message: string): void };
}

/** Specifications that are replaced this often during one write are somebody's loop. */
const MAX_ATTEMPTS = 10;

/** Documents of the registry's collections, kept in `store`. Every error that is the caller's is an AppError. */
export function createDocumentService(options: DocumentServiceDeps): DocumentService & RecordService {
  const { store, registry, limits, generateId, now, patterns, hooks, removals, log, useVersionFilter } =
    options;
  const visible = createVisibleCollections();
  const filters = createFilterCompiler({ store, visible, registry, limits, useVersionFilter });
  const histories = createHistoryLoader({ store, registry });
  const composer = createComposer({ store, histories, registry, limits, ownDocuments: filters.ownDocuments });
  const deps: WriteDeps = {
    store,
    registry,
    filters,
    histories,
    composer,
    limits,
    generateId,
    now,
    hooks,
    removals,
    log,
    matchPattern: patterns.matches,
    locks: createKeyedMutex(),
  };
  /**
   * Runs a write by the specification that is in force when it commits, again where that was replaced meanwhile. Rejects with NOT_FOUND
   * where it was removed, with NOT_PERMITTED where the new one permits the caller no such write, with STORE_BUSY, and as `run` does.
   */
  const byCurrent = async <T>(
    action: AccessAction,
    given: Collection,
    { caller }: RequestContext,
    run: (collection: Collection) => MaybePromise<T>,
  ): Promise<T> => {
    let collection = given;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run(collection);
      } catch (error) {
        if (!(error instanceof SpecificationChangedError)) throw error;
        if (attempt === MAX_ATTEMPTS) throw new AppError('STORE_BUSY', { cause: error });
      }
      const { version, database, name } = collection;
      const current = registry.get(version, database, name);
      if (current === undefined) throw new AppError('NOT_FOUND');
      const access = caller.access(current);
      if (access[action] === null) throw notPermitted(access, caller);
      collection = current;
    }
  };
  const service: DocumentService & RecordService = {
    ...createReader({ store, visible, registry, filters, histories, composer, limits, hooks, now }),
    rights: (...args) => documentRights({ store, registry, filters }, ...args),
    create: (collection, body, context, options) =>
      byCurrent('create', collection, context, (current) =>
        createDocuments(deps, current, body, context, options),
      ),
    createRecords: (collection, records, context, options) =>
      byCurrent('create', collection, context, (current) =>
        createRecords(deps, current, records, context, options),
      ),
    updateById: (collection, id, body, context, options) =>
      byCurrent('update', collection, context, (current) =>
        updateById(deps, current, id, body, context, options),
      ),
    updateByQuery: (collection, body, context, options) =>
      byCurrent('update', collection, context, (current) =>
        updateByQuery(deps, current, body, context, options),
      ),
    restore: (collection, target, context, options) =>
      byCurrent('update', collection, context, (current) =>
        restoreRevision(deps, current, target, context, options),
      ),
    removeById: (collection, id, context, options) =>
      byCurrent('delete', collection, context, (current) => removeById(deps, current, id, context, options)),
    removeByQuery: (collection, body, context, options) =>
      byCurrent('delete', collection, context, (current) =>
        removeByQuery(deps, current, body, context, options),
      ),
  };
  return withUnderscoredNames(service, registry);
}
