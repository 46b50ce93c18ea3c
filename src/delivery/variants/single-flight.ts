// One piece of work for all who ask for the same at the same time.
import { onceAborted } from '../../lib/async/ownership.ts';

export interface SingleFlight<T> {
  /**
   * Joins the work under way for `key`, or begins it. The signal given to `begin` fires when every caller has gone; one
   * that goes while others wait is rejected alone.
   */
  run(key: string, begin: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Work<T> {
  readonly promise: Promise<T>;
  readonly controller: AbortController;
  callers: number;
}

/** Nothing is kept once the work has settled, failures neither. */
export function createSingleFlight<T>(): SingleFlight<T> {
  const underWay = new Map<string, Work<T>>();

  const begun = (key: string, begin: (signal: AbortSignal) => Promise<T>): Work<T> => {
    const controller = new AbortController();
    const work: Work<T> = { promise: begin(controller.signal), controller, callers: 0 };
    const forget = () => {
      if (underWay.get(key) === work) underWay.delete(key);
    };
    work.promise.then(forget, forget);
    underWay.set(key, work);
    return work;
  };

  return {
    async run(key, begin, signal) {
      signal?.throwIfAborted();
      const work = underWay.get(key) ?? begun(key, begin);
      work.callers += 1;
      const gone = Promise.withResolvers<never>();
      const stay = onceAborted(signal, () => gone.reject(signal?.reason));
      try {
        return await Promise.race([work.promise, gone.promise]);
      } finally {
        stay();
        work.callers -= 1;
        if (work.callers === 0 && underWay.get(key) === work) {
          // Whoever comes next begins anew instead of joining what is being given up.
          underWay.delete(key);
          work.controller.abort();
        }
      }
    },
  };
}
