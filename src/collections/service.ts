// The document service: puts the parts together that read, create, update and remove.
import { AppError } from '../errors.ts';
import { createKeyedQueue } from '../lib/keyed-queue.ts';
import type { DocumentStore } from '../stores/ports.ts';
import type { DocumentLimits, DocumentService, RecordService } from './documents.ts';
import { createFilterCompiler } from './filters/compiler.ts';
import type { DocumentHooks } from './hooks.ts';
import { createComposer } from './reads/compose.ts';
import { createEnricher } from './reads/enrich.ts';
import { createHistories } from './reads/histories.ts';
import { withReadHooks } from './reads/hooked-reader.ts';
import { createReader } from './reads/reader.ts';
import { createRecordFinder } from './reads/record-finder.ts';
import type { Registry } from './registry.ts';
import type { PatternMatcher } from './validate.ts';
import { createAffected } from './writes/affected.ts';
import { createCreating } from './writes/creating.ts';
import type { FileRemovals } from './writes/file-removals.ts';
import { createRemoving } from './writes/removing.ts';
import { createUpdating } from './writes/updating.ts';
import { createValidator } from './writes/validator.ts';
import { createWriter } from './writes/writer.ts';

export interface DocumentServiceOptions {
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
    throw new AppError('SANDBOX_DISABLED');
  },
  runBehind: () => undefined,
  openRoom: () => ({ take: () => 'server', close: () => undefined }),
};

/** Documents of the registry's collections, kept in `store`. Every error that is the caller's is an AppError. */
export function createDocumentService(options: DocumentServiceOptions): DocumentService & RecordService {
  const { store, registry, limits, newId, now, patterns, hooks = NO_HOOKS, removals } = options;
  const filters = createFilterCompiler({ store, registry, limits });
  const histories = createHistories({ store });
  const composer = createComposer({ store, histories, registry, limits });
  const enricher = createEnricher({ store, histories, composer, maxRevisions: limits.composeReferences });
  const validator = createValidator(patterns.matches);
  const writer = createWriter({ store, registry, histories, composer, validator, limits, newId, now, hooks });
  const affected = createAffected({ store, filters, limit: limits.writeMatches });
  const turns = createKeyedQueue();
  const reader = withReadHooks(createReader({ store, filters, enricher, limits }), { hooks, now });
  return {
    ...reader,
    ...createRecordFinder({ store, filters, reader }),
    ...createCreating({ writer, registry, limits, newId, hooks, now }),
    ...createUpdating({ writer, affected, limits, turns, hooks, now }),
    ...createRemoving({ writer, affected, turns, registry, removals, hooks, now }),
  };
}
