// Reads what a hook returned: weighed before it is parsed, and without holding the event loop.
import type { HookEvent } from '../collections/hook-events.ts';
import type { HookTask, ResultUse } from '../collections/hooks.ts';
import { jsonWeight } from '../lib/body-weight.ts';
import type { Json } from '../lib/json.ts';
import { checkJson } from '../lib/json-check.ts';
import { scanInSlices } from '../lib/json-scan.ts';
import { createSemaphore } from '../lib/semaphore.ts';
import { nextTurn } from '../lib/slices.ts';
import { refusalOf, refusedBy } from './hook-failure.ts';

/** Values of what a hook makes of a read: enough for a page of a thousand documents. */
const MAX_READ_VALUES = 250_000;
/** Up to here a result is parsed and checked in one go. */
const SHORT_TEXT = 16 * 1024;

/** Resolves with the result of the hook named `hook`, held against what may be stored and what the task takes. */
export type ReadResult = (text: string, hook: string, task: HookTask, use: ResultUse) => Promise<Json>;

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const isOfRead = (event: HookEvent) => event === 'beforeGet' || event === 'afterGet';

/** Makes the reader. `jsonValues`: values of one document (`limits.jsonValues`). It throws what the client is to be told. */
export function createReadResult({ jsonValues }: { readonly jsonValues: number }): ReadResult {
  const inTurn = createSemaphore(1);

  const take = (bytes: number, hook: string, { index }: HookTask, { room }: ResultUse) => {
    const full = room.take(bytes);
    if (full === 'request') throw refusedBy(hook, 'returned more than one request has room for', { index });
    if (full === 'server') {
      throw refusalOf('ENDPOINT_BUSY', `Hooks have returned too much at once, \`${hook}\` among them`);
    }
  };

  const read: ReadResult = async (text, hook, task, use) => {
    const { event, index } = task;
    const isLong = text.length > SHORT_TEXT;
    const most = isOfRead(event) ? MAX_READ_VALUES : jsonValues;
    const shape = await scanInSlices(Buffer.from(text));
    if (shape.values > most) {
      throw refusedBy(hook, `returned more than ${most} values`, { index });
    }
    take(jsonWeight(shape), hook, task, use);
    if (isLong) await nextTurn();
    const result = parse(text);
    if (result === undefined) throw refusedBy(hook, 'returned what cannot be read', { index });
    if (isLong) await nextTurn();
    const unfit = checkJson(result);
    if (unfit !== undefined) {
      throw refusedBy(hook, `returned an object whose \`${unfit.path}\` ${unfit.message}`, { index });
    }
    if (isLong) await nextTurn();
    const wrong = use.fault(result);
    if (wrong !== undefined) throw refusedBy(hook, wrong, { index });
    return result;
  };

  return async (text, hook, task, use) => {
    // Also while it waits its turn it is in memory.
    take(text.length, hook, task, use);
    // Several long ones at once would be parsed in one go of the event loop.
    return text.length > SHORT_TEXT ? inTurn(() => read(text, hook, task, use)) : read(text, hook, task, use);
  };
}
