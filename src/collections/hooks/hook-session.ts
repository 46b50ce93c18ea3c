// The hooks of one request: how long they may take together, and what their results must be.

import { mapConcurrent } from '../../lib/async/concurrency.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { Collection } from '../model/collection.ts';
import type { RequestContext } from '../model/documents.ts';
import type { HookEvent } from '../model/hook-events.ts';
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

/** What hooks are told beside the object itself. */
type HookDetails = Pick<HookTask, 'documents' | 'index' | 'patient'>;

/** Dispose of it when the request is done with the results. */
export interface HookSession extends Disposable {
  /** The context of the request. Its deadline is about work of the database: it moves on while hooks run. */
  readonly context: RequestContext;
  /** What the hooks of an event make of an object; the object itself where there are none. */
  transform(at: HookPoint, obj: JsonObject, about?: HookDetails): Promise<JsonObject>;
  /** The same for a list: the hooks see one object at a time. */
  transformEach(
    at: HookPoint,
    objs: readonly JsonObject[],
    aboutOf: (index: number) => HookDetails,
  ): Promise<readonly JsonObject[]>;
  /** Lets the hooks see each document, given as JSON text; they can refuse and change nothing. */
  runEach(at: HookPoint, texts: readonly string[]): Promise<void>;
  /** What the hooks make of JSON text; undefined when they leave it as it is. */
  transformText(at: HookPoint, text: string, fault: ResultHandling['fault']): Promise<Json | undefined>;
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

/** Begins the use of hooks for one request. */
export function openHookSession({ hooks, now }: HookDeps, asked: RequestContext): HookSession {
  const until = now() + MAX_HOOKS_MS;
  const room = hooks.openRoom();
  let isEnded = false;
  const bounds = { until, isOver: () => isEnded };
  let spent = 0;
  const context: RequestContext = {
    ...asked,
    get deadline() {
      return asked.deadline + spent;
    },
  };
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const from = now();
    try {
      return await work();
    } finally {
      spent += now() - from;
    }
  };
  const runOn = async (at: HookPoint, obj: JsonObject, about: HookDetails): Promise<JsonObject> => {
    const task = { ...at, ...about, ...bounds, context, use: { room, fault: validateObject } };
    const result = await hooks.run(task, JSON.stringify(obj));
    return result === undefined ? obj : (result as JsonObject);
  };

  return {
    context,
    transform: async (at, obj, about = {}) => (hasHooks(at) ? timed(() => runOn(at, obj, about)) : obj),
    async transformEach(at, objs, aboutOf) {
      if (!hasHooks(at)) return objs;
      return timed(() =>
        mapConcurrent(objs, MAX_CONCURRENT, (obj, index) =>
          runOn(at, obj, { ...aboutOf(index), patient: index > 0 }),
        ),
      );
    },
    async runEach(at, texts) {
      if (!hasHooks(at)) return;
      const show = (text: string, index: number) => {
        const about = { documents: [text], patient: index > 0 };
        return hooks.run({ ...at, ...about, ...bounds, context }, text);
      };
      await timed(() => mapConcurrent(texts, MAX_CONCURRENT, show));
    },
    async transformText(at, text, fault) {
      if (!hasHooks(at)) return undefined;
      return timed(() => hooks.run({ ...at, ...bounds, context, use: { room, fault } }, text));
    },
    [Symbol.dispose]() {
      isEnded = true;
      room.close();
    },
  };
}
