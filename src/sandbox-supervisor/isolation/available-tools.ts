// Probes which isolation tools (ulimit, setpriv, bwrap, setuid) work on this machine: an installed tool may still be forbidden.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { createProcessGroups, USE_PROCESS_GROUPS } from './child-process.ts';
import { canSwitchUser, createUserIdAllocator, ulimitOptions, ulimitProbeScript } from './host-privileges.ts';
import type { SandboxFiles } from './sandbox-files.ts';
import { bwrapArguments, nodeLibraryPaths, type SystemTools } from './system-tools.ts';

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

/** What the command prints, or undefined when it cannot be run or fails. */
function probe({
  command: [program = '', ...args],
  user,
  filter,
}: ProbeOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: '/',
      env: { PWD: '/' },
      stdio: ['ignore', 'pipe', 'ignore', 'ignore', 'pipe', 'pipe'],
      timeout: PROBE_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      detached: USE_PROCESS_GROUPS,
      ...(user === undefined ? {} : { uid: user, gid: user }),
    });
    createProcessGroups().add(child);
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const [input, status] = (child.stdio as readonly unknown[]).slice(4) as [Socket, Socket];
    for (const stream of [input, status]) stream.on('error', () => undefined);
    status.resume();
    input.end(filter ?? '');
    child.once('error', () => resolve(undefined));
    child.once('close', (code) => resolve(code === 0 ? printed : undefined));
  });
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

/** Tries the strongest combination first. Takes about 30 ms where all is there. */
export async function detectAvailableTools({
  tools,
  files,
  memoryMb,
}: DetectOptions): Promise<AvailableTools> {
  const { sh, env, setpriv, bwrap } = tools;
  const programs = [process.execPath, ...nodeLibraryPaths(), files.binding];
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
