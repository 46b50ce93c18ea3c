// Starts host processes, with every wall around them that this machine has.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { cage } from './bubblewrap.ts';
import { followCage } from './cage-process.ts';
import { withPipesOnly } from './descriptors.ts';
import type { Walls } from './levels.ts';
import { limitScript, ulimits } from './limits.ts';
import { findMeans, letterOf, type Means } from './means.ts';
import { nodeFlags } from './node-flags.ts';
import { createGroupKeeper, GROUPS, killGroup } from './process-group.ts';
import { readSandboxFiles, type SandboxFiles } from './sandbox-files.ts';
import { findTools, type Tools } from './tools.ts';

interface LaunchOptions {
  /** With the just-in-time compiler: no bound on its memory then but the heap limits of the isolates. */
  readonly jit: boolean;
  /** Private memory that the process may have (RLIMIT_DATA), in MB. */
  readonly memoryMb: number;
  /** Which script of the sandbox folder runs; `host.js` if not said. */
  readonly script?: 'host.js' | 'self-test.js';
}

/** A started host. It has sent nothing yet. */
export interface HostChild {
  /** What was spawned; its exit is the host's. See `exitSignal` for the cause. */
  readonly process: ChildProcess;
  /** The other end is the host's descriptor 3, and its only one. */
  readonly socket: Socket;
  /** What was built around it. `wallsInForce` adds what the host says when it is ready. */
  readonly walls: Walls;
  /** Pid of the process that runs guest code, for `/proc`; undefined while unknown. Not the spawned one under bubblewrap. */
  pid(): number | undefined;
  /** SIGKILL, for all that was spawned. */
  kill(): void;
}

export interface Launcher {
  /** Rejects when no process can be started. Call it on the main thread: hosts die with the thread that started them. */
  launch(options: LaunchOptions): Promise<HostChild>;
}

interface LauncherOptions {
  /** Folder of the package. */
  readonly root: URL;
  /** Programs to build with; those of the machine if not said. */
  readonly tools?: Tools;
}

const CHANNEL = 3;
const FILTER = 4;
const STATUS = 5;

interface Machine {
  readonly files: SandboxFiles;
  readonly means: Means;
}

const accepted = (means: Means, options: LaunchOptions) =>
  ulimits({ ...options, ownUser: means.userId !== undefined }).filter((option) =>
    means.limits.has(letterOf(option)),
  );

function commandLine({ files, means }: Machine, options: LaunchOptions): string[] {
  const { sh, env, setpriv, bwrap } = means.tools;
  const { binding, folder } = files;
  const flags = nodeFlags({ jit: options.jit, readable: [binding, folder] });
  const filter = files.startFilter === null ? undefined : FILTER;
  return [
    ...(sh === undefined ? [] : [sh, '-c', limitScript(accepted(means, options))]),
    // Some shells add variables of their own.
    ...(env === undefined ? [] : [env, '-i', 'PWD=/']),
    ...(setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--']),
    ...(bwrap === undefined ? [] : [bwrap, ...cage({ files: means.visible, filter, status: STATUS })]),
    ...[process.execPath, ...flags, files.script(options.script ?? 'host.js'), binding],
  ];
}

function wallsAround({ files, means }: Machine, options: LaunchOptions): Walls {
  const { setpriv, bwrap } = means.tools;
  const bound = setpriv !== undefined || bwrap !== undefined;
  const limited = new Set(accepted(means, options).map(letterOf));
  return {
    emptyEnvironment: process.platform !== 'win32',
    jitless: !options.jit,
    limits: ['-c', '-f', '-n', '-s', '-t'].every((letter) => limited.has(letter)),
    // Elsewhere the limit is accepted and counts next to nothing.
    memoryLimit: limited.has('-d') && process.platform === 'linux',
    diesWithServer: bound,
    noNewPrivileges: bound,
    ownUser: means.userId !== undefined,
    namespaces: bwrap !== undefined,
    startFilter: bwrap !== undefined && files.startFilter !== null,
    reviewedBinding: files.reviewed,
  };
}

/** One launcher serves the whole server. What the machine offers is tried out at the first launch. */
export function createLauncher({ root, tools = findTools() }: LauncherOptions): Launcher {
  let machine: Promise<Machine> | undefined;
  const groups = createGroupKeeper();
  const explore = async (memoryMb: number): Promise<Machine> => {
    const files = await readSandboxFiles(root);
    return { files, means: await findMeans({ tools, files, memoryMb }) };
  };
  return {
    async launch(options) {
      machine ??= explore(options.memoryMb).catch((error: unknown) => {
        machine = undefined;
        throw error;
      });
      const { files, means } = await machine;
      const [program = '', ...args] = commandLine({ files, means }, options);
      const caged = means.tools.bwrap !== undefined;
      const user = means.userId?.();
      const own = user === undefined ? {} : { uid: user, gid: user };
      const child = withPipesOnly(caged ? STATUS - CHANNEL + 1 : 1, (stdio) =>
        spawn(program, args, { cwd: '/', env: { PWD: '/' }, stdio, detached: GROUPS, ...own }),
      );
      groups.keep(child);
      const stdio = child.stdio as readonly unknown[] as readonly Socket[];
      const pid = caged
        ? followCage({ filter: stdio[FILTER], status: stdio[STATUS] }, files.startFilter)
        : () => child.pid;
      await once(child, 'spawn');
      return {
        process: child,
        socket: stdio[CHANNEL] as Socket,
        walls: wallsAround({ files, means }, options),
        pid,
        kill: () => killGroup(child),
      };
    },
  };
}
