// A worker's end of the pipe to the process that started it, which ends the worker by closing it, however it ends itself.
import type { MessageFromWorker, MessageToWorker, WorkerOrder } from './worker-messages.ts';

export interface WorkerLink {
  readonly order: WorkerOrder;
  /** Resolves with the signal when the server is to end. */
  readonly stop: Promise<string>;
  tell(message: MessageFromWorker): void;
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const ignore = () => undefined;

/** Waits for the order of the process that started this one as a worker; undefined where nobody did. */
export async function connectWorker(host: NodeJS.Process): Promise<WorkerLink | undefined> {
  if (host.send === undefined) return undefined;
  const { default: cluster } = await import('node:cluster');
  if (!cluster.isWorker) return undefined;
  const order = Promise.withResolvers<WorkerOrder>();
  const stop = Promise.withResolvers<string>();
  host.on('message', (message: MessageToWorker) => {
    if (message.kind === 'start') order.resolve(message);
    else stop.resolve(message.signal);
  });
  // A terminal and a service manager signal all processes of a group, and the one that was started passes its signals on: further
  // ones mean nothing here.
  for (const signal of STOP_SIGNALS) host.on(signal, () => stop.resolve(signal));
  const tell = (message: MessageFromWorker) => void host.send?.(message, undefined, undefined, ignore);
  tell({ kind: 'hello' });
  return { order: await order.promise, stop: stop.promise, tell };
}
