// What this machine offers for walls: tried out once, because being installed is not being allowed.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { bwrapArguments, nodeLibraryPaths } from './bubblewrap.ts';
import { canSwitchUser, createUserIdAllocator } from './host-user.ts';
import { createProcessGroups, USE_PROCESS_GROUPS } from './process-group.ts';
import type { SandboxFiles } from './sandbox-files.ts';
import type { SystemTools } from './system-tools.ts';
import { ulimitOptions, ulimitProbeScript } from './ulimits.ts';

export interface HostCapabilities {
  /** Those of the tools that do here what a wall needs. */
  readonly tools: SystemTools;
  /** Options of `ulimit` that shell and kernel accept, by their letter. */
  readonly limits: ReadonlySet<string>;
  /** Ids for hosts; absent where they run as the server's own user. */
  readonly userId?: () => number;
  /** All that a host sees under bubblewrap. */
  readonly visible: readonly string[];
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
    createProcessGroups().keep(child);
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

/** The letter of an option of `ulimit`, as in `Means.limits`. */
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
  trial: { visible: readonly string[]; files: SandboxFiles },
) {
  const { startFilter } = trial.files;
  const filter = startFilter === null ? undefined : 4;
  const command = [
    bwrap,
    ...bwrapArguments({ files: trial.visible, filter, status: 5 }),
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
export async function detectHostCapabilities({
  tools,
  files,
  memoryMb,
}: DetectOptions): Promise<HostCapabilities> {
  const { sh, env, setpriv, bwrap } = tools;
  const programs = [process.execPath, ...nodeLibraryPaths(), files.binding];
  const visible = [...programs, files.folder];
  if (sh === undefined) return { tools: {}, limits: new Set(), visible };
  const userId = canSwitchUser([...programs, ...files.scripts])
    ? createUserIdAllocator(randomInt)
    : undefined;
  const asStranger = userId === undefined ? undefined : await probeUlimits(sh, userId(), memoryMb);
  const limits = asStranger ?? (await probeUlimits(sh, undefined, memoryMb)) ?? new Set();
  const own = asStranger === undefined || userId === undefined ? {} : { userId };
  const base = { sh, ...(env === undefined ? {} : { env }) };
  const trial = { visible, files };
  if (bwrap !== undefined) {
    const found = { tools: { ...base, bwrap }, limits, visible };
    if (await canRunBwrap(bwrap, own.userId?.(), trial)) return { ...found, ...own };
    if (own.userId !== undefined && (await canRunBwrap(bwrap, undefined, trial))) return found;
  }
  const binds = setpriv !== undefined && (await canRunSetpriv(setpriv, own.userId?.()));
  return { tools: binds ? { ...base, setpriv } : base, limits, visible, ...own };
}
