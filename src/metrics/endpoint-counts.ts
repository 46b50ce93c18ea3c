// Calls of custom endpoints by outcome, and their processor time. So many endpoints have a label of their own, all others share one.

import type { EndpointCalls } from '../endpoints/call.ts';
import { AppError, type ErrorCode } from '../errors/errors.ts';
import { Counters, type Series } from './metric.ts';
import { OTHER } from './request-counts.ts';

/** Endpoints that have a label of their own. */
export const MAX_ENDPOINT_LABELS = 1000;

const PREFIX = 'endpoint:';

/** What became of a call, by the code of its error. `NOT_FOUND`: the code ran, and passed the request on. */
const OUTCOMES: Readonly<Partial<Record<ErrorCode, string>>> = {
  NOT_FOUND: 'ok',
  ENDPOINT_TIMEOUT: 'timeout',
  ENDPOINT_MEMORY: 'memory',
  ENDPOINT_CRASHED: 'crashed',
  ENDPOINT_RESPONSE_TOO_LARGE: 'response_too_large',
  ENDPOINT_BUSY: 'busy',
  ENDPOINT_RATE_LIMITED: 'rate_limited',
  ENDPOINT_SUSPENDED: 'suspended',
  SANDBOX_DISABLED: 'disabled',
};
/** What keeps a call from running, and is counted all the same. */
const NOT_ACCEPTED: ReadonlySet<string> = new Set(['ENDPOINT_SUSPENDED', 'SANDBOX_DISABLED']);

const outcomeOf = (error: unknown): string =>
  error instanceof AppError ? (OUTCOMES[error.code] ?? 'error') : 'error';

/** One endpoint, or all that share a label. */
class CallCounts {
  readonly byOutcome = new Counters<string>();
  #cpuSeconds = 0;

  get cpuSeconds(): number {
    return this.#cpuSeconds;
  }

  addCpu(seconds: number): void {
    this.#cpuSeconds += seconds;
  }
}

export class EndpointCounts {
  /** By id of the module. */
  readonly #endpoints = new Map<string, CallCounts>();
  readonly #others = new CallCounts();

  /** The same calls, which are counted from now on. */
  around(calls: EndpointCalls): EndpointCalls {
    return {
      accept: (match, caller, isReady) => {
        try {
          return calls.accept(match, caller, isReady);
        } catch (error) {
          const { address } = match.endpoint;
          if (error instanceof AppError && NOT_ACCEPTED.has(error.code) && address.kind === 'endpoint') {
            this.#countsOf(`${PREFIX}${address.apiVersion}/${address.name}`).byOutcome.add(outcomeOf(error));
          }
          throw error;
        }
      },
      run: (call, request) => {
        const result = calls.run(call, request);
        const counts = this.#countsOf(call.moduleVersion.id);
        result.then(
          () => counts.byOutcome.add('ok'),
          (error: unknown) => counts.byOutcome.add(outcomeOf(error)),
        );
        return result;
      },
    };
  }

  /** Adds processor time of a module; that of hooks is not counted. */
  addCpu(moduleId: string, ms: number): void {
    if (moduleId.startsWith(PREFIX)) this.#countsOf(moduleId).addCpu(ms / 1000);
  }

  /**
   * Gives up the labels of endpoints that are no longer there, once all labels are taken: their numbers vanish, as those of a server
   * that was started again do.
   */
  prune(posted: () => ReadonlySet<string>): void {
    if (this.#endpoints.size < MAX_ENDPOINT_LABELS) return;
    const ids = posted();
    for (const id of this.#endpoints.keys()) if (!ids.has(id)) this.#endpoints.delete(id);
  }

  readCalls(): readonly Series[] {
    return this.#all().flatMap(([endpoint, { byOutcome }]) =>
      byOutcome.read((outcome) => ({ endpoint, outcome })),
    );
  }

  readCpu(): readonly Series[] {
    return this.#all().map(([endpoint, { cpuSeconds }]) => ({
      labels: { endpoint },
      value: cpuSeconds,
    }));
  }

  #all(): readonly (readonly [endpoint: string, counts: CallCounts])[] {
    const own = [...this.#endpoints].map(([id, counts]) => [id.slice(PREFIX.length), counts] as const);
    return this.#others.byOutcome.size === 0 ? own : [...own, [OTHER, this.#others]];
  }

  #countsOf(moduleId: string): CallCounts {
    const known = this.#endpoints.get(moduleId);
    if (known !== undefined) return known;
    if (this.#endpoints.size >= MAX_ENDPOINT_LABELS) return this.#others;
    const counts = new CallCounts();
    this.#endpoints.set(moduleId, counts);
    return counts;
  }
}
