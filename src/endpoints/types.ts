// Types of endpoint calls, as HTTP uses them. `call.ts` implements them.
import type { Client } from '../auth/clients/client.ts';
import type { EndpointMatch, LiveModule } from '../modules/model/types.ts';
import type { ModuleVersion } from '../sandbox-supervisor/model/module-version.ts';

/** A request as HTTP hands it over, its body already read and checked against the limits. */
export interface EndpointRequest {
  /** Upper case. */
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: { readonly type: 'none' | 'json' | 'form' | 'text'; readonly text: string };
  readonly client: Client | null;
  readonly ip: string;
  readonly requestId: string;
}

/** The response to send, every header checked. */
export interface EndpointResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | Buffer;
}

/** What is known of a request before its body is read. */
export interface EndpointCaller {
  /** Upper case. */
  readonly method: string;
  /** Path without the query, for the realm of a `WWW-Authenticate` header. */
  readonly path: string;
  readonly client: Client | null;
}

/** A call that was accepted: the module version that runs, whatever is posted while the body is read. */
export interface EndpointCall {
  readonly endpoint: LiveModule;
  readonly moduleVersion: ModuleVersion;
  readonly params: EndpointMatch['params'];
}

export interface EndpointCalls {
  /**
   * Accepts a call before its body is read. Throws NO_TOKEN or NOT_PERMITTED, StoreError `unavailable` until the server is
   * ready, SANDBOX_DISABLED, ENDPOINT_SUSPENDED, METHOD_NOT_ALLOWED.
   */
  accept(match: EndpointMatch, caller: EndpointCaller, isReady: boolean): EndpointCall;
  /** Runs an accepted call. Rejects with an AppError: `ENDPOINT_…`, or NOT_FOUND after `next()`. */
  run(call: EndpointCall, request: EndpointRequest): Promise<EndpointResponse>;
}
