// What creates, updates and removals need. `document-service.ts` puts it together.
import type { KeyedMutex } from '../../lib/async/concurrency.ts';
import type { FilterCompiler } from '../filters/compile.ts';
import type { HookDeps } from '../hooks/document-hooks.ts';
import type { PermittedStore } from '../model/access.ts';
import type { CollectionRegistry } from '../model/collection.ts';
import type { DocumentLimits } from '../model/documents.ts';
import type { Composer } from '../reads/compose.ts';
import type { HistoryLoader } from '../reads/history-loader.ts';
import type { PatternMatcher } from '../validation/validate-document.ts';
import type { FileRemovals } from './file-removals/file-removals.ts';

export interface WriteDeps extends HookDeps {
  readonly store: Pick<PermittedStore, 'find' | 'findText' | 'findByIds' | 'count' | 'commit'>;
  readonly registry: Pick<CollectionRegistry, 'get' | 'list' | 'isRevisionCollection' | 'holdsRecords'>;
  readonly filters: Pick<FilterCompiler, 'compile' | 'ownDocuments' | 'isOwn'>;
  readonly histories: HistoryLoader;
  readonly composer: Composer;
  readonly matchPattern: PatternMatcher;
  readonly limits: Pick<DocumentLimits, 'batch' | 'composeDepth' | 'writeMatches'>;
  /** Must grow with every call. */
  readonly generateId: () => string;
  /** Writes of one document run one after the other, so that they need no retry. */
  readonly locks: KeyedMutex;
  /** Removes the files of media records. Undefined: the files stay. */
  readonly removals: Pick<FileRemovals, 'createEntries' | 'removeNow'> | undefined;
  readonly log: { warn(fields: object, message: string): void };
}
