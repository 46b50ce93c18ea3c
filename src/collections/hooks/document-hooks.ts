// The hooks of documents: posted code that runs before and after reads and writes. `src/hooks/` runs it. The hooks of one request
// are a session, which has one time limit and validates their results.

import { mapConcurrent } from '../../lib/async/concurrency.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { Collection, HookEvent } from '../model/collection.ts';
import { type RequestContext, withLiveDeadline } from '../model/documents.ts';
import { HookWrites } from '../model/hook-writes.ts';

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
  /** The documents before the write, as JSON text, where `documents` are not these already. */
  readonly previousDocuments?: readonly string[];
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
  /** Of an update: the document before it, as JSON text. */
  readonly previousText?: string;
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

/** Milliseconds that all hooks of one request may take together. */
const MAX_HOOKS_MS = 30_000;
/** Documents of one request that are in hooks at the same time. */
const MAX_CONCURRENT = 8;

export interface HookDeps {
  readonly hooks: DocumentHooks;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What hooks get beside the object itself. */
type HookDetails = Pick<HookTask, 'documents' | 'index' | 'waitIfBusy'>;

/** Dispose of it when the request is done with the results. */
export interface HookSession extends Disposable {
  /** The context of the request. Its deadline, which is for database work, moves on while hooks run. */
  readonly context: RequestContext;
  /** What the hooks of an event make of an object; the object itself where there are none. */
  transform(at: HookPoint, obj: JsonObject, details?: HookDetails): Promise<JsonObject>;
  /** The same for a list: the hooks see one object at a time. */
  transformEach(
    at: HookPoint,
    objs: readonly JsonObject[],
    detailsOf: (index: number) => HookDetails,
  ): Promise<readonly JsonObject[]>;
  /** Lets the hooks see each document, given as JSON text; they can refuse and change nothing. */
  runEach(at: HookPoint, texts: readonly string[]): Promise<void>;
  /** What the hooks make of JSON text; undefined when they leave it as it is. */
  transformText(at: HookPoint, text: string, validate: ResultHandling['validate']): Promise<Json | undefined>;
}

export interface HookPoint {
  readonly event: HookEvent;
  readonly collection: Collection;
}

const validateObject = (result: Json) =>
  isJsonObject(result) ? undefined : 'must return an object, nothing, or null to refuse';

/** True when the collection names hooks for the event. */
export function hasHooks({ collection, event }: HookPoint): boolean {
  return collection.settings.hooks?.[event] !== undefined;
}

/** Opens the hooks of one request. Where no collection of the request has hooks, none need be opened. */
export function openHookSession({ hooks, now }: HookDeps, request: RequestContext): HookSession {
  const quota = hooks.openResultQuota();
  let isEnded = false;
  const bounds = { until: now() + MAX_HOOKS_MS, isRequestOver: () => isEnded };
  let spentMs = 0;
  // The database gets the time that hooks take in addition.
  const hookWrites = request.hookWrites ?? new HookWrites(request.reportsTo);
  const context = withLiveDeadline({ ...request, hookWrites }, () => request.deadline + spentMs);
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const from = now();
    try {
      return await work();
    } finally {
      spentMs += now() - from;
    }
  };
  const runOn = async (at: HookPoint, obj: JsonObject, details: HookDetails): Promise<JsonObject> => {
    const resultHandling = { quota, validate: validateObject };
    const task = { ...at, ...details, ...bounds, context, resultHandling };
    const result = await hooks.run(task, JSON.stringify(obj));
    return result === undefined ? obj : (result as JsonObject);
  };

  return {
    context,
    transform: async (at, obj, details = {}) => (hasHooks(at) ? timed(() => runOn(at, obj, details)) : obj),
    async transformEach(at, objs, detailsOf) {
      if (!hasHooks(at)) return objs;
      return timed(() =>
        mapConcurrent(objs, MAX_CONCURRENT, (obj, index) =>
          runOn(at, obj, { ...detailsOf(index), waitIfBusy: index > 0 }),
        ),
      );
    },
    async runEach(at, texts) {
      if (!hasHooks(at)) return;
      const run = (text: string, index: number) => {
        const details = { documents: [text], waitIfBusy: index > 0 };
        return hooks.run({ ...at, ...details, ...bounds, context }, text);
      };
      await timed(() => mapConcurrent(texts, MAX_CONCURRENT, run));
    },
    async transformText(at, text, validate) {
      if (!hasHooks(at)) return undefined;
      return timed(() => hooks.run({ ...at, ...bounds, context, resultHandling: { quota, validate } }, text));
    },
    [Symbol.dispose]() {
      isEnded = true;
      quota.close();
    },
  };
}
