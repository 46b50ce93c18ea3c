// Hooks of collections: before-hooks run while the client waits, after-hooks in a background queue.
import { setTimeout } from 'node:timers/promises';
import type { AfterHookEvent, DocumentHooks, HookTask } from '../collections/hooks/document-hooks.ts';
import { AppError } from '../errors/errors.ts';
import type { Json } from '../lib/json/json.ts';
import type { Log } from '../lib/logger.ts';
import { createBackgroundQueue } from './background-queue.ts';
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
  const runAfter = async ({ event, collection, text }: AfterHookEvent, context: HookTask['context']) => {
    const until = now() + AFTER_HOOKS_TIMEOUT_MS;
    try {
      await run({ event, collection, context, documents: [text], waitIfBusy: true, until }, text);
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
      for (const event of events) {
        const isQueued = afterHooks.add({ size: event.text.length, run: () => runAfter(event, context) });
        if (!isQueued) dropped += 1;
      }
      if (dropped === 0) return;
      const fields = { requestId: context.origin?.requestId, path: events[0]?.collection.path, dropped };
      log.warn(fields, 'after-hooks dropped: the queue is full');
    },
    close: () => afterHooks.close(),
  };
}
