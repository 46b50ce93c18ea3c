// Programs of the machine that isolate hosts (ulimit, setpriv, bwrap), none of them required: how a host runs under bubblewrap, and
// which of them work here, as an installed one may still be forbidden.

import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { isOutOfResources, StartError } from '../../errors/start-error.ts';
import { startChild } from '../../lib/processes/start-child.ts';
import { createProcessGroups, USE_PROCESS_GROUPS } from './child-process.ts';
import { canSwitchUser, createUserIdAllocator, ulimitOptions, ulimitProbeScript } from './host-privileges.ts';
import type { SandboxFiles } from './sandbox-files.ts';

interface BwrapOptions {
  /** Absolute paths of all that the host sees, read-only. */
  readonly files: readonly string[];
  /** Descriptor from which bwrap reads the system call filter, if there is one for this machine. */
  readonly filter: number | undefined;
  /** Descriptor to which bwrap writes the pid. */
  readonly status: number;
}

/**
 * Arguments of `bwrap` before the command. It mounts no `/proc` and no `/dev`: Node does without, and many containers do not
 * allow to mount them.
 */
export function bwrapArguments({ files, filter, status }: BwrapOptions): string[] {
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--clearenv', '--setenv', 'PWD', '/'],
    ...files.flatMap((file) => ['--ro-bind', file, file]),
    ...['--remount-ro', '/', '--chdir', '/'],
    ...(filter === undefined ? [] : ['--seccomp', String(filter)]),
    ...['--json-status-fd', String(status), '--'],
  ];
}

interface BwrapPipes {
  readonly filter: Socket | undefined;
  readonly status: Socket | undefined;
}

const MAX_STATUS_CHARACTERS = 4096;

/** The host is the only child of the first process in its namespace, whose pid bubblewrap prints as `{"child-pid": …}`. */
function outerPid(status: string): number | undefined {
  const first = /"child-pid":\s*(\d{1,10})/.exec(status)?.[1];
  if (first === undefined) return undefined;
  try {
    const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8');
    return Number.parseInt(children, 10) || undefined;
  } catch {
    return undefined;
  }
}

/** Sends bwrap the system call filter. Returns a function that returns the pid of the host on this machine, once it is known. */
export function watchBwrap(
  { filter, status }: BwrapPipes,
  program: Uint8Array | null,
): () => number | undefined {
  for (const stream of [filter, status]) {
    // bwrap may exit before it has read; the `exit` event follows.
    stream?.on('error', () => undefined);
    stream?.unref();
  }
  filter?.end(program ?? '');
  let printed = '';
  status?.on('data', (chunk: Buffer) => {
    if (printed.length < MAX_STATUS_CHARACTERS) printed += chunk.toString();
  });
  let pid: number | undefined;
  return () => {
    pid ??= outerPid(printed);
    return pid;
  };
}

const TOOL_NAMES = ['sh', 'env', 'setpriv', 'bwrap'] as const;

/** Absolute paths of the installed ones. */
export type SystemTools = Readonly<Partial<Record<(typeof TOOL_NAMES)[number], string>>>;

/** Fixed, not PATH: the environment of the server must not decide what isolates hosts. */
const TOOL_FOLDERS = [
  '/usr/bin',
  '/bin',
  '/usr/sbin',
  '/sbin',
  '/usr/local/bin',
  '/run/current-system/sw/bin',
];

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Finds the first program of each name in these folders; none on Windows. */
export function findSystemTools(folders: readonly string[] = TOOL_FOLDERS): SystemTools {
  if (process.platform === 'win32') return {};
  return Object.fromEntries(
    TOOL_NAMES.flatMap((name) => {
      const path = folders.map((folder) => join(folder, name)).find(executable);
      return path === undefined ? [] : [[name, path]];
    }),
  );
}

export interface AvailableTools {
  /** The tools that work here. */
  readonly tools: SystemTools;
  /** Letters of the `ulimit` options that shell and kernel accept. */
  readonly limits: ReadonlySet<string>;
  /** Allocates a user id for a host; absent where hosts run as the user of the server. */
  readonly allocateUserId?: () => number;
  /** All that a host sees under bubblewrap. */
  readonly visiblePaths: readonly string[];
}

interface ProbeOptions {
  readonly command: readonly string[];
  readonly user?: number | undefined;
  /** Written to descriptor 4. */
  readonly filter?: Uint8Array | null;
}

const PROBE_TIMEOUT_MS = 5_000;

/** What a program says that works, but for which the system has no process, descriptor or memory left at this moment. */
const OUT_OF_RESOURCES =
  /Resource temporarily unavailable|Too many open files|Cannot allocate memory|Cannot fork|No space left on device/i;
