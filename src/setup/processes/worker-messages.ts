// What the process that was started and its workers tell each other, as plain JSON. Types only.
import type { LoadedConfig } from '../../config/load-config.ts';

/** The configuration that the started process has read: all workers run with the same one, whatever the file says by now. */
interface SentConfig extends Omit<LoadedConfig, 'explicit'> {
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

/** `tell` asks for metrics, by the number of the question; `gathered` has those of the other workers. */
export type MessageToWorker =
  | WorkerOrder
  | { readonly kind: 'stop'; readonly signal: string }
  | { readonly kind: 'tell'; readonly id: number; readonly accept: string }
  | { readonly kind: 'gathered'; readonly id: number; readonly texts: readonly string[] };

/**
 * `hello`: it waits for its order. `listening`: its ports are open. `started`: nothing of its start can fail any more. `gather` asks
 * for metrics of the others, `metrics` tells its own.
 */
export type MessageFromWorker =
  | { readonly kind: 'hello' | 'listening' | 'started' }
  | { readonly kind: 'gather'; readonly id: number; readonly accept: string }
  | { readonly kind: 'metrics'; readonly id: number; readonly text: string };
