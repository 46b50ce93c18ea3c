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

/** Resolves with the two ports that the workers share once the next of them listens. */
export async function sharedPorts(): Promise<readonly [number, number]> {
  const [, first] = await once(cluster, 'listening');
  const [, second] = await once(cluster, 'listening');
  return [first.port, second.port];
}

/** What a worker answers: its process id, what it gathers of the others, the process id of the program that it leaves behind. */
export async function askWorker(port: number, question: 'who' | 'metrics' | 'left'): Promise<unknown> {
  const socket = connect(port, '127.0.0.1');
  socket.write(question);
  return JSON.parse(await text(socket));
}
