// Hooks that are plain functions, for tests of what the documents make of them.
import type { AfterHookEvent, DocumentHooks, HookTask } from '../../src/collections/hooks/document-hooks.ts';
import { AppError } from '../../src/errors/errors.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';

/** Gets the object as parsed; what it returns is the result, undefined for nothing. */
type Hook = (obj: JsonObject, task: HookTask) => Json | undefined | Promise<Json | undefined>;

export interface FakeHooks extends DocumentHooks {
  /** `event name` of each run, in order. */
  readonly ran: readonly string[];
  /** What the after-hooks heard of. */
  readonly happened: readonly AfterHookEvent[];
}

export function createFakeHooks(hooks: Readonly<Record<string, Hook>>): FakeHooks {
  const ran: string[] = [];
  const happened: AfterHookEvent[] = [];
  return {
    ran,
    happened,
    async run(task, obj) {
      let last: Json | undefined;
      for (const { name } of task.collection.settings.hooks?.[task.event] ?? []) {
        ran.push(`${task.event} ${name}`);
        const result = await hooks[name]?.((last ?? JSON.parse(obj)) as JsonObject, task);
        if (result === null) throw new AppError('HOOK_FAILED', { items: [{ message: name }] });
        last = result ?? last;
      }
      const wrong = last === undefined ? undefined : task.resultHandling?.validate(last);
      if (wrong !== undefined) throw new AppError('HOOK_FAILED', { items: [{ message: wrong }] });
      return last;
    },
    runAfterHooks: (happenings) => void happened.push(...happenings),
    openResultQuota: () => ({ reserve: () => undefined, close: () => undefined }),
  };
}
