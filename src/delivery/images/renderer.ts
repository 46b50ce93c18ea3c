// Renderings in processes of their own: so many at a time, a bounded queue, first come, first served.

import { AppError } from '../../errors/errors.ts';
import type { OriginalFile } from '../model/delivery-types.ts';
import {
  LARGE_RENDERING_BYTES,
  MAX_DECODING_BYTES,
  type RenderJob,
  type RenderResult,
} from './render-job.ts';
import { RenderWorker, type RenderWorkerDeps } from './render-worker.ts';

/** Waits until so many bytes are free, at most all of them; the function that it resolves with gives them back, once. */
export type MemoryQuota = (bytes: number) => Promise<() => void>;

/** Makes a quota of `total` bytes. */
export function createMemoryQuota(total: number): MemoryQuota {
  const waiting: { readonly bytes: number; readonly go: () => void }[] = [];
  let free = total;
  const wake = () => {
    for (let next = waiting[0]; next !== undefined && next.bytes <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.bytes;
      next.go();
    }
  };
  return async (wanted) => {
    const bytes = Math.min(Math.max(wanted, 0), total);
    if (waiting.length === 0 && bytes <= free) free -= bytes;
    else await new Promise<void>((go) => waiting.push({ bytes, go }));
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      free += bytes;
      wake();
    };
  };
}

const IDLE_MS = 30_000;

export interface RendererOptions {
  readonly concurrency: number;
  /** Renderings that may wait. */
  readonly queue: number;
  /** Seconds that one rendering may take. */
  readonly seconds: number;
  readonly maxSourceBytes: number;
  readonly start?: RenderWorkerDeps['start'];
}

export interface Renderer {
  /**
   * Renders a file, which is opened when its turn has come. `signal` takes it out of the queue; what has begun
   * goes on. Throws IMAGE_INVALID, IMAGE_TOO_LARGE, CROP_INVALID, RENDER_BUSY, RENDER_TIMEOUT, RENDER_FAILED; rejects with the
   * error of the file.
   */
  render(
    job: RenderJob,
    source: Pick<OriginalFile, 'size' | 'open'>,
    signal?: AbortSignal,
  ): Promise<RenderResult>;
  /** Ends all processes, and with them what is under way. */
  close(): Promise<void>;
}

interface Waiting {
  readonly go: () => void;
  readonly refuse: (error: unknown) => void;
}

const busy = () => new AppError('RENDER_BUSY', { headers: { 'Retry-After': '1' } });

/** Starts no process before the first rendering; one that is idle for half a minute ends. */
export function createRenderer(options: RendererOptions): Renderer {
  const { concurrency, queue, seconds, maxSourceBytes, start } = options;
  const waiting: Waiting[] = [];
  const workers = new Set<RenderWorker>();
  const idle: { readonly worker: RenderWorker; readonly timer: NodeJS.Timeout }[] = [];
  let running = 0;
  let closed = false;

  const end = (worker: RenderWorker) => {
    workers.delete(worker);
    worker.end();
  };

  const endIdle = () => {
    for (const { worker, timer } of idle.splice(0)) {
      clearTimeout(timer);
      end(worker);
    }
  };

  const quota = createMemoryQuota(MAX_DECODING_BYTES);
  const deps: RenderWorkerDeps = {
    async reserve(bytes) {
      const giveBack = await quota(bytes);
      if (bytes > LARGE_RENDERING_BYTES) endIdle();
      return giveBack;
    },
    timeoutMs: seconds * 1000,
    maxSourceBytes,
    ...(start && { start }),
  };

  const takeWorker = (): RenderWorker => {
    for (let next = idle.pop(); next !== undefined; next = idle.pop()) {
      clearTimeout(next.timer);
      if (next.worker.isAlive) return next.worker;
      workers.delete(next.worker);
    }
    const worker = new RenderWorker(deps);
    workers.add(worker);
    return worker;
  };

  const putBack = (worker: RenderWorker) => {
    if (closed || !worker.isReusable) {
      end(worker);
      return;
    }
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((entry) => entry.worker === worker),
        1,
      );
      end(worker);
    }, IDLE_MS);
    timer.unref();
    idle.push({ worker, timer });
  };

  const enter = async (signal: AbortSignal | undefined): Promise<void> => {
    if (closed) throw busy();
    if (running < concurrency) {
      running += 1;
      return;
    }
    if (waiting.length >= queue) throw busy();
    const turn = Promise.withResolvers<void>();
    const entry: Waiting = { go: turn.resolve, refuse: turn.reject };
    const leave = () => {
      const at = waiting.indexOf(entry);
      if (at === -1) return;
      waiting.splice(at, 1);
      turn.reject(signal?.reason);
    };
    waiting.push(entry);
    signal?.addEventListener('abort', leave, { once: true });
    try {
      await turn.promise;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  };

  const exit = () => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next.go();
  };

  return {
    async render(job, source, signal) {
      signal?.throwIfAborted();
      await enter(signal);
      try {
        const stream = await source.open();
        if (closed) {
          stream.destroy();
          throw busy();
        }
        const worker = takeWorker();
        try {
          return await worker.render(job, stream, source.size);
        } finally {
          putBack(worker);
        }
      } finally {
        exit();
      }
    },
    async close() {
      closed = true;
      for (const { refuse } of waiting.splice(0)) refuse(busy());
      endIdle();
      for (const worker of workers) end(worker);
    },
  };
}
