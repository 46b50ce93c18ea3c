// Why a fetch came to nothing. The guest hears only that it was refused or that it failed; the reason is for the logs.

export type RefusalReason =
  | 'url'
  | 'grant'
  | 'address'
  | 'header'
  | 'method'
  | 'secret'
  | 'redirects'
  | 'concurrency'
  | 'rate';

export type FailureReason = 'name' | 'connection' | 'timeout' | 'too-large' | 'encoding' | 'broken';

/** The request is not covered by the policy, or the guard stopped it. */
export class FetchRefused extends Error {
  readonly reason: RefusalReason;
  /** The origin that was refused. */
  readonly origin: string;

  constructor(reason: RefusalReason, origin: string) {
    super(`fetch refused: ${reason}`);
    this.name = 'FetchRefused';
    this.reason = reason;
    this.origin = origin;
  }
}

/** The request was allowed, and did not bring an answer. */
export class FetchFailed extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, cause?: unknown) {
    super(`fetch failed: ${reason}`, { cause });
    this.name = 'FetchFailed';
    this.reason = reason;
  }
}
