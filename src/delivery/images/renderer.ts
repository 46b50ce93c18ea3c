// Renderings in processes of their own: so many at a time, a bounded queue, first come, first served.

import { AppError } from '../../errors/errors.ts';
import { Permits } from '../../lib/async/permits.ts';
import type { OriginalFile } from '../model/delivery-types.ts';
import { RenderConnection, type RenderConnectionDeps } from './render-connection.ts';
import {
  LARGE_RENDERING_BYTES,
  MAX_DECODING_BYTES,
  type RenderJob,
  type RenderResult,
} from './render-protocol.ts';
import { createOriginalSpool, type SpooledOriginal } from './spooled-original.ts';

const IDLE_MS = 30_000;

export interface RendererOptions {
  readonly concurrency: number;
  /** Renderings that may wait, for their original or for their turn. */
  readonly queue: number;
  /** Seconds that fetching an original may take, and rendering it. */
  readonly seconds: number;
  readonly maxSourceBytes: number;
  readonly start?: RenderConnectionDeps['start'];
  /** Hears how many milliseconds each rendering took, whether or not it succeeded. */
  readonly onRendered?: ((ms: number) => void) | undefined;
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
  /** Renderings that wait for their original or for their turn. */
  waiting(): number;
  /** Renderings under way. */
  running(): number;
  /** Ends all processes, and with them what is under way. */
  close(): Promise<void>;
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
    taken: () => taken,
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
  const { concurrency, queue, seconds, maxSourceBytes, start, onRendered } = options;
  const connections = new Set<RenderConnection>();
  const idle: { readonly connection: RenderConnection; readonly timer: NodeJS.Timeout }[] = [];
  const turns = new Permits({ permits: concurrency });
  let closed = false;
  let running = 0;
  const closing = new AbortController();
  const spool = createOriginalSpool({ maxSourceBytes, seconds });
  const places = createPlaces(concurrency + queue);

  const end = (connection: RenderConnection) => {
    connections.delete(connection);
    connection.end();
  };

  const endIdle = () => {
    for (const { connection, timer } of idle.splice(0)) {
      clearTimeout(timer);
      end(connection);
    }
  };

  const memory = new Permits({ permits: MAX_DECODING_BYTES });
  const deps: RenderConnectionDeps = {
    async reserve(wanted) {
      const bytes = Math.min(Math.max(wanted, 0), MAX_DECODING_BYTES);
      await memory.acquire(bytes);
      if (bytes > LARGE_RENDERING_BYTES) endIdle();
      let isHeld = true;
      return () => {
        if (isHeld) memory.release(bytes);
        isHeld = false;
      };
    },
    timeoutMs: seconds * 1000,
    maxSourceBytes,
    ...(start && { start }),
  };

  const takeConnection = async (): Promise<RenderConnection> => {
    for (let next = idle.pop(); next !== undefined; next = idle.pop()) {
      clearTimeout(next.timer);
      if (next.connection.isAlive) return next.connection;
      connections.delete(next.connection);
    }
    const connection = await RenderConnection.start(deps);
    if (closed) {
      connection.end();
      throw busy();
    }
    connections.add(connection);
    return connection;
  };

  const putBack = (connection: RenderConnection) => {
    if (closed || !connection.isReusable) {
      end(connection);
      return;
    }
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((entry) => entry.connection === connection),
        1,
      );
      end(connection);
    }, IDLE_MS);
    timer.unref();
    idle.push({ connection, timer });
  };

  const renderSpooled = async (job: RenderJob, original: SpooledOriginal, signal: AbortSignal) => {
    await turns.acquire(1, signal);
    try {
      const connection = await takeConnection();
      const since = performance.now();
      running += 1;
      try {
        return await connection.render(job, original.read(), original.size);
      } finally {
        running -= 1;
        onRendered?.(performance.now() - since);
        putBack(connection);
      }
    } finally {
      turns.release();
    }
  };

  return {
    async render(job, source, signal) {
      if (closed) throw busy();
      const leave = places.take(source.isRemote === true);
      try {
        const ended = AbortSignal.any([...(signal ? [signal] : []), closing.signal]);
        const original = await spool.fetch(source, ended);
        try {
          if (source.size !== undefined && original.size !== source.size) throw changed();
          return await renderSpooled(job, original, ended);
        } finally {
          await original.release();
        }
      } finally {
        leave();
      }
    },
    waiting: () => places.taken() - running,
    running: () => running,
    async close() {
      closed = true;
      closing.abort(busy());
      endIdle();
      for (const connection of connections) end(connection);
    },
  };
}
