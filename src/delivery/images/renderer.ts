// Renderings in processes of their own: so many at a time, a bounded queue, first come, first served.

import { AppError } from '../../errors/errors.ts';
import type { OriginalFile } from '../model/delivery-types.ts';
import { createMemoryQuota } from './memory-quota.ts';
import {
  LARGE_RENDERING_BYTES,
  MAX_DECODING_BYTES,
  type RenderJob,
  type RenderResult,
} from './render-job.ts';
import { RenderWorker, type RenderWorkerDeps } from './render-worker.ts';
import { createOriginalSpool, type SpooledOriginal } from './spooled-original.ts';

const IDLE_MS = 30_000;

export interface RendererOptions {
  readonly concurrency: number;
  /** Renderings that may wait, for their original or for their turn. */
  readonly queue: number;
  /** Seconds that fetching an original may take, and rendering it. */
  readonly seconds: number;
  readonly maxSourceBytes: number;
  readonly start?: RenderWorkerDeps['start'];
}

interface RenderSource extends Pick<OriginalFile, 'size' | 'open'> {
  /** True for files of other web servers: all of them together may wait in half of the places. */
  readonly isRemote?: boolean;
}

export interface Renderer {
  /**
   * Renders a file, which is fetched before it takes its turn. `signal` ends its fetching and takes it out of the queue; a
   * rendering that has begun goes on. Throws IMAGE_INVALID, IMAGE_TOO_LARGE, CROP_INVALID, RENDER_BUSY, RENDER_TIMEOUT,
   * RENDER_FAILED, a StartError where no process can be started; rejects with the error of the file.
   */
  render(job: RenderJob, source: RenderSource, signal?: AbortSignal): Promise<RenderResult>;
  /** Ends all processes, and with them what is under way. */
  close(): Promise<void>;
}

interface Waiting {
  readonly go: () => void;
  readonly refuse: (error: unknown) => void;
}

/** Less than the file was said to have is no image, and must not be kept as one. */
const changed = () =>
  new AppError('RENDER_FAILED', {
    message: 'The original has just changed',
    retryAfter: 1,
  });
const busy = () => new AppError('RENDER_BUSY');

/** The places of all who fetch, wait and render. The function that `take` returns gives one back; it throws RENDER_BUSY. */
function createPlaces(total: number) {
  const maxRemote = Math.max(1, Math.floor(total / 2));
  let taken = 0;
  let remote = 0;
  return {
    take(isRemote: boolean): () => void {
      if (taken >= total || (isRemote && remote >= maxRemote)) throw busy();
      taken += 1;
      if (isRemote) remote += 1;
      return () => {
        taken -= 1;
        if (isRemote) remote -= 1;
      };
    },
  };
}

/** Starts no process before the first rendering; one that is idle for half a minute ends. */
export function createRenderer(options: RendererOptions): Renderer {
  const { concurrency, queue, seconds, maxSourceBytes, start } = options;
  const waiting: Waiting[] = [];
  const workers = new Set<RenderWorker>();
  const idle: { readonly worker: RenderWorker; readonly timer: NodeJS.Timeout }[] = [];
  let running = 0;
  let closed = false;
  const closing = new AbortController();
  const spool = createOriginalSpool({ maxSourceBytes, seconds });
  const places = createPlaces(concurrency + queue);

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

  const takeWorker = async (): Promise<RenderWorker> => {
    for (let next = idle.pop(); next !== undefined; next = idle.pop()) {
      clearTimeout(next.timer);
      if (next.worker.isAlive) return next.worker;
      workers.delete(next.worker);
    }
    const worker = await RenderWorker.start(deps);
    if (closed) {
      worker.end();
      throw busy();
    }
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
    signal?.throwIfAborted();
    if (running < concurrency) {
      running += 1;
      return;
    }
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

  const renderSpooled = async (job: RenderJob, original: SpooledOriginal, signal?: AbortSignal) => {
    await enter(signal);
    try {
      const worker = await takeWorker();
      try {
        return await worker.render(job, original.read(), original.size);
      } finally {
        putBack(worker);
      }
    } finally {
      exit();
    }
  };

  return {
    async render(job, source, signal) {
      if (closed) throw busy();
      const leave = places.take(source.isRemote === true);
      try {
        const original = await spool.fetch(
          source,
          AbortSignal.any([...(signal ? [signal] : []), closing.signal]),
        );
        try {
          if (source.size !== undefined && original.size !== source.size) throw changed();
          return await renderSpooled(job, original, signal);
        } finally {
          await original.release();
        }
      } finally {
        leave();
      }
    },
    async close() {
      closed = true;
      closing.abort(busy());
      for (const { refuse } of waiting.splice(0)) refuse(busy());
      endIdle();
      for (const worker of workers) end(worker);
    },
  };
}
