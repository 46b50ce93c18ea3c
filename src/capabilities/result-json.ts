// Writes the results of `Model`: up to 8 MB of documents as one text, without holding the event loop.
import { createSemaphore } from '../lib/async/semaphore.ts';
import { yieldToEventLoop } from '../lib/async/yielding.ts';

/** Bytes of the documents in an answer: what crosses to the guest must fit into its heap. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Up to so many bytes are written at once. */
const MAX_SYNC_BYTES = 64 * 1024;

/** Resolves with the documents as they stand in a list of JSON; undefined where they are too large together. */
export type JoinResults = (results: readonly string[]) => Promise<string | undefined>;

const bytesOf = (results: readonly string[]) =>
  results.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** Makes the writer. Of long results it writes one in each turn of the event loop: the same turn sends them to a host. */
export function createResultJoiner(): JoinResults {
  const inTurn = createSemaphore(1);
  const write = (results: readonly string[]) => results.join(',');
  const writeLong: JoinResults = async (results) => {
    await yieldToEventLoop();
    return write(results);
  };
  return async (results) => {
    const bytes = bytesOf(results);
    if (bytes > MAX_BYTES) return undefined;
    return bytes > MAX_SYNC_BYTES ? inTurn(() => writeLong(results)) : write(results);
  };
}
