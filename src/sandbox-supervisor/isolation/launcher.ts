// Starts host processes, with every isolation layer that works on this machine.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { untilStarted } from '../../lib/processes/start-child.ts';
import { createProcessGroups, killGroup, USE_PROCESS_GROUPS, withOnlyPipes } from './child-process.ts';
import { nodeFlags, ulimitOptions, ulimitScript } from './host-privileges.ts';
import type { IsolationLayers } from './isolation-levels.ts';
import { readSandboxFiles, type SandboxFiles } from './sandbox-files.ts';
import {
  type AvailableTools,
  bwrapArguments,
  detectAvailableTools,
  findSystemTools,
  type SystemTools,
  ulimitLetter,
  watchBwrap,
} from './system-tools.ts';

interface LaunchOptions {
  /** With the just-in-time compiler: then only the heap limits of the isolates bound its memory. */
  readonly jit: boolean;
  /** Private memory that the process may have (RLIMIT_DATA), in MB. */
  readonly memoryMb: number;
  /** Script of the sandbox folder to run; default `host.js`. */
  readonly script?: 'host.js' | 'self-test.js';
}

/** A started host. It has sent nothing yet. */
export interface HostProcess {
  /** The spawned process; it exits with the host. See `exitSignal` for the cause. */
  readonly process: ChildProcess;
  /** Its other end is descriptor 3 of the host, and the only one that is open. */
  readonly socket: Socket;
  /** The outer layers. `activeLayers` adds those that the host reports when it is ready. */
  readonly layers: IsolationLayers;
  /** Pid of the process that runs guest code, for `/proc`; undefined while unknown. Not the spawned one under bubblewrap. */
  pid(): number | undefined;
  /** Sends SIGKILL to all that was spawned. */
  kill(): void;
}

export interface Launcher {
  /** Rejects with a StartError when no process can be started. Call it on the main thread: hosts die with the thread that started them. */
  launch(options: LaunchOptions): Promise<HostProcess>;
}

interface LauncherOptions {
  /** Folder of the package. */
  readonly root: URL;
  /** Default: those of the machine. */
  readonly tools?: SystemTools;
}

const CHANNEL_FD = 3;
const FILTER_FD = 4;
const STATUS_FD = 5;

interface IsolationSetup {
  readonly files: SandboxFiles;
  readonly capabilities: AvailableTools;
}

const acceptedUlimits = (capabilities: AvailableTools, options: LaunchOptions) =>
  ulimitOptions({ ...options, ownUser: capabilities.allocateUserId !== undefined }).filter((option) =>
    capabilities.limits.has(ulimitLetter(option)),
  );

function commandLine({ files, capabilities }: IsolationSetup, options: LaunchOptions): string[] {
  const { sh, env, setpriv, bwrap } = capabilities.tools;
  const { binding, folder } = files;
  const flags = nodeFlags({ jit: options.jit, readable: [binding, folder] });
  const filter = files.startFilter === null ? undefined : FILTER_FD;
  return [
    ...(sh === undefined ? [] : [sh, '-c', ulimitScript(acceptedUlimits(capabilities, options))]),
    // Some shells add variables of their own.
    ...(env === undefined ? [] : [env, '-i', 'PWD=/']),
    ...(setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--']),
    ...(bwrap === undefined
      ? []
      : [bwrap, ...bwrapArguments({ files: capabilities.visiblePaths, filter, status: STATUS_FD })]),
    ...[process.execPath, ...flags, files.script(options.script ?? 'host.js'), binding],
  ];
}

function outerLayers({ files, capabilities }: IsolationSetup, options: LaunchOptions): IsolationLayers {
  const { setpriv, bwrap } = capabilities.tools;
  const isBound = setpriv !== undefined || bwrap !== undefined;
  const limited = new Set(acceptedUlimits(capabilities, options).map(ulimitLetter));
  return {
    emptyEnvironment: process.platform !== 'win32',
    jitless: !options.jit,
    limits: ['-c', '-f', '-n', '-s', '-t'].every((letter) => limited.has(letter)),
    // Elsewhere the limit is accepted and counts next to nothing.
    memoryLimit: limited.has('-d') && process.platform === 'linux',
    diesWithServer: isBound,
    noNewPrivileges: isBound,
    ownUser: capabilities.allocateUserId !== undefined,
    namespaces: bwrap !== undefined,
    startFilter: bwrap !== undefined && files.startFilter !== null,
    reviewedBinding: files.reviewed,
  };
}

/** Creates the launcher, one for the whole server. It probes the machine at the first launch. */
export function createLauncher({ root, tools = findSystemTools() }: LauncherOptions): Launcher {
  let setup: Promise<IsolationSetup> | undefined;
  const groups = createProcessGroups();
  const prepare = async (memoryMb: number): Promise<IsolationSetup> => {
    const files = await readSandboxFiles(root);
    return { files, capabilities: await detectAvailableTools({ tools, files, memoryMb }) };
  };
  return {
    async launch(options) {
      setup ??= prepare(options.memoryMb).catch((error: unknown) => {
        setup = undefined;
        throw error;
      });
      const { files, capabilities } = await setup;
      const [program = '', ...args] = commandLine({ files, capabilities }, options);
      const usesBwrap = capabilities.tools.bwrap !== undefined;
      const user = capabilities.allocateUserId?.();
      const ids = user === undefined ? {} : { uid: user, gid: user };
      const start = () =>
        withOnlyPipes(usesBwrap ? STATUS_FD - CHANNEL_FD + 1 : 1, (stdio) =>
          spawn(program, args, { cwd: '/', env: { PWD: '/' }, stdio, detached: USE_PROCESS_GROUPS, ...ids }),
        );
      const child = await untilStarted(start, 'a host');
      groups.add(child);
      const stdio = child.stdio as readonly unknown[] as readonly Socket[];
      const pid = usesBwrap
        ? watchBwrap({ filter: stdio[FILTER_FD], status: stdio[STATUS_FD] }, files.startFilter)
        : () => child.pid;
      return {
        process: child,
        socket: stdio[CHANNEL_FD] as Socket,
        layers: outerLayers({ files, capabilities }, options),
        pid,
        kill: () => killGroup(child),
      };
    },
  };
}
