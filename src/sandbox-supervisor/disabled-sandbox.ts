// The sandbox of a server on which custom code is switched off: nothing is started, nothing runs.

import { AppError } from '../errors.ts';
import { failedOutcome } from './invocation.ts';
import type { Sandbox } from './sandbox.ts';

const OFF = 'Custom code is switched off';

/** Refuses every job and every inspection with SANDBOX_DISABLED. */
export function createDisabledSandbox(): Sandbox {
  const selfTest = { state: 'not-run', items: [] } as const;
  const hosts = { running: 0, busy: 0, spare: 0, max: 0 };
  return {
    run: async () => failedOutcome('SANDBOX_DISABLED', OFF),
    inspect: async () => {
      throw new AppError('SANDBOX_DISABLED', { retryAfter: 2 });
    },
    retire: () => undefined,
    stop: async () => undefined,
    status: () => ({ level: 0, walls: {}, selfTest, jit: null, hosts, versions: null }),
    selfTest: async () => selfTest,
    close: async () => undefined,
  };
}
