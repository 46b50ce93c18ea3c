// Hooks of collections, run in the sandbox: before-hooks while the client waits, after-hooks behind the answer.
import { setTimeout } from 'node:timers/promises';
import type { DocumentHooks, Happening, HookTask } from '../collections/hooks.ts';
import { AppError } from '../errors.ts';
import type { Json } from '../lib/json.ts';
import { checkJson } from '../lib/json-check.ts';
import { scanJson } from '../lib/json-scan.ts';
import { nextTurn } from '../lib/slices.ts';
import { createBehind } from './behind.ts';
import { refusedBy } from './hook-failure.ts';
import { createRunHook, type RunDeps, type RunHook } from './run-hook.ts';

/** Milliseconds that the after-hooks of one document may take together. */
const BEHIND_MS = 30_000;

interface HooksDeps extends Omit<RunDeps, 'pause'> {
  readonly log: {
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

export interface Hooks extends DocumentHooks {
  /** Forgets after-hooks that have not begun, and resolves when the others have ended. */
  close(): Promise<void>;
}

/** Enough for a page of a thousand documents. Bounds the time for which parsing blocks the event loop. */
const MAX_VALUES = 250_000;
/** Up to here a result is parsed and checked in one go. */
const SHORT_TEXT = 16 * 1024;

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The result of the last hook that returned one, held against what may be stored and what the task takes. */
async function accepted(text: string, hook: string, { fault, index }: HookTask): Promise<Json> {
  if (scanJson(Buffer.from(text)).values > MAX_VALUES) {
    throw refusedBy(hook, `returned more than ${MAX_VALUES} values`, { index });
  }
  const result = parse(text);
  if (result === undefined) throw refusedBy(hook, 'returned what cannot be read', { index });
  if (text.length > SHORT_TEXT) await nextTurn();
  const unfit = checkJson(result);
  if (unfit !== undefined) {
    throw refusedBy(hook, `returned an object whose \`${unfit.path}\` ${unfit.message}`, { index });
  }
  const wrong = fault(result);
  if (wrong !== undefined) throw refusedBy(hook, wrong, { index });
  return result;
}

async function runAll(runHook: RunHook, task: HookTask, obj: string): Promise<Json | undefined> {
  let text = obj;
  let last: string | undefined;
  for (const use of task.collection.settings.hooks?.[task.event] ?? []) {
    const returned = await runHook(use, task, text);
    if (returned === undefined) continue;
    text = returned;
    last = use.name;
  }
  return last === undefined ? undefined : accepted(text, last, task);
}

/** Makes the hooks of all collections. Which module a name means is looked up at each use. */
export function createHooks(deps: HooksDeps): Hooks {
  const { log, now } = deps;
  const runHook = createRunHook({ ...deps, pause: (ms) => setTimeout(ms) });
  const behind = createBehind();

  const runOne = async ({ event, collection, text }: Happening, context: HookTask['context']) => {
    const until = now() + BEHIND_MS;
    const about = { documents: [text], patient: true };
    const task = { event, collection, context, ...about, until, fault: () => undefined };
    try {
      await runAll(runHook, task, text);
    } catch (error) {
      const where = { requestId: context.origin?.requestId, event, path: collection.path };
      const known = error instanceof AppError;
      if (known) log.warn({ ...where, problems: error.items }, 'an after-hook failed');
      else log.error({ ...where, err: error }, 'an after-hook failed');
    }
  };

  return {
    run: (task, obj) => runAll(runHook, task, obj),
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
