// Worker processes as their parent sees them: what they say and hear, how they end, and what becomes of their connections.
import type { ChildProcess } from 'node:child_process';
import cluster from 'node:cluster';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { StartError } from '../../../src/errors/start-error.ts';
import { forkWorker } from '../../../src/setup/processes/forked-worker.ts';
import { connectWorker } from '../../../src/setup/processes/worker-link.ts';
import type { MessageFromWorker, WorkerOrder } from '../../../src/setup/processes/worker-messages.ts';
import { suspendProcess } from '../../helpers/server-process/server-process.ts';
import { askWorker, sharedPorts, workersDo } from './worker-programs.ts';

const LOADED = { config: {}, warnings: [], issues: [], file: '', explicit: [] } as never;
const ORDER: WorkerOrder = { kind: 'start', number: 1, isFirst: true, loaded: LOADED, only: undefined };

/** Resolves with a worker that runs and has asked for its order. */
async function fork(behaviour: string) {
  workersDo(behaviour);
  const worker = await forkWorker();
  onTestFinished(() => worker.kill());
  const heard: MessageFromWorker['kind'][] = [];
  worker.hear(({ kind }) => void heard.push(kind));
  return { worker, heard };
}

/** The same, when it listens. */
async function forkListening(behaviour: string) {
  const { worker, heard } = await fork(behaviour);
  await expect.poll(() => heard).toEqual(['hello']);
  const listening = sharedPorts();
  worker.send(ORDER);
  const [port, otherPort] = await listening;
  await expect.poll(() => heard).toEqual(['hello', 'listening', 'started']);
  const child = Object.values(cluster.workers ?? {}).at(-1)?.process;
  if (child?.pid === undefined) throw new Error('the worker is unknown');
  return { worker, port, otherPort, child, pid: child.pid };
}

it('a worker asks for its order, follows it, and ends with its code when it is told to stop', async () => {
  const { worker, port, pid } = await forkListening('serves');
  expect(await askWorker(port, 'who')).toBe(pid);
  worker.send({ kind: 'stop', signal: 'SIGTERM' });
  expect(await worker.ended).toEqual({ code: 0, signal: null });
  // To nobody, which is no error.
  worker.send({ kind: 'stop', signal: 'SIGTERM' });
  worker.kill();
});

it('a worker that gets a signal itself stops as if it were told', async () => {
  const { worker, pid } = await forkListening('serves');
  process.kill(pid, 'SIGINT');
  expect(await worker.ended).toEqual({ code: 5, signal: null });
});

it('a worker that is killed has ended by the signal', async () => {
  const { worker } = await forkListening('does not end');
  worker.kill();
  expect(await worker.ended).toEqual({ code: null, signal: 'SIGKILL' });
});

it('a worker that ends before it has said anything has ended with its code', async () => {
  const { worker, heard } = await fork('ends before it asks for its order');
  expect(await worker.ended).toEqual({ code: 3, signal: null });
  expect(heard).toEqual([]);
});

it('a worker for which there is no process is a failed start', async () => {
  workersDo('serves');
  cluster.setupPrimary({ cwd: '/nowhere' });
  await expect(forkWorker()).rejects.toBeInstanceOf(StartError);
});

/** Resolves once the connection is closed, in whatever way. */
function closeOf(socket: Socket): Promise<void> {
  socket.on('error', () => undefined).resume();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** Connects to a worker that does nothing. Resolves once the connection has been handed to it. */
async function connectInVain(port: number, child: ChildProcess) {
  const send = vi.spyOn(child, 'send');
  const socket = connect(port, '127.0.0.1');
  const closed = closeOf(socket);
  const isHanded = () =>
    send.mock.calls.some(([message]) => Reflect.get(Object(message), 'act') === 'newconn');
  await expect.poll(isHanded).toBe(true);
  return { socket, closed };
}

it('a connection that a worker has not taken when it ends is closed, and so are all that wait behind it', async () => {
  const { worker, port, child, pid } = await forkListening('serves');
  await suspendProcess(pid);
  const first = await connectInVain(port, child);
  const others = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'));
  const sockets = [first.socket, ...others];
  const closed = Promise.all([first.closed, ...others.map(closeOf)]);
  worker.kill();
  expect(await worker.ended).toEqual({ code: null, signal: 'SIGKILL' });
  for (const socket of sockets) socket.end();
  await closed;
});

/** A worker that leaves a program behind, which has the pipe to this process: that does not end with the worker. */
async function forkLeaving() {
  const leaving = await forkListening('leaves a program behind');
  const left = Number(await askWorker(leaving.port, 'left'));
  onTestFinished(() => void process.kill(left, 'SIGKILL'));
  return leaving;
}

it('the pipe to a worker that has ended is closed, though a program that it has left behind has it', async () => {
  const { worker, child } = await forkLeaving();
  worker.send({ kind: 'stop', signal: 'SIGTERM' });
  expect(await worker.ended).toEqual({ code: 0, signal: null });
  expect(child.connected).toBe(false);
});

it('nothing is handed to a worker that has ended before it took a connection, on any port', async () => {
  const ending = await forkLeaving();
  await suspendProcess(ending.pid);
  const { socket } = await connectInVain(ending.port, ending.child);
  onTestFinished(() => void socket.destroy());
  const { pid } = await forkListening('serves');
  ending.worker.kill();
  await ending.worker.ended;
  for (const port of [ending.port, ending.otherPort])
    for (let times = 0; times < 3; times += 1) expect(await askWorker(port, 'who')).toBe(pid);
});

it('a process that nobody has started as a worker is none, whether or not it has a pipe to its parent', async () => {
  expect(await connectWorker({ send: undefined } as never)).toBeUndefined();
  const send = vi.fn();
  expect(await connectWorker({ send } as never)).toBeUndefined();
  expect(send).not.toHaveBeenCalled();
});
