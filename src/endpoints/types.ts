// What HTTP asks of a custom endpoint. Types only; `call.ts` does it.
import type { Client } from '../auth/clients/client.ts';
import type { AppError } from '../errors.ts';
import type { EndpointMatch, LiveModule } from '../modules/model/types.ts';

/** A request as HTTP hands it over, its body already read and held against the limits. */
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

/** What goes to the socket, every header checked. */
export interface EndpointResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | Buffer;
}

export interface EndpointCalls {
  /** What refuses a request whatever its body: sandbox switched off, endpoint suspended, no handler for the method. */
  findError(endpoint: LiveModule, method: string): AppError | undefined;
  /** Rejects with an AppError: the refusal, `ENDPOINT_…`, `NOT_FOUND` (after `next()`). */
  call(match: EndpointMatch, request: EndpointRequest): Promise<EndpointResponse>;
}
