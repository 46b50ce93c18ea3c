// What the process that was started and its workers tell each other, as plain JSON. Types only.
import type { LoadedConfig } from '../../config/load-config.ts';

/** The configuration that the started process has read: all workers run with the same one, whatever the file says by now. */
export interface SentConfig extends Omit<LoadedConfig, 'explicit'> {
  readonly explicit: readonly string[];
}

/** What a worker is to do. */
export interface WorkerOrder {
  readonly kind: 'start';
  /** From 1. Whoever replaces a worker has its number. */
  readonly number: number;
  /** No worker has listened yet: this one says what a start has to say. */
  readonly isFirst: boolean;
  readonly loaded: SentConfig;
  readonly only: 'content' | 'delivery' | undefined;
}

export type MessageToWorker = WorkerOrder | { readonly kind: 'stop'; readonly signal: string };

/** `hello`: it waits for its order. `listening`: its ports are open. `started`: nothing of its start can fail any more. */
export interface MessageFromWorker {
  readonly kind: 'hello' | 'listening' | 'started';
}
