// Reads what a hook returned: weighed before it is parsed.
import type { HookEvent } from '../collections/hook-events.ts';
import type { HookTask, ResultUse } from '../collections/hooks.ts';
import { jsonWeight } from '../lib/body-weight.ts';
import type { Json } from '../lib/json.ts';
import { createJsonTexts } from '../lib/json-texts.ts';
import { refusalOf, refusedBy } from './hook-failure.ts';

/** Values of what a hook makes of a read: enough for a page of a thousand documents. */
const MAX_READ_VALUES = 250_000;

/** Resolves with the result of the hook named `hook`, held against what may be stored and what the task takes. */
export type ReadResult = (text: string, hook: string, task: HookTask, use: ResultUse) => Promise<Json>;

const isOfRead = (event: HookEvent) => event === 'beforeGet' || event === 'afterGet';

/** Makes the reader. `jsonValues`: values of one document (`limits.jsonValues`). It throws what the client is to be told. */
export function createReadResult({ jsonValues }: { readonly jsonValues: number }): ReadResult {
  const read = createJsonTexts();

  const take = (bytes: number, hook: string, { index }: HookTask, { room }: ResultUse) => {
    const full = room.take(bytes);
    if (full === 'request') throw refusedBy(hook, 'returned more than one request has room for', { index });
    if (full === 'server') {
      throw refusalOf('ENDPOINT_BUSY', `Hooks have returned too much at once, \`${hook}\` among them`);
    }
  };

  return async (text, hook, task, use) => {
    const { event, index } = task;
    const most = isOfRead(event) ? MAX_READ_VALUES : jsonValues;
    const refused = (why: string) => refusedBy(hook, why, { index });
    // Also while it waits for its turn it is in memory.
    take(text.length, hook, task, use);
    const { value, fault } = await read(text, (shape) => {
      if (shape.values > most) throw refused(`returned more than ${most} values`);
      take(jsonWeight(shape), hook, task, use);
    });
    if (value === undefined) throw refused('returned what cannot be read');
    if (fault !== undefined) throw refused(`returned an object whose \`${fault.path}\` ${fault.message}`);
    const wrong = use.fault(value);
    if (wrong !== undefined) throw refused(wrong);
    return value;
  };
}
