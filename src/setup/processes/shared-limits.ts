// The part of the composition root for limits that all processes on a database share: counted together where they share a cache in
// Redis, else divided.
import { createFailureCounts, type FailureCounts } from '../../auth/login.ts';
import type { Config } from '../../config/schema.ts';
import type { CacheReach } from '../../deployment/cache-reach.ts';
import type { CountCall } from '../../deployment/coordination.ts';
import { createSharedAttempts } from '../../deployment/limits/shared-attempts.ts';
import { createDividedCalls, createSharedCalls } from '../../deployment/limits/shared-calls.ts';
import type { SharedCounts } from '../../stores/ports.ts';

/** Limits on logins and on calls, for all processes together. */
export interface SharedLimits {
  readonly countCall: CountCall;
  readonly failures: FailureCounts;
}

interface SharedLimitsDeps {
  /** The part of a limit that this process may use up where limits are divided. */
  readonly shareOf: (limit: number) => number;
  /** Undefined where the processes share no cache that counts. */
  readonly shared:
    | { readonly counts: SharedCounts; readonly reach: Pick<CacheReach, 'isAway' | 'leave'> }
    | undefined;
  /** Milliseconds of a steady clock. */
  readonly clock: () => number;
}

/** Creates the limits. Nothing is asked before something is counted. */
export function createSharedLimits(
  { auth: { rateLimit } }: Pick<Config, 'auth'>,
  { shareOf, shared, clock }: SharedLimitsDeps,
): SharedLimits {
  if (shared === undefined) {
    const countCall = createDividedCalls({ shareOf, clock });
    return { countCall, failures: createFailureCounts(rateLimit, shareOf) };
  }
  const deps = { ...shared, shareOf, clock };
  const { perClient, perAddress, windowSeconds } = rateLimit;
  const begin = createSharedAttempts({ ...deps, windowMs: windowSeconds * 1000 });
  const countCall = createSharedCalls(deps);
  return {
    countCall: (moduleId, perMinute) => countCall(`calls ${moduleId}`, perMinute),
    failures: {
      begin: ({ client, address }) =>
        begin([
          { key: `failures of a client ${client}`, limit: perClient },
          { key: `failures of an address ${address}`, limit: perAddress },
        ]),
    },
  };
}
