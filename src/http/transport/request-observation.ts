// What is told of each request of a connection once it is over: its method, its route, how it was answered and how long that took.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnsweredRequest } from '../../metrics/request-counts.ts';

/** What counts as the status of a request whose client has gone before it was answered. */
const CLIENT_GONE = 499;

export interface RequestObservationOptions {
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  /** Called once for each request, when its response is closed. */
  readonly onAnswered: (request: AnsweredRequest) => void;
}

/** The requests of one connection, one after the other. */
export class RequestObservation {
  readonly #options: RequestObservationOptions;
  #beganAt = 0;
  #method: string | undefined;
  #route: string | undefined;
  #rejectedWith: number | undefined;

  constructor(options: RequestObservationOptions) {
    this.#options = options;
  }

  /** The request is handed to its handler. */
  begin({ method }: IncomingMessage): void {
    this.#beganAt = this.#options.now();
    // Routing may replace that of the request.
    this.#method = method;
    this.#route = undefined;
    this.#rejectedWith = undefined;
  }

  /** The request has found a route of this pattern. */
  routeTo(pattern: string | undefined): void {
    this.#route = pattern;
  }

  /** The connection ends with this status: in place of an answer to the request, or where there is none. */
  reject(status: number, hasRequest: boolean): void {
    if (hasRequest) this.#rejectedWith = status;
    else this.#options.onAnswered({ status, ms: 0 });
  }

  /** The response is closed. */
  end({ headersSent, statusCode }: ServerResponse): void {
    const { onAnswered, now } = this.#options;
    const status = this.#rejectedWith ?? (headersSent ? statusCode : CLIENT_GONE);
    onAnswered({ method: this.#method, route: this.#route, status, ms: now() - this.#beganAt });
  }
}
