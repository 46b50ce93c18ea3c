// A real host process, spoken to as the server does. Not locked into any isolation layer but its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createFrameReader, encodeFrame } from '../../../src/sandbox-supervisor/host-connection.ts';
import { ROOT } from '../../helpers/fixtures/source-tree.ts';

const HOST = join(ROOT, 'sandbox/host.js');
const FLAGS = ['--no-node-snapshot', '--jitless', '--js-nonextensible-applies-to-private', '--no-warnings'];

interface HostFrame {
  readonly header: { readonly t: string; readonly [name: string]: unknown };
  readonly raw: string;
}

export interface HostProcess {
  readonly child: ChildProcess;
  readonly socket: Socket;
  /** What it has sent so far. */
  readonly frames: readonly HostFrame[];
  readonly exit: Promise<unknown[]>;
  send(header: object, ...texts: string[]): void;
}

/** Starts a host. Whoever starts it ends it. */
export function startHost(): HostProcess {
  const child = spawn(process.execPath, [...FLAGS, HOST], {
    env: { PWD: '/' },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const socket = child.stdio[3] as Socket;
  socket.on('error', () => undefined);
  const frames: HostFrame[] = [];
  const reader = createFrameReader({
    header: (header) => JSON.parse(header) as HostFrame['header'],
    frame(header, raw) {
      frames.push({ header, raw: raw.toString() });
      return true;
    },
  });
  socket.on('data', (chunk: Buffer) => reader.push(chunk));
  const send = (header: object, ...texts: string[]) => {
    socket.write(encodeFrame(JSON.stringify(header), texts, Buffer.byteLength(texts.join(''))));
  };
  return { child, socket, frames, send, exit: once(child, 'exit') };
}
