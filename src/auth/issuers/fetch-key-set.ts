// Fetches the keys that an issuer publishes: one GET, no redirects, limits of time and size.
import { createDestinationResolver, createNameResolver } from '../../lib/egress/destination.ts';
import {
  readResponseBody,
  rejectOnAbort,
  sendRequest,
  withFetchTimeout,
} from '../../lib/egress/http-request.ts';

/** For the whole fetch, the look-up of the name included. */
const MAX_FETCH_MS = 2000;
/** A key has about 500 bytes, with a certificate some 3,000. */
const MAX_KEY_SET_BYTES = 262_144;

const HEADERS = [
  ['accept', 'application/jwk-set+json, application/json'],
  ['user-agent', 'Cloister'],
] as const;

/** Every address is open: the operator names the host, and an issuer in a private network is an ordinary one. */
const resolveDestination = createDestinationResolver(createNameResolver(), () => true);

/** The answer of an issuer is not the one with its keys. */
export class KeySetError extends Error {
  override name = 'KeySetError';
}

/**
 * Gives the text of the answer. Rejects with a KeySetError for any status but 200, a redirect included: only the operator says
 * whose keys are trusted; otherwise with what failed underneath. `aborted` ends the fetch.
 */
export function fetchKeySet(url: URL, aborted: AbortSignal): Promise<string> {
  return withFetchTimeout({ timeoutMs: MAX_FETCH_MS, aborted }, async (signal) => {
    const addresses = await rejectOnAbort(resolveDestination(url), signal);
    const request = { url, method: 'GET', headers: HEADERS, body: undefined };
    const response = await sendRequest(request, { addresses, signal, headersMs: MAX_FETCH_MS });
    if (response.statusCode !== 200) {
      response.destroy();
      throw new KeySetError(`the answer has status ${response.statusCode}`);
    }
    return (await readResponseBody(response, MAX_KEY_SET_BYTES)).toString('utf8');
  });
}
