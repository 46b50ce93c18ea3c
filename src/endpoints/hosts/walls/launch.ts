// Starts host processes, with every wall around them that this machine has.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { nodeFlags, sandboxPath } from './node-flags.ts';

export interface LaunchOptions {
  /** With the just-in-time compiler: no bound on its memory then but the heap limits of the isolates. */
  readonly jit: boolean;
  /** Private memory that the process may have (RLIMIT_DATA), in MB. */
  readonly memoryMb: number;
}

/** A started host. It has sent nothing yet. */
export interface HostChild {
  /** What was spawned; killing it kills the host, its exit is the host's. */
  readonly process: ChildProcess;
  /** The other end is the host's descriptor 3, and its only one. */
  readonly socket: Socket;
  /** Pid of the process that runs guest code, for `/proc`; undefined while unknown. Not the spawned one under bubblewrap. */
  pid(): number | undefined;
}

export interface Launcher {
  launch(options: LaunchOptions): Promise<HostChild>;
}

interface LauncherOptions {
  /** Folder of the package. */
  readonly root: URL;
  /** Node binary of the hosts. */
  readonly node?: string;
}

function scripts(root: URL): string[] {
  return readdirSync(new URL('sandbox/', root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => sandboxPath(root, name));
}

/** One launcher serves the whole server. */
export function createLauncher({ root, node = process.execPath }: LauncherOptions): Launcher {
  const launch = async ({ jit }: LaunchOptions): Promise<HostChild> => {
    const { bindingPath } = (await import(new URL('sandbox/binding.js', root).href)) as {
      bindingPath(root: URL): string;
    };
    const binding = bindingPath(root);
    const child = spawn(
      node,
      [...nodeFlags({ jit, readable: [binding, ...scripts(root)] }), sandboxPath(root, 'host.js'), binding],
      { cwd: '/', env: { PWD: '/' }, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
    );
    return { process: child, socket: child.stdio[3] as Socket, pid: () => child.pid };
  };
  return { launch };
}
