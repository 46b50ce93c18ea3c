// The hooks of one request: how long they may take together, and what their results must be.
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { mapSideBySide } from '../lib/side-by-side.ts';
import type { Collection } from './collection.ts';
import type { Context } from './documents.ts';
import type { HookEvent } from './hook-events.ts';
import type { DocumentHooks, HookTask, ResultUse } from './hooks.ts';

/** Milliseconds that all hooks of one request may take together. */
const HOOKS_MS = 30_000;
/** Documents of one request that are in hooks at the same time. */
const AT_ONCE = 8;

export interface HookTools {
  readonly hooks: DocumentHooks;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What hooks are told beside the object itself. */
type Particulars = Pick<HookTask, 'documents' | 'index' | 'patient'>;

/** Dispose of it when the request is done with the results. */
export interface HookSession extends Disposable {
  /** The context of the request. Its deadline is about work of the database: it moves on while hooks run. */
  readonly context: Context;
  /** What the hooks of an event make of an object; the object itself where there are none. */
  change(at: HookPoint, obj: JsonObject, about?: Particulars): Promise<JsonObject>;
  /** The same for a list: the hooks see one object at a time. */
  changeEach(
    at: HookPoint,
    objs: readonly JsonObject[],
    aboutOf: (index: number) => Particulars,
  ): Promise<readonly JsonObject[]>;
  /** Lets the hooks see each document, given as JSON text; they can refuse and change nothing. */
  showEach(at: HookPoint, texts: readonly string[]): Promise<void>;
  /** What the hooks make of JSON text; undefined when they leave it as it is. */
  replace(at: HookPoint, text: string, fault: ResultUse['fault']): Promise<Json | undefined>;
}

export interface HookPoint {
  readonly event: HookEvent;
  readonly collection: Collection;
}

const mustBeObject = (result: Json) =>
  isJsonObject(result) ? undefined : 'must return an object, nothing, or null to refuse';

/** True when the collection names hooks for the event. */
export function hasHooks({ collection, event }: HookPoint): boolean {
  return collection.settings.hooks?.[event] !== undefined;
}

/** Begins the use of hooks for one request. */
export function beginHooks({ hooks, now }: HookTools, asked: Context): HookSession {
  const until = now() + HOOKS_MS;
  const room = hooks.openRoom();
  let isEnded = false;
  const bounds = { until, isOver: () => isEnded };
  let spent = 0;
  const context: Context = {
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
  const runOn = async (at: HookPoint, obj: JsonObject, about: Particulars): Promise<JsonObject> => {
    const task = { ...at, ...about, ...bounds, context, use: { room, fault: mustBeObject } };
    const result = await hooks.run(task, JSON.stringify(obj));
    return result === undefined ? obj : (result as JsonObject);
  };

  return {
    context,
    change: async (at, obj, about = {}) => (hasHooks(at) ? timed(() => runOn(at, obj, about)) : obj),
    async changeEach(at, objs, aboutOf) {
      if (!hasHooks(at)) return objs;
      return timed(() =>
        mapSideBySide(objs, AT_ONCE, (obj, index) =>
          runOn(at, obj, { ...aboutOf(index), patient: index > 0 }),
        ),
      );
    },
    async showEach(at, texts) {
      if (!hasHooks(at)) return;
      const show = (text: string, index: number) => {
        const about = { documents: [text], patient: index > 0 };
        return hooks.run({ ...at, ...about, ...bounds, context }, text);
      };
      await timed(() => mapSideBySide(texts, AT_ONCE, show));
    },
    async replace(at, text, fault) {
      if (!hasHooks(at)) return undefined;
      return timed(() => hooks.run({ ...at, ...bounds, context, use: { room, fault } }, text));
    },
    [Symbol.dispose]() {
      isEnded = true;
      room.close();
    },
  };
}
