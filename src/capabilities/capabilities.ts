// What posted code may ask of the server, beyond answering its request: the grants of its policy, and nothing else.

import type { AppError } from '../errors.ts';
import type { JsonObject } from '../lib/json/json.ts';
import { createUntrustedJsonParser } from '../lib/json/untrusted-json.ts';
import type { HostCall, HostCallResult } from '../sandbox-supervisor/sandbox.ts';
import { parseArguments } from './call-arguments.ts';
import type { FetchCall } from './fetch/fetch-call.ts';
import { HostCallError, hostCallErrorResult } from './host-call-error.ts';
import { createModelCalls, type ModelCallsDeps } from './model-calls.ts';
import type { InvocationContext } from './model-scope.ts';

interface CapabilitiesDeps extends ModelCallsDeps {
  readonly fetch: FetchCall;
  /** Whatever was thrown, as an error that a client may see. */
  readonly toAppError: (error: unknown) => AppError;
  readonly log: { error(fields: object, message: string): void };
}

export interface Capabilities {
  /**
   * The host calls of one run of a module. The function that it makes never rejects; every answer is fit for the guest.
   */
  forRequest(run: InvocationContext): (call: HostCall, signal: AbortSignal) => Promise<HostCallResult>;
}

/** Makes the capabilities of all modules: `Model` and `fetch`. Each call is held against the policy of its module. */
export function createCapabilities(deps: CapabilitiesDeps): Capabilities {
  const { fetch, toAppError, log } = deps;
  const models = createModelCalls(deps);
  const read = createUntrustedJsonParser();

  const perform = (
    name: string,
    args: JsonObject,
    run: InvocationContext,
    signal: AbortSignal,
  ): Promise<string> => {
    if (name === 'fetch') return fetch(args, run, signal);
    const model = models.get(name);
    if (model === undefined) throw new HostCallError('BAD_ARGUMENTS', 'There is no such call');
    return model(args, { ...run, signal });
  };

  const failed = (error: unknown, name: string, { unit, requestId }: InvocationContext): HostCallResult => {
    if (error instanceof HostCallError) return hostCallErrorResult(error);
    const known = toAppError(error);
    if (known.status === 500) {
      log.error({ requestId, unit: unit.id, call: name.slice(0, 50), err: error }, 'host call failed');
    }
    return hostCallErrorResult(known);
  };

  return {
    forRequest: (run) => async (call, signal) => {
      try {
        if (signal.aborted) throw new HostCallError('ABORTED', 'The request is over');
        return {
          ok: true,
          text: await perform(call.name, await parseArguments(call.args, read), run, signal),
        };
      } catch (error) {
        return failed(error, call.name, run);
      }
    },
  };
}
