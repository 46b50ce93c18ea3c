// What the documents ask of hooks: posted code that stands before and behind reads and writes. `src/hooks/` runs it.
import type { Json } from '../../lib/json/json.ts';
import type { Collection } from '../model/collection.ts';
import type { RequestContext } from '../model/documents.ts';
import type { HookEvent } from '../model/hook-events.ts';

/** Room in memory for what the hooks of one request return. */
export interface ResultQuota {
  /** Takes so many bytes; otherwise says whose room does not have them: that of the request, or of the whole server. */
  take(bytes: number): 'request' | 'server' | undefined;
  /** The request is over: all that it took is free again, and it gets no more. */
  close(): void;
}

/** What becomes of a result. */
export interface ResultHandling {
  readonly room: ResultQuota;
  /** What is wrong with it, said so that it can follow the name of the hook; undefined when it will do. */
  fault(result: Json): string | undefined;
}

export interface HookTask {
  readonly event: HookEvent;
  readonly collection: Collection;
  readonly context: RequestContext;
  /** JSON text of the documents that a write is about. */
  readonly documents?: readonly string[];
  /** Position in a batch. */
  readonly index?: number;
  /** Part of a request that has been let in: a hook that is busy, perhaps with the rest of it, is waited for. */
  readonly patient?: boolean;
  /** Epoch milliseconds from which no further hook of the request begins. */
  readonly until: number;
  /** Whether the request has ended, as it does when another of its documents is refused: then no hook is worth waiting for. */
  readonly isOver?: () => boolean;
  /** Absent where nobody uses a result: then it is not even parsed. */
  readonly use?: ResultHandling;
}

/** Something that a commit has done to a document of a collection with hooks for it. */
export interface AfterHookEvent {
  readonly event: 'afterCreate' | 'afterUpdate' | 'afterDelete';
  readonly collection: Collection;
  /** The document as JSON text: as the commit left it, or as it was when it was removed. */
  readonly text: string;
}

export interface DocumentHooks {
  /**
   * Runs the hooks of an event one after the other on `obj`, JSON text, each on what the one before it returned.
   * Resolves with what they made of it, held against `use`; undefined when all of them returned nothing, or nobody uses it.
   * Throws HOOK_FAILED when one refuses or fails, ENDPOINT_SUSPENDED when one is missing or does not run,
   * SANDBOX_DISABLED, ENDPOINT_BUSY, ENDPOINT_RATE_LIMITED and ENDPOINT_CRASHED.
   */
  run(task: HookTask, obj: string): Promise<Json | undefined>;
  /** Room for the results of one request. */
  openRoom(): ResultQuota;
  /** Runs after-hooks behind the answer. What becomes of them is logged and disturbs nobody. */
  runBehind(happenings: readonly AfterHookEvent[], context: RequestContext): void;
}
