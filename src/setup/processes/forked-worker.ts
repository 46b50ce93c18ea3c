// A worker process as its parent sees it. Node's cluster module opens each port once, in the parent, and hands connections to the
// workers in turn: a worker that ends takes only its own with it.
import cluster, { type Worker } from 'node:cluster';
import { untilStarted } from '../../lib/processes/start-child.ts';
import type { MessageFromWorker } from './worker-messages.ts';
import type { RunningWorker, WorkerEnd } from './worker-supervisor.ts';

const ignore = () => undefined;

/** Starts this program once more, as a worker. Rejects with a StartError. */
export async function forkWorker(onMessage: (message: MessageFromWorker) => void): Promise<RunningWorker> {
  const ended = Promise.withResolvers<WorkerEnd>();
  const start = (): Worker => {
    const worker = cluster.fork();
    // It repeats the errors of its process, which `untilStarted` hears.
    worker.on('error', ignore);
    worker.on('message', onMessage);
    worker.once('exit', (code, signal) => ended.resolve({ code: signal === null ? code : null, signal }));
    return worker;
  };
  const child = await untilStarted(() => start().process, 'a worker process');
  return {
    pid: child.pid ?? 0,
    // With a callback, a closed pipe is no error.
    send: (message) => void child.send(message, ignore),
    kill: () => void child.kill('SIGKILL'),
    ended: ended.promise,
  };
}
