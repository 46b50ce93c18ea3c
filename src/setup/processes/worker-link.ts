// A worker's end of the pipe to the process that started it, which ends the worker by closing it, however it ends itself.
import type { MessageFromWorker, MessageToWorker, WorkerOrder } from './worker-messages.ts';

export interface WorkerLink {
  readonly order: WorkerOrder;
  /** Resolves with the signal when the server is to end. */
  readonly stop: Promise<string>;
  tell(message: MessageFromWorker): void;
  readonly metrics: WorkerMetrics;
}

/** Metrics of all workers, which each of them can tell. */
export interface WorkerMetrics {
  /** Texts of the others. `accept`: value of the header. */
  gather(accept: string): Promise<readonly string[]>;
  /** Sets what tells the others the metrics of this process. */
  tellBy(read: (accept: string) => Promise<string>): void;
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const ignore = () => undefined;

/** Waits for the order of the process that started this one as a worker; undefined where nobody did. */
export async function connectWorker(ownProcess: NodeJS.Process): Promise<WorkerLink | undefined> {
  const send = ownProcess.send?.bind(ownProcess);
  if (send === undefined) return undefined;
  const { default: cluster } = await import('node:cluster');
  if (!cluster.isWorker) return undefined;
  const order = Promise.withResolvers<WorkerOrder>();
  const stop = Promise.withResolvers<string>();
  const questions = new Map<number, (texts: readonly string[]) => void>();
  let asked = 0;
  let read: (accept: string) => Promise<string> = async () => '';
  const answerMetrics = async (id: number, accept: string) => {
    const text = await read(accept).catch(() => '');
    tell({ kind: 'metrics', id, text });
  };
  ownProcess.on('message', (message: MessageToWorker) => {
    if (message.kind === 'start') order.resolve(message);
    else if (message.kind === 'stop') stop.resolve(message.signal);
    else if (message.kind === 'tell') void answerMetrics(message.id, message.accept);
    else {
      questions.get(message.id)?.(message.texts);
      questions.delete(message.id);
    }
  });
  // A terminal and a service manager signal all processes of a group, and the one that was started passes its signals on: further
  // ones mean nothing here.
  for (const signal of STOP_SIGNALS) ownProcess.on(signal, () => stop.resolve(signal));
  const tell = (message: MessageFromWorker) => void send(message, undefined, undefined, ignore);
  tell({ kind: 'hello' });
  const metrics: WorkerMetrics = {
    gather(accept) {
      asked += 1;
      const id = asked;
      tell({ kind: 'gather', id, accept });
      return new Promise((resolve) => questions.set(id, resolve));
    },
    tellBy(reader) {
      read = reader;
    },
  };
  return { order: await order.promise, stop: stop.promise, tell, metrics };
}
