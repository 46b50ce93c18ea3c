// Hooks of collections, run in the sandbox: before-hooks while the client waits, after-hooks behind the answer.
import { setTimeout } from 'node:timers/promises';
import type { AfterHookEvent, DocumentHooks, HookTask } from '../collections/hooks/document-hooks.ts';
import { AppError } from '../errors.ts';
import type { Json } from '../lib/json/json.ts';
import { createBackgroundQueue } from './background-queue.ts';
import { createHookResultParser } from './hook-result.ts';
import { createResultQuotas, HOOK_RESULT_LIMITS } from './result-quota.ts';
import { createRunHook, type RunHookDeps } from './run-hook.ts';

/** Milliseconds that the after-hooks of one document may take together. */
const AFTER_HOOKS_TIMEOUT_MS = 30_000;

interface HooksDeps extends Omit<RunHookDeps, 'pause'> {
  readonly limits: { readonly jsonValues: number };
  readonly log: {
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

export interface Hooks extends DocumentHooks {
  /** Forgets after-hooks that have not begun, and resolves when the others have ended. */
  close(): Promise<void>;
}

/** Makes the hooks of all collections. Which module a name means is looked up at each use. */
export function createHooks(deps: HooksDeps): Hooks {
  const { log, now, limits } = deps;
  const runHook = createRunHook({ ...deps, pause: (ms) => setTimeout(ms) });
  const readResult = createHookResultParser(limits);
  const behind = createBackgroundQueue();

  const runAll = async (task: HookTask, obj: string): Promise<Json | undefined> => {
    let text = obj;
    let last: string | undefined;
    for (const use of task.collection.settings.hooks?.[task.event] ?? []) {
      const returned = await runHook(use, task, text);
      if (returned === undefined) continue;
      text = returned;
      last = use.name;
    }
    if (last === undefined || task.use === undefined) return undefined;
    return readResult(text, last, task, task.use);
  };

  const runOne = async ({ event, collection, text }: AfterHookEvent, context: HookTask['context']) => {
    const until = now() + AFTER_HOOKS_TIMEOUT_MS;
    const about = { documents: [text], patient: true };
    const task = { event, collection, context, ...about, until };
    try {
      await runAll(task, text);
    } catch (error) {
      const where = { requestId: context.origin?.requestId, event, path: collection.path };
      const known = error instanceof AppError;
      if (known) log.warn({ ...where, problems: error.items }, 'an after-hook failed');
      else log.error({ ...where, err: error }, 'an after-hook failed');
    }
  };

  return {
    run: runAll,
    openRoom: createResultQuotas(HOOK_RESULT_LIMITS),
    runBehind(happenings, context) {
      let dropped = 0;
      for (const happening of happenings) {
        const size = happening.text.length;
        if (!behind.add({ size, run: () => runOne(happening, context) })) dropped += 1;
      }
      if (dropped === 0) return;
      const about = { requestId: context.origin?.requestId, path: happenings[0]?.collection.path, dropped };
      log.warn(about, 'after-hooks were left out: too many are waiting');
    },
    close: () => behind.close(),
  };
}
