// The result of a hook: its size is checked against the limits of one value, of the request and of the server before it is parsed.
import type { HookTask, ResultHandling, ResultQuota } from '../collections/hooks/document-hooks.ts';
import type { HookEvent } from '../collections/model/collection.ts';
import { AppError } from '../errors/errors.ts';
import { createByteQuota } from '../lib/async/concurrency.ts';
import { estimateJsonHeapBytes } from '../lib/json/heap-estimate.ts';
import { type Json, MAX_JSON_DEPTH } from '../lib/json/json.ts';
import { createUntrustedJsonParser, type JsonShape } from '../lib/json/json-scan.ts';
import { hookError } from './hook-errors.ts';

/** Values of the result of a read hook: enough for a page of a thousand documents. */
const MAX_READ_VALUES = 250_000;

/**
 * Levels of a result around the documents or the filter, which have the depth of those of clients. Composition puts documents
 * into each other: what the server has read, a hook can return.
 */
const ENVELOPE_LEVELS: ReadonlyMap<HookEvent, number> = new Map([
  ['beforeGet', 1],
  ['afterGet', 10 * MAX_JSON_DEPTH],
]);

const MB = 1_048_576;

/** Bytes. */
interface ResultQuotaLimits {
  readonly request: number;
  readonly server: number;
}

/** Memory for the results of hooks: of one request, and of all requests together. */
export const HOOK_RESULT_LIMITS: ResultQuotaLimits = { request: 64 * MB, server: 256 * MB };

/** Parses and checks the result of the hook named `hook`, as documents may be stored and the task allows. */
export type ParseHookResult = (
  text: string,
  hook: string,
  task: HookTask,
  use: ResultHandling,
) => Promise<Json>;

/** Creates the parser. `jsonValues`: values of one document (`limits.jsonValues`). It throws the error for the client. */
export function createHookResultParser({ jsonValues }: { readonly jsonValues: number }): ParseHookResult {
  const parse = createUntrustedJsonParser();

  return async (text, hook, task, use) => {
    const { event, index } = task;
    const maxValues = isReadEvent(event) ? MAX_READ_VALUES : jsonValues;
    const resultError = (why: string) => hookError(hook, why, { index });
    // The text is in memory while it waits to be parsed.
    takeQuota(text.length, hook, task, use);
    const assertShape = (shape: JsonShape) => {
      if (shape.values > maxValues) throw resultError(`returned more than ${maxValues} values`);
      takeQuota(estimateJsonHeapBytes(shape), hook, task, use);
    };
    const { value, issue } = await parse(text, assertShape, ENVELOPE_LEVELS.get(event));
    if (value === undefined) throw resultError('returned what cannot be read');
    if (issue !== undefined) throw resultError(`returned an object whose \`${issue.path}\` ${issue.message}`);
    const reason = use.validate(value);
    if (reason !== undefined) throw resultError(reason);
    return value;
  };
}

const isReadEvent = (event: HookEvent) => event === 'beforeGet' || event === 'afterGet';

function takeQuota(bytes: number, hook: string, { index }: HookTask, { quota }: ResultHandling): void {
  const exceeded = quota.reserve(bytes);
  if (exceeded === 'request') throw hookError(hook, 'returned more than one request has room for', { index });
  if (exceeded === 'server') {
    throw new AppError('ENDPOINT_BUSY', {
      message: `Hooks have returned too much at once, \`${hook}\` among them`,
    });
  }
}

/** Creates the function that opens the quota of one request. */
export function createResultQuotas(limits: ResultQuotaLimits): () => ResultQuota {
  const all = createByteQuota(limits.server);
  return () => {
    let used = 0;
    let isClosed = false;
    return {
      reserve(bytes) {
        // Results that come after their request has failed are useless.
        if (isClosed || used + bytes > limits.request) return 'request';
        if (!all.fits(bytes)) return 'server';
        used += bytes;
        all.add(bytes);
        return undefined;
      },
      close() {
        isClosed = true;
        all.add(-used);
        used = 0;
      },
    };
  };
}
