// A port that passes bytes on to another one, which can be changed: one address, first one server behind it, then another.
import { createConnection, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface PortForwarder {
  readonly host: string;
  /** Everything from now on goes to this port of this machine; what is open is cut. */
  connect(port: number): void;
}

/** Opens a port that passes on to `target`, for the time of one test. */
export async function openPortForwarder(target: number): Promise<PortForwarder> {
  const open = new Set<Socket>();
  let port = target;
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  };
  const server = createServer((near) => {
    const far = createConnection({ host: '127.0.0.1', port });
    keep(near);
    keep(far);
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    cut();
    server.close();
  });
  const address = server.address();
  return {
    host: `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    connect(next) {
      port = next;
      cut();
    },
  };
}
