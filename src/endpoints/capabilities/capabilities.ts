// What posted code may ask of the server, beyond answering its request: the grants of its policy, and nothing else.
import type { AppError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { createJsonTexts } from '../../lib/json-texts.ts';
import type { HostAnswer, HostCall } from '../sandbox.ts';
import { readArguments } from './call-arguments.ts';
import type { FetchCall } from './fetch/fetch-call.ts';
import { createModelCalls, type ModelDeps } from './model-calls.ts';
import type { Run } from './model-scope.ts';
import { failedAnswer, Refusal } from './refusal.ts';

interface CapabilityDeps extends ModelDeps {
  readonly fetch: FetchCall;
  /** Whatever was thrown, as an error that a client may see. */
  readonly toAppError: (error: unknown) => AppError;
  readonly log: ModelDeps['log'] & { error(fields: object, message: string): void };
}

export interface Capabilities {
  /**
   * The host calls of one run of a module. The function that it makes never rejects; every answer is fit for the guest.
   */
  forRequest(run: Run): (call: HostCall, signal: AbortSignal) => Promise<HostAnswer>;
}

/** Makes the capabilities of all modules: `Model` and `fetch`. Each call is held against the policy of its module. */
export function createCapabilities(deps: CapabilityDeps): Capabilities {
  const { fetch, toAppError, log } = deps;
  const models = createModelCalls(deps);
  const read = createJsonTexts();

  const perform = (name: string, args: JsonObject, run: Run, signal: AbortSignal): Promise<string> => {
    if (name === 'fetch') return fetch(args, run, signal);
    const model = models.get(name);
    if (model === undefined) throw new Refusal('BAD_ARGUMENTS', 'There is no such call');
    return model(args, { ...run, signal });
  };

  const failed = (error: unknown, name: string, { unit, requestId }: Run): HostAnswer => {
    if (error instanceof Refusal) return failedAnswer(error);
    const known = toAppError(error);
    if (known.status === 500) {
      log.error({ requestId, unit: unit.id, call: name.slice(0, 50), err: error }, 'host call failed');
    }
    return failedAnswer(known);
  };

  return {
    forRequest: (run) => async (call, signal) => {
      try {
        if (signal.aborted) throw new Refusal('ABORTED', 'The request is over');
        return {
          ok: true,
          text: await perform(call.name, await readArguments(call.args, read), run, signal),
        };
      } catch (error) {
        return failed(error, call.name, run);
      }
    },
  };
}
