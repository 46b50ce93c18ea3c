// Hooks of collections: before-hooks run while the client waits, after-hooks in a background queue: started in order, at most four
// at a time, with a limit on what waits.
import { setTimeout } from 'node:timers/promises';
import type { AfterHookEvent, DocumentHooks, HookTask } from '../collections/hooks/document-hooks.ts';
import { AppError } from '../errors/errors.ts';
import type { Json } from '../lib/json/json.ts';
import type { Log } from '../lib/logger.ts';
import { createHookResultParser, createResultQuotas, HOOK_RESULT_LIMITS } from './hook-result.ts';
import { createRunHook, type RunHookDeps } from './run-hook.ts';

/** Milliseconds that the after-hooks of one document may take together. */
const AFTER_HOOKS_TIMEOUT_MS = 30_000;

interface HooksDeps extends Omit<RunHookDeps, 'pause'> {
  readonly limits: { readonly jsonValues: number };
  readonly log: Pick<Log, 'warn' | 'error'>;
}

export interface Hooks extends DocumentHooks {
  /** Drops after-hooks that have not begun, and resolves when the others have ended. */
  close(): Promise<void>;
}

/** Creates the hooks of all collections. The module of a name is looked up at each use. */
export function createHooks(deps: HooksDeps): Hooks {
  const { log, now, limits } = deps;
  const runHook = createRunHook({ ...deps, pause: (ms) => setTimeout(ms) });
  const parseResult = createHookResultParser(limits);
  const afterHooks = createBackgroundQueue();

  /** Runs the hooks of an event one after the other, each on what the one before it returned. */
  const run = async (task: HookTask, object: string): Promise<Json | undefined> => {
    let text = object;
    let last: string | undefined;
    for (const use of task.collection.settings.hooks?.[task.event] ?? []) {
      const returned = await runHook(use, task, text);
      if (returned === undefined) continue;
      text = returned;
      last = use.name;
    }
    if (last === undefined || task.resultHandling === undefined) return undefined;
    return parseResult(text, last, task, task.resultHandling);
  };

  /** Runs the after-hooks of one document. Errors are logged. */
  const runAfter = async (
    { event, collection, text, previousText }: AfterHookEvent,
    context: HookTask['context'],
  ) => {
    const until = now() + AFTER_HOOKS_TIMEOUT_MS;
    const previous = previousText === undefined ? {} : { previousDocuments: [previousText] };
    try {
      const task = { event, collection, context, documents: [text], ...previous, waitIfBusy: true, until };
      await run(task, text);
    } catch (error) {
      const fields = { requestId: context.origin?.requestId, event, path: collection.path };
      if (error instanceof AppError) log.warn({ ...fields, problems: error.items }, 'after-hook failed');
      else log.error({ ...fields, err: error }, 'after-hook failed');
    }
  };

  return {
    run,
    openResultQuota: createResultQuotas(HOOK_RESULT_LIMITS),
    runAfterHooks(events, context) {
      let dropped = 0;
      // All of them keep the body of their request.
      let shared = context.origin?.http?.body?.length ?? 0;
      for (const event of events) {
        const size = shared + event.text.length + (event.previousText?.length ?? 0);
        shared = 0;
        const isQueued = afterHooks.add({ size, run: () => runAfter(event, context) });
        if (!isQueued) dropped += 1;
      }
      if (dropped === 0) return;
      const fields = { requestId: context.origin?.requestId, path: events[0]?.collection.path, dropped };
      log.warn(fields, 'after-hooks dropped: the queue is full');
    },
    close: () => afterHooks.close(),
  };
}

/** Tasks that run at the same time. */
const MAX_CONCURRENT = 4;
/** Tasks that may wait, and characters that they may hold in memory. */
const MAX_WAITING = 10_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;

interface BackgroundTask {
  /** Characters that it holds in memory. */
  readonly size: number;
  /** Never rejects. */
  run(): Promise<void>;
}

export interface BackgroundQueue {
  /** Returns false where the task will not run: the queue is full or closed. */
  add(task: BackgroundTask): boolean;
  /** Drops waiting tasks, and resolves when the running ones have ended. */
  close(): Promise<void>;
}

/** Creates the queue. Running tasks are never interrupted. */
export function createBackgroundQueue(): BackgroundQueue {
  let waiting: BackgroundTask[] = [];
  let next = 0;
  let characters = 0;
  let closed = false;
  const running = new Set<Promise<void>>();

  const shift = (): BackgroundTask | undefined => {
    const task = waiting[next];
    if (task === undefined) {
      waiting = [];
      next = 0;
      return undefined;
    }
    next += 1;
    characters -= task.size;
    return task;
  };
  const start = () => {
    while (running.size < MAX_CONCURRENT) {
      const task = shift();
      if (task === undefined) return;
      const run = task.run().finally(() => {
        running.delete(run);
        start();
      });
      running.add(run);
    }
  };

  return {
    add(task) {
      const isFull = waiting.length - next >= MAX_WAITING || characters + task.size > MAX_CHARACTERS;
      if (closed || isFull) return false;
      waiting.push(task);
      characters += task.size;
      start();
      return true;
    },
    async close() {
      closed = true;
      waiting = [];
      next = 0;
      await Promise.all(running);
    },
  };
}
