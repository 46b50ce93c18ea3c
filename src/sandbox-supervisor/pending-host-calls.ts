// The host calls that are being performed for each module, so that all of one module can be ended together.
import type { InvocationRequest } from './sandbox.ts';

export interface PendingHostCalls {
  /** The same job; its calls are kept account of. */
  track(job: InvocationRequest): InvocationRequest;
  /** Aborts the calls of a module. Resolves when all of them have ended, or when `mostMs` are over. */
  abort(unitId: string, mostMs: number): Promise<void>;
}

interface Call {
  readonly controller: AbortController;
  readonly ended: Promise<unknown>;
}

/** Keeps nothing of modules that make no calls. */
export function createPendingHostCalls(): PendingHostCalls {
  const calls = new Map<string, Set<Call>>();

  const add = (unitId: string, call: Call) => {
    const own = calls.get(unitId) ?? new Set();
    calls.set(unitId, own.add(call));
    return () => {
      own.delete(call);
      if (own.size === 0 && calls.get(unitId) === own) calls.delete(unitId);
    };
  };

  return {
    track: (job) => ({
      ...job,
      serve(call, signal) {
        const controller = new AbortController();
        const abort = () => controller.abort();
        if (signal.aborted) abort();
        signal.addEventListener('abort', abort, { once: true });
        const ended = job.serve(call, controller.signal);
        const remove = add(job.unit.id, { controller, ended });
        return ended.finally(() => {
          signal.removeEventListener('abort', abort);
          remove();
        });
      },
    }),
    async abort(unitId, mostMs) {
      const own = [...(calls.get(unitId) ?? [])];
      if (own.length === 0) return;
      for (const { controller } of own) controller.abort();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, mostMs).unref();
      await Promise.race([Promise.allSettled(own.map(({ ended }) => ended)), late]);
      clearTimeout(timer);
    },
  };
}
