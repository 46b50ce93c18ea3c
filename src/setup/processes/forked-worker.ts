// A worker process as its parent sees it. Node's cluster module opens each port once, in the parent, and hands connections to the
// workers in turn: a worker that ends takes only its own with it.
import type { ChildProcess } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import { untilStarted } from '../../lib/processes/start-child.ts';
import type { RunningWorker, WorkerEnd } from './worker-supervisor.ts';

const ignore = () => undefined;

/** The part of a message of the cluster module that says which connection it hands over, or that it was taken. */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

interface OpenConnection {
  close(): void;
}

type Send = (message: ClusterMessage, connection?: OpenConnection, ...rest: readonly unknown[]) => boolean;

/**
 * Closes the connections that a worker was handed and had not taken when it ended. The cluster module forgets them open (as of Node
 * 26), and their clients would wait for ever. It sends them by the `send` of the process, which is the only place to see them.
 */
function closeUntakenConnections(child: ChildProcess): void {
  const handed = new Map<number, OpenConnection>();
  const sender = child as unknown as { send: Send };
  const send = sender.send.bind(child);
  sender.send = (message, connection, ...rest) => {
    if (message.act === 'newconn' && message.seq !== undefined && connection !== undefined)
      handed.set(message.seq, connection);
    return send(message, connection, ...rest);
  };
  child.on('internalMessage', ({ ack }: ClusterMessage) => void (ack !== undefined && handed.delete(ack)));
  child.once('exit', () => {
    for (const connection of handed.values()) connection.close();
  });
}

/**
 * Sees to it that a worker that has ended is handed nothing more. The cluster module waits for the end of the pipe, and never hears
 * of that while a connection is on its way (as of Node 26): it would hand others to nobody, on this port and on all others.
 */
function disconnectWhenEnded(worker: Worker): void {
  const { process: child } = worker;
  child.once('exit', () => {
    if (!child.connected) return;
    worker.disconnect();
    child.disconnect();
  });
}

/** Starts this program once more, as a worker. Rejects with a StartError. */
export async function forkWorker(): Promise<RunningWorker> {
  const ended = Promise.withResolvers<WorkerEnd>();
  const start = (): ChildProcess => {
    const worker = cluster.fork();
    // It repeats the errors of its process, which `untilStarted` hears.
    worker.on('error', ignore);
    worker.once('exit', (code, signal) => ended.resolve({ code, signal }));
    disconnectWhenEnded(worker);
    return worker.process;
  };
  const child = await untilStarted(start, 'a worker process');
  closeUntakenConnections(child);
  return {
    hear: (listener) => void child.on('message', listener),
    // With a callback, a closed pipe is no error.
    send: (message) => void child.send(message, ignore),
    kill: () => void child.kill('SIGKILL'),
    ended: ended.promise,
  };
}
