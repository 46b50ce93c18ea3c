// The composition root of the process that has workers: it locks an embedded database for all of them, and serves nothing itself.
import type { LoadedConfig } from '../../config/load-config.ts';
import type { Logger } from '../../lib/logger.ts';
import { holdDatabase } from '../../stores/open/document-store.ts';
import { forkWorker } from './forked-worker.ts';
import { WorkerSupervisor } from './worker-supervisor.ts';

interface SuperviseOptions {
  /** Relative paths of the configuration start here. */
  readonly cwd: string;
  readonly only: 'content' | 'delivery' | undefined;
  /** Resolves with the signal when the server is to end. */
  readonly stop: Promise<string>;
  readonly log: Logger;
}

/**
 * Runs `server.workers` workers until `stop` resolves, or the first of them cannot start. Resolves with the exit code. Rejects with
 * the store's StoreError where another server has the embedded database.
 */
export async function superviseWorkers(
  { explicit, ...loaded }: LoadedConfig,
  { cwd, only, stop, log }: SuperviseOptions,
): Promise<number> {
  const { server, database } = loaded.config;
  const { workers: count, shutdownSeconds } = server;
  const release = holdDatabase(database, { cwd, log });
  const supervisor = new WorkerSupervisor({
    count,
    fork: forkWorker,
    log,
    clock: () => performance.now(),
    order: { loaded: { ...loaded, explicit: [...explicit] }, only },
  });
  // However this process ends: a worker that hangs would not notice.
  const kill = () => supervisor.kill();
  process.once('exit', kill);
  let deadline: NodeJS.Timeout | undefined;
  let isAsked = false;
  void stop.then((signal) => {
    isAsked = true;
    log.info({ signal, shutdownSeconds }, 'stopping: requests in flight end, no new ones are taken');
    supervisor.stop(signal);
    deadline = setTimeout(() => {
      log.warn({}, 'stopped: what had not ended in time was cut off');
      kill();
    }, shutdownSeconds * 1000);
  });
  try {
    const code = await supervisor.run();
    if (isAsked && code === 0) log.info({}, 'stopped');
    return code;
  } finally {
    clearTimeout(deadline);
    process.off('exit', kill);
    release();
  }
}
