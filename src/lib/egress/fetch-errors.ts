// Why a fetch came to nothing. The guest hears only that it was refused or that it failed; the reason is for the logs.

export type FetchRefusedReason =
  | 'url'
  | 'grant'
  | 'address'
  | 'header'
  | 'method'
  | 'secret'
  | 'redirects'
  | 'concurrency'
  | 'rate';

export type FetchFailedReason = 'name' | 'connection' | 'timeout' | 'too-large' | 'encoding' | 'broken';

/** The request is not covered by the policy, or the guard stopped it. */
export class FetchRefusedError extends Error {
  readonly reason: FetchRefusedReason;
  /** The origin that was refused. */
  readonly origin: string;

  constructor(reason: FetchRefusedReason, origin: string) {
    super(`fetch refused: ${reason}`);
    this.name = 'FetchRefused';
    this.reason = reason;
    this.origin = origin;
  }
}

/** The request was allowed, and did not bring an answer. */
export class FetchFailedError extends Error {
  readonly reason: FetchFailedReason;

  constructor(reason: FetchFailedReason, cause?: unknown) {
    super(`fetch failed: ${reason}`, { cause });
    this.name = 'FetchFailed';
    this.reason = reason;
  }
}
