// How much memory the results of hooks may take together: those of one request, and those of all that are under way.
import type { ResultRoom } from '../collections/hooks.ts';
import { createByteBudget } from '../lib/byte-budget.ts';

/** Bytes. */
interface Limits {
  readonly request: number;
  readonly server: number;
}

const MB = 1_048_576;

export const RESULT_ROOM: Limits = { request: 64 * MB, server: 256 * MB };

/** Makes the function that opens the room of one request. */
export function createResultRooms(limits: Limits): () => ResultRoom {
  const all = createByteBudget(limits.server);
  return () => {
    let used = 0;
    let isClosed = false;
    return {
      take(bytes) {
        // What is still in hand when its request has failed is of no use any more.
        if (isClosed || used + bytes > limits.request) return 'request';
        if (!all.hasRoom(bytes)) return 'server';
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
