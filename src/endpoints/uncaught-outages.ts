// What an endpoint answers whose code did not catch the error of a call that failed because the database is away or overloaded: that
// is no fault of the code, and the client should repeat the request.
import { AppError } from '../errors/errors.ts';
import { isJsonObject } from '../lib/json/json.ts';
import type { InvocationRequest, InvocationResult } from '../sandbox-supervisor/model/sandbox.ts';

type Perform = InvocationRequest['performGuestCall'];

const CODES = ['STORE_UNAVAILABLE', 'QUERY_TIMEOUT', 'STORE_BUSY'] as const;

interface OutageWatch {
  readonly perform: Perform;
  /** The error for the client where the code ended with that of such a call; undefined otherwise. */
  errorOf(result: InvocationResult): AppError | undefined;
}

/** Watches the guest calls of one request. */
export function watchOutages(perform: Perform): OutageWatch {
  let seen: { readonly code: (typeof CODES)[number]; readonly message: string } | undefined;
  const note = (text: string) => {
    const error: unknown = JSON.parse(text);
    if (!isJsonObject(error)) return;
    const code = CODES.find((known) => known === error['code']);
    if (code !== undefined) seen = { code, message: String(error['message']) };
  };
  return {
    async perform(call, signal) {
      const result = await perform(call, signal);
      if (!result.ok) note(result.text);
      return result;
    },
    errorOf(result) {
      const isUncaught = result.kind === 'failure' && result.code === 'ENDPOINT_ERROR';
      if (!isUncaught || seen === undefined || !result.message.includes(seen.message)) return undefined;
      return new AppError(seen.code);
    },
  };
}
