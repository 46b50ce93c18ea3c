// Ties what is to be released to what it belongs to: a response, a stream or a signal. Both may have ended before the resource
// is there, as a client can hang up at any moment, and an event that has passed is not told again: so each function looks at the
// state first. Everything in `src` that is acquired across an `await` is released through these.

import type { Readable } from 'node:stream';

/** A response, socket or stream: it is closed once, and knows whether it was. */
export interface Closable {
  readonly closed: boolean;
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** True once nothing can be sent or read any more. */
export const isClosed = (owner: Pick<Closable, 'closed' | 'destroyed'>): boolean =>
  owner.closed || owner.destroyed;

/** Calls `release` once: when `owner` is closed, or at once where it is already. */
export function onceClosed(owner: Closable, release: () => void): void {
  if (isClosed(owner)) release();
  else owner.once('close', release);
}

/**
 * Calls `release` once: when `signal` is aborted, or at once where it is already. Returns the function that ends the waiting;
 * without it a signal that lives longer keeps `release` alive.
 */
export function onceAborted(signal: AbortSignal | undefined, release: () => void): () => void {
  if (signal?.aborted) release();
  else signal?.addEventListener('abort', release, { once: true });
  return () => signal?.removeEventListener('abort', release);
}

/** Resolves with a stream that is destroyed with its owner: already destroyed where the owner is closed by then. */
export async function openFor<S extends Readable>(owner: Closable, open: () => Promise<S>): Promise<S> {
  const stream = await open();
  onceClosed(owner, () => stream.destroy());
  return stream;
}
