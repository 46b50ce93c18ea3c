// How much memory the results of hooks may take together: those of one request, and those of all that are under way.
import type { ResultQuota } from '../collections/hooks/document-hooks.ts';
import { createByteQuota } from '../lib/byte-quota.ts';

/** Bytes. */
interface ResultQuotaLimits {
  readonly request: number;
  readonly server: number;
}

const MB = 1_048_576;

export const HOOK_RESULT_LIMITS: ResultQuotaLimits = { request: 64 * MB, server: 256 * MB };

/** Makes the function that opens the room of one request. */
export function createResultQuotas(limits: ResultQuotaLimits): () => ResultQuota {
  const all = createByteQuota(limits.server);
  return () => {
    let used = 0;
    let isClosed = false;
    return {
      take(bytes) {
        // What is still in hand when its request has failed is of no use any more.
        if (isClosed || used + bytes > limits.request) return 'request';
        if (!all.fits(bytes)) return 'server';
        used += bytes;
        all.add(bytes);
        return undefined;
      },
      close() {
        isClosed = true;
        all.add(-used);
        used = 0;
      },
    };
  };
}
