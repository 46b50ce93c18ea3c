// Writes the results of `Model`: up to 8 MB of documents as one text, without holding the event loop.
import { createSemaphore } from '../lib/async/semaphore.ts';
import { yieldToEventLoop } from '../lib/async/yielding.ts';
import { type ChunkedText, textByteLength } from '../lib/chunked-text.ts';

/** Bytes of the documents in an answer: what crosses to the guest must fit into its heap. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Up to so many bytes are written at once. */
const MAX_SYNC_BYTES = 64 * 1024;

/** Resolves with documents, joined by commas already, as one text; undefined where they are too large together. */
export type JoinResults = (documents: ChunkedText) => Promise<string | undefined>;

/** Makes the writer. Of long results it writes one in each turn of the event loop: the same turn sends them to a host. */
export function createResultJoiner(): JoinResults {
  const inTurn = createSemaphore(1);
  const write = (documents: ChunkedText) => (typeof documents === 'string' ? documents : documents.join(''));
  const writeLong: JoinResults = async (documents) => {
    await yieldToEventLoop();
    return write(documents);
  };
  return async (documents) => {
    const bytes = textByteLength(documents);
    if (bytes > MAX_BYTES) return undefined;
    return bytes > MAX_SYNC_BYTES ? inTurn(() => writeLong(documents)) : write(documents);
  };
}
