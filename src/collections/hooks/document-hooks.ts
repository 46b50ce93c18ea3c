// The hooks of documents, as reads and writes use them: posted code that runs before and after both. `src/hooks/` implements it.
import type { Json } from '../../lib/json/json.ts';
import type { Collection, HookEvent } from '../model/collection.ts';
import type { RequestContext } from '../model/documents.ts';

/** Memory that the results of the hooks of one request may take. */
export interface ResultQuota {
  /** Reserves bytes. Returns whose quota is exceeded otherwise: that of the request, or of the whole server. */
  reserve(bytes: number): 'request' | 'server' | undefined;
  /** Releases all that the request has reserved; it gets no more. */
  close(): void;
}

export interface ResultHandling {
  readonly quota: ResultQuota;
  /** What is wrong with a result, as a text that follows the name of the hook; undefined for a valid one. */
  validate(result: Json): string | undefined;
}

export interface HookTask {
  readonly event: HookEvent;
  readonly collection: Collection;
  readonly context: RequestContext;
  /** The documents of a write, as JSON text. */
  readonly documents?: readonly string[];
  /** Position in a batch. */
  readonly index?: number;
  /** Wait for a hook that is busy: other documents of the same request may be what it is busy with. */
  readonly waitIfBusy?: boolean;
  /** Epoch milliseconds after which no further hook of the request starts. */
  readonly until: number;
  /** Whether the request has ended, as it does when a hook rejects another of its documents. */
  readonly isRequestOver?: () => boolean;
  /** Absent where results have no use: then they are not parsed. */
  readonly resultHandling?: ResultHandling;
}

/** A committed change of a document of a collection with hooks for it. */
export interface AfterHookEvent {
  readonly event: 'afterCreate' | 'afterUpdate' | 'afterDelete';
  readonly collection: Collection;
  /** The document as JSON text: as committed, or as it was before its removal. */
  readonly text: string;
}

export interface DocumentHooks {
  /**
   * Runs the hooks of an event one after the other on `obj`, JSON text, each on the result of the one before it. Resolves
   * with the last result, validated; undefined when no hook returned one, or without `resultHandling`. Throws HOOK_FAILED
   * when a hook rejects or fails, ENDPOINT_SUSPENDED when one is missing or not active, SANDBOX_DISABLED, ENDPOINT_BUSY,
   * ENDPOINT_RATE_LIMITED and ENDPOINT_CRASHED.
   */
  run(task: HookTask, obj: string): Promise<Json | undefined>;
  /** Opens the quota of one request for results. */
  openResultQuota(): ResultQuota;
  /** Runs after-hooks in the background. Their failures are logged. */
  runAfterHooks(events: readonly AfterHookEvent[], context: RequestContext): void;
}
