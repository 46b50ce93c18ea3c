// A worker of few lines in place of the server. It does what its argument says, and answers on two ports that all workers share.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { connectWorker } from '../../../src/setup/processes/worker-link.ts';

const [, , behaviour] = process.argv;
if (behaviour === 'ends before it asks for its order') process.exit(3);
const link = await connectWorker(process);
if (link === undefined) throw new Error('nobody has started this program as a worker');
if (behaviour === 'fails to start') process.exit(4);
const { order, metrics, stop, tell } = link;
if (behaviour === 'tells metrics') metrics.tellBy(async (accept) => `${order.number} in ${accept}`);
if (behaviour === 'cannot tell metrics') metrics.tellBy(() => Promise.reject(new Error('no metrics')));

/** The program that is left behind has the pipe to the parent, the first descriptor behind the standard ones. */
const left =
  behaviour === 'leaves a program behind'
    ? spawn('sleep', ['600'], { stdio: ['ignore', 'ignore', 'ignore', 3] })
    : undefined;

async function listen(): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', async (chunk) => {
      const question = String(chunk);
      if (question === 'metrics') socket.end(JSON.stringify(await metrics.gather('text')));
      else socket.end(JSON.stringify(question === 'who' ? process.pid : left?.pid));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
}
await listen();
await listen();
tell({ kind: 'listening' });
tell({ kind: 'started' });
const signal = await stop;
if (behaviour !== 'does not end') process.exit(signal === 'SIGTERM' ? 0 : 5);
