// The document service: puts the parts together that read, create, update and remove.
import { AppError } from '../errors.ts';
import { createKeyedMutex } from '../lib/async/keyed-mutex.ts';
import type { DocumentStore } from '../stores/ports.ts';
import { createFilterCompiler } from './filters/compile.ts';
import type { DocumentHooks } from './hooks/document-hooks.ts';
import type { DocumentLimits, DocumentService, RecordService } from './model/documents.ts';
import type { Registry } from './model/registry.ts';
import { createComposer } from './reads/compose.ts';
import { createEnricher } from './reads/enrich.ts';
import { createHistoryLoader } from './reads/history-loader.ts';
import { withReadHooks } from './reads/read-hooks.ts';
import { createReader } from './reads/reader.ts';
import { createRecordFinder } from './reads/record-finder.ts';
import type { PatternMatcher } from './validation/validate-document.ts';
import { createValidator } from './validation/validator.ts';
import { createCreates } from './writes/create.ts';
import type { FileRemovals } from './writes/file-removals/file-removals.ts';
import { createWriteTargets } from './writes/load-targets.ts';
import { createWriter } from './writes/prepare.ts';
import { createRemovals } from './writes/remove.ts';
import { createUpdates } from './writes/update.ts';

export interface DocumentServiceDeps {
  readonly store: DocumentStore;
  readonly registry: Registry;
  readonly limits: DocumentLimits;
  /** Must grow with every call. */
  readonly newId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Runs the patterns of specifications that are beyond the linear-time engine. */
  readonly patterns: { readonly matches: PatternMatcher };
  /** Without them, whatever hooks stand before is SANDBOX_DISABLED. */
  readonly hooks?: DocumentHooks;
  /** Removes the files of media records that are removed. Without it the files stay. */
  readonly removals?: Pick<FileRemovals, 'entriesFor' | 'begin'>;
}

const NO_HOOKS: DocumentHooks = {
  run: async () => {
    throw new AppError('SANDBOX_DISABLED', { retryAfter: 2 });
  },
  runBehind: () => undefined,
  openRoom: () => ({ take: () => 'server', close: () => undefined }),
};

/** Documents of the registry's collections, kept in `store`. Every error that is the caller's is an AppError. */
export function createDocumentService(options: DocumentServiceDeps): DocumentService & RecordService {
  const { store, registry, limits, newId, now, patterns, hooks = NO_HOOKS, removals } = options;
  const filters = createFilterCompiler({ store, registry, limits });
  const histories = createHistoryLoader({ store });
  const composer = createComposer({ store, histories, registry, limits });
  const enricher = createEnricher({
    store,
    historyLoader: histories,
    composer,
    maxRevisions: limits.composeReferences,
  });
  const validator = createValidator(patterns.matches);
  const writer = createWriter({ store, registry, histories, composer, validator, limits, newId, now, hooks });
  const affected = createWriteTargets({ store, filters, limit: limits.writeMatches });
  const turns = createKeyedMutex();
  const reader = withReadHooks(createReader({ store, filters, enricher, limits }), { hooks, now });
  return {
    ...reader,
    ...createRecordFinder({ store, filters, reader }),
    ...createCreates({ writer, registry, limits, newId, hooks, now }),
    ...createUpdates({ writer, affected, limits, turns, hooks, now }),
    ...createRemovals({ writer, affected, turns, registry, removals, hooks, now }),
  };
}
