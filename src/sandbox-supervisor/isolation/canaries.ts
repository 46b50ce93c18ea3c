// Things that nobody may touch, laid out for the self-test: whoever touches one is out.
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { createCanaryFolder, removeStaleCanaryFolders } from './canary-folder.ts';

export interface Canaries {
  /** Readable by all users of the machine, so that only walls protect it. */
  readonly file: string;
  readonly newFile: string;
  /** On 127.0.0.1. */
  readonly port: number;
  /** Path of a listening socket. */
  readonly socket: string;
  /** Which of them were touched, by the names of the attempts. */
  touches(): Promise<ReadonlySet<string>>;
  remove(): Promise<void>;
}

function listen(server: Server, address: { port: number; host: string } | { path: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
}

/** Lays them out in a folder of their own, until `remove` or the end of the process. Rejects when folder or listeners cannot be made. */
export async function createCanaries(): Promise<Canaries> {
  const parent = tmpdir();
  await removeStaleCanaryFolders({ parent, now: Date.now() });
  const folder = createCanaryFolder(parent);
  const [file, newFile, socket] = [folder.file('canary'), folder.file('new'), folder.file('socket')];
  const touched = new Set<string>();
  const listener = (name: string) =>
    createServer((visitor) => {
      touched.add(name);
      visitor.destroy();
    });
  const servers = [listener('connect'), listener('socket')] as const;
  const remove = async () => {
    for (const server of servers) server.close();
    folder.remove();
  };
  try {
    await writeFile(file, 'canary');
    await listen(servers[0], { port: 0, host: '127.0.0.1' });
    if (process.platform !== 'win32') {
      await listen(servers[1], { path: socket });
      await chmod(socket, 0o777);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  const address = servers[0].address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const touches = async () => {
    // Whoever came is noticed when the event loop polls: at the latest between two of these.
    await setImmediate();
    await setImmediate();
    return existsSync(newFile) ? new Set([...touched, 'write']) : touched;
  };
  return { file, newFile, port, socket, touches, remove };
}
