// Dependencies of creates, updates and removals.
import type { KeyedMutex } from '../../lib/async/keyed-mutex.ts';
import type { DocumentStore } from '../../stores/ports.ts';
import type { FilterCompiler } from '../filters/compile.ts';
import type { HookDeps } from '../hooks/hook-session.ts';
import type { DocumentLimits } from '../model/documents.ts';
import type { Registry } from '../model/registry.ts';
import type { HistoryLoader } from '../reads/history-loader.ts';
import type { PatternMatcher } from '../validation/validate-document.ts';
import type { FileRemovals } from './file-removals/file-removals.ts';

export interface WriteDeps extends HookDeps {
  readonly store: Pick<DocumentStore, 'findText' | 'findByIds' | 'count' | 'commit'>;
  readonly registry: Pick<Registry, 'get' | 'isRevisionCollection' | 'holdsRecords'>;
  readonly filters: Pick<FilterCompiler, 'compile'>;
  readonly histories: HistoryLoader;
  readonly matchPattern: PatternMatcher;
  readonly limits: Pick<DocumentLimits, 'batch' | 'composeDepth' | 'composeReferences' | 'writeMatches'>;
  /** Must grow with every call. */
  readonly newId: () => string;
  /** Writes of one document run one after the other, so that they need no retry. */
  readonly locks: KeyedMutex;
  /** Removes the files of media records. Undefined: the files stay. */
  readonly removals: Pick<FileRemovals, 'createEntries' | 'removeNow'> | undefined;
  readonly log: { warn(fields: object, message: string): void };
}
