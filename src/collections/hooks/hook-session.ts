// Runs the hooks of one request within one time limit, and validates their results.
import { mapConcurrent } from '../../lib/async/concurrency.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { Collection, HookEvent } from '../model/collection.ts';
import type { RequestContext } from '../model/documents.ts';
import type { DocumentHooks, HookTask, ResultHandling } from './document-hooks.ts';

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

/**
 * Opens the hooks of one request. `isNeeded` false: none of its collections has hooks, so the session costs nothing and
 * passes everything through.
 */
export function openHookSession(deps: HookDeps, request: RequestContext, isNeeded = true): HookSession {
  return isNeeded ? createHookSession(deps, request) : new IdleSession(request);
}

class IdleSession implements HookSession {
  readonly context: RequestContext;

  constructor(context: RequestContext) {
    this.context = context;
  }

  async transform(_at: HookPoint, obj: JsonObject): Promise<JsonObject> {
    return obj;
  }

  async transformEach(_at: HookPoint, objs: readonly JsonObject[]): Promise<readonly JsonObject[]> {
    return objs;
  }

  async runEach(): Promise<void> {}

  async transformText(): Promise<undefined> {}

  [Symbol.dispose](): void {}
}

/**
 * Context of a request whose database deadline moves on while hooks run. A class: a getter in an object literal would give
 * each request a hidden class of its own, which outlives many garbage collections.
 */
class ExtendedDeadline {
  readonly #request: RequestContext;
  #spentMs = 0;

  constructor(request: RequestContext) {
    this.#request = request;
  }

  get deadline(): number {
    return this.#request.deadline + this.#spentMs;
  }

  extend(milliseconds: number): void {
    this.#spentMs += milliseconds;
  }
}

function createHookSession({ hooks, now }: HookDeps, request: RequestContext): HookSession {
  const quota = hooks.openResultQuota();
  let isEnded = false;
  const bounds = { until: now() + MAX_HOOKS_MS, isRequestOver: () => isEnded };
  const { deadline: _, ...members } = request;
  const context = Object.assign(new ExtendedDeadline(request), members);
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const from = now();
    try {
      return await work();
    } finally {
      context.extend(now() - from);
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