const MAX_COMPLAINT_CHARACTERS = 4096;

/**
 * What the command prints, or undefined when it cannot be run or fails. Rejects with a StartError where the system has nothing
 * left: that says nothing about the command, and a server must not run with less isolation for good because of it.
 */
async function probe({
  command: [program = '', ...args],
  user,
  filter,
}: ProbeOptions): Promise<string | undefined> {
  const options: SpawnOptions = {
    cwd: '/',
    env: { PWD: '/' },
    stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'pipe', 'pipe'],
    timeout: PROBE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    detached: USE_PROCESS_GROUPS,
    ...(user === undefined ? {} : { uid: user, gid: user }),
  };
  let child: ChildProcess;
  try {
    child = await startChild(program, args, options);
  } catch (error) {
    if (isOutOfResources(error)) throw error;
    return undefined;
  }
  createProcessGroups().add(child);
  let printed = '';
  let complaint = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    if (complaint.length < MAX_COMPLAINT_CHARACTERS) complaint += chunk.toString();
  });
  const [input, status] = (child.stdio as readonly unknown[]).slice(4) as [Socket, Socket];
  for (const stream of [input, status]) stream.on('error', () => undefined);
  status.resume();
  input.end(filter ?? '');
  const [code] = await once(child, 'close');
  if (code === 0) return printed;
  if (OUT_OF_RESOURCES.test(complaint)) throw new StartError(program, new Error(complaint));
  return undefined;
}

/** The letter of a `ulimit` option, as in `HostCapabilities.limits`. */
export function ulimitLetter(option: string): string {
  return option.slice(0, 2);
}

type User = number | undefined;

async function probeUlimits(sh: string, user: User, memoryMb: number) {
  const script = `${ulimitProbeScript(ulimitOptions({ jit: false, memoryMb, ownUser: user !== undefined }))}\ntrue`;
  const printed = await probe({ command: [sh, '-c', script], user });
  return printed === undefined ? undefined : new Set(printed.split('\n').filter(Boolean).map(ulimitLetter));
}

async function canRunBwrap(
  bwrap: string,
  user: User,
  { visiblePaths, files }: { visiblePaths: readonly string[]; files: SandboxFiles },
) {
  const { startFilter } = files;
  const filter = startFilter === null ? undefined : 4;
  const command = [
    bwrap,
    ...bwrapArguments({ files: visiblePaths, filter, status: 5 }),
    process.execPath,
    '--version',
  ];
  return (await probe({ command, user, filter: startFilter })) !== undefined;
}

async function canRunSetpriv(setpriv: string, user: User) {
  const command = [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--', process.execPath, '--version'];
  return (await probe({ command, user })) !== undefined;
}

interface DetectOptions {
  readonly tools: SystemTools;
  readonly files: SandboxFiles;
  readonly memoryMb: number;
}

/**
 * Tries the strongest combination first. Takes about 30 ms where all is there. Rejects with a StartError where it cannot be told,
 * because the system has no processes or descriptors left.
 */
export async function detectAvailableTools({
  tools,
  files,
  memoryMb,
}: DetectOptions): Promise<AvailableTools> {
  const { sh, env, setpriv, bwrap } = tools;
  const programs = [process.execPath, ...files.nodeLibraries, files.binding];
  const visiblePaths = [...programs, files.folder];
  if (sh === undefined) return { tools: {}, limits: new Set(), visiblePaths };
  const allocateUserId = canSwitchUser([...programs, ...files.scripts])
    ? createUserIdAllocator(randomInt)
    : undefined;
  const asOtherUser =
    allocateUserId === undefined ? undefined : await probeUlimits(sh, allocateUserId(), memoryMb);
  const limits = asOtherUser ?? (await probeUlimits(sh, undefined, memoryMb)) ?? new Set();
  const user = asOtherUser === undefined || allocateUserId === undefined ? {} : { allocateUserId };
  const base = { sh, ...(env === undefined ? {} : { env }) };
  if (bwrap !== undefined) {
    const found = { tools: { ...base, bwrap }, limits, visiblePaths };
    const paths = { visiblePaths, files };
    if (await canRunBwrap(bwrap, user.allocateUserId?.(), paths)) return { ...found, ...user };
    if (user.allocateUserId !== undefined && (await canRunBwrap(bwrap, undefined, paths))) return found;
  }
  const binds = setpriv !== undefined && (await canRunSetpriv(setpriv, user.allocateUserId?.()));
  return { tools: binds ? { ...base, setpriv } : base, limits, visiblePaths, ...user };
}
