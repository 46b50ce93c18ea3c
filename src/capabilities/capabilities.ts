// Guest calls of posted code, `Model`, `fetch` and `bcrypt`: parses the arguments, performs the call under the policy of the module, and
// encodes the result or the error for the guest.
import type { AppError } from '../errors/errors.ts';
import type { JsonObject } from '../lib/json/json.ts';
import { createUntrustedJsonParser } from '../lib/json/json-scan.ts';
import type { GuestCall, GuestCallResult } from '../sandbox-supervisor/model/sandbox.ts';
import { createBcryptCalls, type PasswordHasher } from './bcrypt-calls.ts';
import type { FetchCall } from './fetch-call.ts';
import { GuestCallError, guestCallErrorResult, parseArguments } from './guest-call.ts';
import { createModelCalls, type ModelCallsDeps } from './model-calls.ts';
import type { InvocationContext } from './model-scope.ts';

interface CapabilitiesDeps extends ModelCallsDeps {
  readonly fetch: FetchCall;
  readonly hasher: PasswordHasher;
  /** Maps anything thrown to an error that a client may see. */
  readonly toAppError: (error: unknown) => AppError;
  readonly log: { error(fields: object, message: string): void };
}

export interface Capabilities {
  /** Performs a guest call of an invocation. Never rejects. */
  perform(call: GuestCall, context: InvocationContext, signal: AbortSignal): Promise<GuestCallResult>;
}

/** Levels around what HTTP would get as the body: the documents of a create are in an object with the collection. */
const ENVELOPE_LEVELS: ReadonlyMap<string, number> = new Map([['model.create', 1]]);

/** Creates the capabilities of all modules. */
export function createCapabilities(deps: CapabilitiesDeps): Capabilities {
  const { fetch, toAppError, log } = deps;
  const models = createModelCalls(deps);
  const bcrypt = createBcryptCalls(deps.hasher);
  const parse = createUntrustedJsonParser();

  const answer = (
    name: string,
    args: JsonObject,
    context: InvocationContext,
    signal: AbortSignal,
  ): Promise<string> => {
    if (name === 'fetch') return fetch(args, context, signal);
    const password = bcrypt.get(name);
    if (password !== undefined) return password(args, context.moduleVersion, signal);
    const model = models.get(name);
    if (model === undefined) throw new GuestCallError('BAD_ARGUMENTS', 'There is no such call');
    return model(args, { ...context, signal });
  };

  const toErrorResult = (
    error: unknown,
    name: string,
    { moduleVersion, requestId }: InvocationContext,
  ): GuestCallResult => {
    if (error instanceof GuestCallError) return guestCallErrorResult(error);
    const appError = toAppError(error);
    if (appError.status === 500) {
      log.error(
        { requestId, module: moduleVersion.id, call: name.slice(0, 50), err: error },
        'host call failed',
      );
    }
    return guestCallErrorResult(appError);
  };

  return {
    async perform(call, context, signal) {
      try {
        if (signal.aborted) throw new GuestCallError('ABORTED', 'The request is over');
        const args = await parseArguments(call.args, parse, ENVELOPE_LEVELS.get(call.name));
        return { ok: true, text: await answer(call.name, args, context, signal) };
      } catch (error) {
        return toErrorResult(error, call.name, context);
      }
    },
  };
}
