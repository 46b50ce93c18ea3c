// A port in front of a server that lets so many writing commands pass, and holds back the next and all that follow.
import { createConnection, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface StallingProxy {
  readonly host: string;
  /** Resolves when a command is held back. */
  readonly held: Promise<void>;
}

const WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete']);

/** Where the document of an OP_MSG begins: after the header, the flags and the kind of its first section. */
const DOCUMENT = 21;

/** The name of a command: that of the first member of its document. */
function commandOf(message: Buffer): string {
  const name = DOCUMENT + 5;
  return message.toString('latin1', name, message.indexOf(0, name));
}

/** The whole messages at the beginning of `bytes`, and the rest. */
function messagesOf(bytes: Buffer): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = [];
  let at = 0;
  while (bytes.length - at >= 4 && bytes.length - at >= bytes.readInt32LE(at)) {
    const end = at + bytes.readInt32LE(at);
    messages.push(bytes.subarray(at, end));
    at = end;
  }
  return { messages, rest: bytes.subarray(at) };
}

/** Opens such a port for the time of one test. `target` is the host and port of the server. */
export async function openStallingProxy(target: string, passes: number): Promise<StallingProxy> {
  const { hostname: host, port } = new URL(`tcp://${target}`);
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const open = new Set<Socket>();
  let left = passes;
  const mayPass = (message: Buffer) => {
    if (!WRITES.has(commandOf(message))) return true;
    left -= 1;
    if (left < 0) hold();
    return left >= 0;
  };
  const server = createServer((near) => {
    const far = createConnection({ host, port: Number(port) });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => other.destroy());
    }
    let waiting = Buffer.alloc(0);
    near.on('data', (bytes: Buffer) => {
      const { messages, rest } = messagesOf(Buffer.concat([waiting, bytes]));
      waiting = Buffer.from(rest);
      for (const message of messages) if (mayPass(message)) far.write(message);
    });
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { host: `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, held };
}
