// The sandbox of a server whose custom code is switched off: it starts nothing.
import { AppError } from '../errors/errors.ts';
import { failedResult } from './invocation.ts';
import type { Sandbox } from './model/sandbox.ts';

const MESSAGE = 'Custom code is switched off';

/** Creates a sandbox that rejects every invocation and inspection with SANDBOX_DISABLED. */
export function createDisabledSandbox(): Sandbox {
  const selfTest = { state: 'not-run', items: [] } as const;
  const hosts = { running: 0, busy: 0, spare: 0, max: 0 };
  return {
    attach: () => undefined,
    invoke: async () => failedResult('SANDBOX_DISABLED', MESSAGE),
    inspect: async () => {
      throw new AppError('SANDBOX_DISABLED', { retryAfter: 2 });
    },
    evict: () => undefined,
    stop: async () => undefined,
    status: () => ({
      level: 0,
      missing: [],
      layers: {},
      selfTest,
      jit: null,
      hosts,
      versions: null,
      processes: [],
      calls: { waiting: 0, running: 0 },
    }),
    selfTest: async () => selfTest,
    close: async () => undefined,
  };
}
