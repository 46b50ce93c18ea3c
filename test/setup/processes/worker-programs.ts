// Real worker processes that run a program of few lines, forked by this process.
import cluster from 'node:cluster';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** What the workers of the test do that are forked from now on. */
export function workersDo(behaviour: string): void {
  const exec = fileURLToPath(new URL('./worker-program.ts', import.meta.url));
  cluster.setupPrimary({ exec, args: [behaviour], execArgv: [], silent: true, cwd: process.cwd() });
}

/** Resolves with the port that the workers share once one of them listens. */
export async function sharedPort(): Promise<number> {
  const [, { port }] = await once(cluster, 'listening');
  return port;
}

/** What a worker answers: its process id, or to `metrics` what it gathers of the others. */
export async function askWorker(port: number, question: 'who' | 'metrics'): Promise<unknown> {
  const socket = connect(port, '127.0.0.1');
  socket.write(question);
  return JSON.parse(await text(socket));
}
