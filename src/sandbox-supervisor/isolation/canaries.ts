// Canaries of the self-test: a file, a port and a socket that only isolation protects. They lie in a temporary folder, which is
// removed at the end of the test or of the process; the next self-test removes the folders of killed processes.
import { chmodSync, existsSync, mkdtempSync, readlinkSync, rmdirSync, rmSync } from 'node:fs';
import { chmod, lstat, readdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

const PREFIX = 'cloister-self-test-';
const CANARY_FOLDER_NAME = /^cloister-self-test-(?:([1-9]\d{0,9})-(\d+)-)?\w{6}$/;
/** All that the folder holds. Nothing is removed recursively: other users can write to the folder and may have put links there. */
const NAMES = ['canary', 'new', 'socket'] as const;
const MAX_REMOVE_ATTEMPTS = 2;
/** A self-test takes seconds. A folder of this age is removed even if its process cannot be looked up. */
const MAX_AGE_MS = 10 * 60_000;

export interface CanaryFolder {
  readonly path: string;
  /** Path of a file in the folder, which need not exist. */
  file(name: (typeof NAMES)[number]): string;
  remove(): void;
}

/** The pid namespace: containers may share a temporary folder and have other processes with the same pids. */
function processNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

function removeFolder(path: string): void {
  // A host that is being killed may write once more between two attempts.
  for (let attempt = 0; attempt < MAX_REMOVE_ATTEMPTS; attempt += 1) {
    try {
      for (const name of NAMES) rmSync(join(path, name), { force: true });
      rmdirSync(path);
      return;
    } catch {
      // The next self-test tries again.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Creates the folder, open to all users of the machine, so that only isolation protects it. */
export function createCanaryFolder(parent: string): CanaryFolder {
  // Synchronous, so that the process cannot exit between the creation and the registration of the removal.
  const path = mkdtempSync(join(parent, `${PREFIX}${process.pid}-${processNamespace()}-`));
  const remove = () => {
    process.off('exit', remove);
    removeFolder(path);
  };
  process.once('exit', remove);
  chmodSync(path, 0o777);
  return { path, file: (name) => join(path, name), remove };
}

interface StaleFolderOptions {
  readonly parent: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Removes this user's folders whose process has ended. Never rejects. */
export async function removeStaleCanaryFolders({ parent, now }: StaleFolderOptions): Promise<void> {
  const namespace = processNamespace();
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const [matched, pid, itsNamespace] = CANARY_FOLDER_NAME.exec(name) ?? [];
    if (matched === undefined) continue;
    const path = join(parent, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isDirectory() !== true || stats.uid !== (process.geteuid?.() ?? stats.uid)) continue;
    const hasEnded = pid !== undefined && itsNamespace === namespace && !isRunning(Number(pid));
    if (hasEnded || now - stats.mtimeMs > MAX_AGE_MS) removeFolder(path);
  }
}

export interface Canaries {
  /** Path of a file that all users of the machine can read. */
  readonly file: string;
  /** Path of a file that does not exist. */
  readonly newFile: string;
  /** On 127.0.0.1. */
  readonly port: number;
  /** Path of a listening socket. */
  readonly socket: string;
  /** The canaries that were touched, by the names of the attempts. */
  touches(): Promise<ReadonlySet<string>>;
  remove(): Promise<void>;
}

function listen(server: Server, address: { port: number; host: string } | { path: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
}

/** Creates the canaries, which last until `remove` or the end of the process. Rejects when folder or listeners cannot be created. */
export async function createCanaries(): Promise<Canaries> {
  const parent = tmpdir();
  await removeStaleCanaryFolders({ parent, now: Date.now() });
  const folder = createCanaryFolder(parent);
  const [file, newFile, socket] = [folder.file('canary'), folder.file('new'), folder.file('socket')];
  const touched = new Set<string>();
  const listener = (name: string) =>
    createServer((connection) => {
      touched.add(name);
      connection.destroy();
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
    // A connection is noticed when the event loop polls: at the latest between two of these.
    await setImmediate();
    await setImmediate();
    return existsSync(newFile) ? new Set([...touched, 'write']) : touched;
  };
  return { file, newFile, port, socket, touches, remove };
}
