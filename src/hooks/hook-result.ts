// Reads what a hook returned: weighed before it is parsed.

import type { HookTask, ResultHandling } from '../collections/hooks/document-hooks.ts';
import type { HookEvent } from '../collections/model/hook-events.ts';
import { estimateJsonHeapBytes } from '../lib/json/heap-estimate.ts';
import type { Json } from '../lib/json/json.ts';
import { createUntrustedJsonParser } from '../lib/json/untrusted-json.ts';
import { hookError, sandboxError } from './hook-errors.ts';

/** Values of what a hook makes of a read: enough for a page of a thousand documents. */
const MAX_READ_VALUES = 250_000;

/** Resolves with the result of the hook named `hook`, held against what may be stored and what the task takes. */
export type ParseHookResult = (
  text: string,
  hook: string,
  task: HookTask,
  use: ResultHandling,
) => Promise<Json>;

const isReadEvent = (event: HookEvent) => event === 'beforeGet' || event === 'afterGet';

/** Makes the reader. `jsonValues`: values of one document (`limits.jsonValues`). It throws what the client is to be told. */
export function createHookResultParser({ jsonValues }: { readonly jsonValues: number }): ParseHookResult {
  const read = createUntrustedJsonParser();

  const take = (bytes: number, hook: string, { index }: HookTask, { room }: ResultHandling) => {
    const full = room.take(bytes);
    if (full === 'request') throw hookError(hook, 'returned more than one request has room for', { index });
    if (full === 'server') {
      throw sandboxError('ENDPOINT_BUSY', `Hooks have returned too much at once, \`${hook}\` among them`);
    }
  };

  return async (text, hook, task, use) => {
    const { event, index } = task;
    const most = isReadEvent(event) ? MAX_READ_VALUES : jsonValues;
    const refused = (why: string) => hookError(hook, why, { index });
    // Also while it waits for its turn it is in memory.
    take(text.length, hook, task, use);
    const { value, issue: fault } = await read(text, (shape) => {
      if (shape.values > most) throw refused(`returned more than ${most} values`);
      take(estimateJsonHeapBytes(shape), hook, task, use);
    });
    if (value === undefined) throw refused('returned what cannot be read');
    if (fault !== undefined) throw refused(`returned an object whose \`${fault.path}\` ${fault.message}`);
    const wrong = use.fault(value);
    if (wrong !== undefined) throw refused(wrong);
    return value;
  };
}
