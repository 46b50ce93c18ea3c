// Starts host processes, with every wall around them that this machine has.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { bwrapArguments } from './bubblewrap.ts';
import { watchBwrap } from './bwrap-status.ts';
import { detectHostCapabilities, type HostCapabilities, ulimitLetter } from './host-capabilities.ts';
import { withOnlyPipes } from './inherited-descriptors.ts';
import type { IsolationLayers } from './isolation-levels.ts';
import { nodeFlags } from './node-flags.ts';
import { createProcessGroups, killGroup, USE_PROCESS_GROUPS } from './process-group.ts';
import { readSandboxFiles, type SandboxFiles } from './sandbox-files.ts';
import { findSystemTools, type SystemTools } from './system-tools.ts';
import { ulimitOptions, ulimitScript } from './ulimits.ts';

interface LaunchOptions {
  /** With the just-in-time compiler: no bound on its memory then but the heap limits of the isolates. */
  readonly jit: boolean;
  /** Private memory that the process may have (RLIMIT_DATA), in MB. */
  readonly memoryMb: number;
  /** Which script of the sandbox folder runs; `host.js` if not said. */
  readonly script?: 'host.js' | 'self-test.js';
}

/** A started host. It has sent nothing yet. */
export interface HostProcess {
  /** What was spawned; its exit is the host's. See `exitSignal` for the cause. */
  readonly process: ChildProcess;
  /** The other end is the host's descriptor 3, and its only one. */
  readonly socket: Socket;
  /** What was built around it. `wallsInForce` adds what the host says when it is ready. */
  readonly layers: IsolationLayers;
  /** Pid of the process that runs guest code, for `/proc`; undefined while unknown. Not the spawned one under bubblewrap. */
  pid(): number | undefined;
  /** SIGKILL, for all that was spawned. */
  kill(): void;
}

export interface Launcher {
  /** Rejects when no process can be started. Call it on the main thread: hosts die with the thread that started them. */
  launch(options: LaunchOptions): Promise<HostProcess>;
}

interface LauncherOptions {
  /** Folder of the package. */
  readonly root: URL;
  /** Programs to build with; those of the machine if not said. */
  readonly tools?: SystemTools;
}

const CHANNEL_FD = 3;
const FILTER_FD = 4;
const STATUS_FD = 5;

interface IsolationSetup {
  readonly files: SandboxFiles;
  readonly means: HostCapabilities;
}

const acceptedUlimits = (means: HostCapabilities, options: LaunchOptions) =>
  ulimitOptions({ ...options, ownUser: means.userId !== undefined }).filter((option) =>
    means.limits.has(ulimitLetter(option)),
  );

function commandLine({ files, means }: IsolationSetup, options: LaunchOptions): string[] {
  const { sh, env, setpriv, bwrap } = means.tools;
  const { binding, folder } = files;
  const flags = nodeFlags({ jit: options.jit, readable: [binding, folder] });
  const filter = files.startFilter === null ? undefined : FILTER_FD;
  return [
    ...(sh === undefined ? [] : [sh, '-c', ulimitScript(acceptedUlimits(means, options))]),
    // Some shells add variables of their own.
    ...(env === undefined ? [] : [env, '-i', 'PWD=/']),
    ...(setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--']),
    ...(bwrap === undefined
      ? []
      : [bwrap, ...bwrapArguments({ files: means.visible, filter, status: STATUS_FD })]),
    ...[process.execPath, ...flags, files.script(options.script ?? 'host.js'), binding],
  ];
}

function outerLayers({ files, means }: IsolationSetup, options: LaunchOptions): IsolationLayers {
  const { setpriv, bwrap } = means.tools;
  const bound = setpriv !== undefined || bwrap !== undefined;
  const limited = new Set(acceptedUlimits(means, options).map(ulimitLetter));
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
export function createLauncher({ root, tools = findSystemTools() }: LauncherOptions): Launcher {
  let machine: Promise<IsolationSetup> | undefined;
  const groups = createProcessGroups();
  const explore = async (memoryMb: number): Promise<IsolationSetup> => {
    const files = await readSandboxFiles(root);
    return { files, means: await detectHostCapabilities({ tools, files, memoryMb }) };
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
      const child = withOnlyPipes(caged ? STATUS_FD - CHANNEL_FD + 1 : 1, (stdio) =>
        spawn(program, args, { cwd: '/', env: { PWD: '/' }, stdio, detached: USE_PROCESS_GROUPS, ...own }),
      );
      groups.keep(child);
      const stdio = child.stdio as readonly unknown[] as readonly Socket[];
      const pid = caged
        ? watchBwrap({ filter: stdio[FILTER_FD], status: stdio[STATUS_FD] }, files.startFilter)
        : () => child.pid;
      await once(child, 'spawn');
      return {
        process: child,
        socket: stdio[CHANNEL_FD] as Socket,
        layers: outerLayers({ files, means }, options),
        pid,
        kill: () => killGroup(child),
      };
    },
  };
}
