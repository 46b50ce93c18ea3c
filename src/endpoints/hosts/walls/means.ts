// What this machine offers for walls: tried out once, because being installed is not being allowed.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { cage, nodeLibraries } from './bubblewrap.ts';
import { tryoutScript, ulimits } from './limits.ts';
import { canOwnUsers, createUserIds } from './own-user.ts';
import { createGroupKeeper, GROUPS } from './process-group.ts';
import type { SandboxFiles } from './sandbox-files.ts';
import type { Tools } from './tools.ts';

export interface Means {
  /** Those of the tools that do here what a wall needs. */
  readonly tools: Tools;
  /** Options of `ulimit` that shell and kernel accept, by their letter. */
  readonly limits: ReadonlySet<string>;
  /** Ids for hosts; absent where they run as the server's own user. */
  readonly userId?: () => number;
  /** All that a host sees under bubblewrap. */
  readonly visible: readonly string[];
}

interface Trial {
  readonly command: readonly string[];
  readonly user?: number | undefined;
  /** Written to descriptor 4. */
  readonly filter?: Uint8Array | null;
}

const TRIAL_MS = 5_000;

/** What the command prints, or undefined when it cannot be run or fails. */
function tryOut({ command: [program = '', ...args], user, filter }: Trial): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: '/',
      env: { PWD: '/' },
      stdio: ['ignore', 'pipe', 'ignore', 'ignore', 'pipe', 'pipe'],
      timeout: TRIAL_MS,
      killSignal: 'SIGKILL',
      detached: GROUPS,
      ...(user === undefined ? {} : { uid: user, gid: user }),
    });
    createGroupKeeper().keep(child);
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
export function letterOf(option: string): string {
  return option.slice(0, 2);
}

type User = number | undefined;

async function acceptedLimits(sh: string, user: User, memoryMb: number) {
  const script = `${tryoutScript(ulimits({ jit: false, memoryMb, ownUser: user !== undefined }))}\ntrue`;
  const printed = await tryOut({ command: [sh, '-c', script], user });
  return printed === undefined ? undefined : new Set(printed.split('\n').filter(Boolean).map(letterOf));
}

async function canCage(
  bwrap: string,
  user: User,
  trial: { visible: readonly string[]; files: SandboxFiles },
) {
  const { startFilter } = trial.files;
  const filter = startFilter === null ? undefined : 4;
  const command = [
    bwrap,
    ...cage({ files: trial.visible, filter, status: 5 }),
    process.execPath,
    '--version',
  ];
  return (await tryOut({ command, user, filter: startFilter })) !== undefined;
}

async function canBind(setpriv: string, user: User) {
  const command = [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--', process.execPath, '--version'];
  return (await tryOut({ command, user })) !== undefined;
}

interface Search {
  readonly tools: Tools;
  readonly files: SandboxFiles;
  readonly memoryMb: number;
}

/** Tries the strongest combination first. Takes about 30 ms where all is there. */
export async function findMeans({ tools, files, memoryMb }: Search): Promise<Means> {
  const { sh, env, setpriv, bwrap } = tools;
  const programs = [process.execPath, ...nodeLibraries(), files.binding];
  const visible = [...programs, files.folder];
  if (sh === undefined) return { tools: {}, limits: new Set(), visible };
  const userId = canOwnUsers([...programs, ...files.scripts]) ? createUserIds(randomInt) : undefined;
  const asStranger = userId === undefined ? undefined : await acceptedLimits(sh, userId(), memoryMb);
  const limits = asStranger ?? (await acceptedLimits(sh, undefined, memoryMb)) ?? new Set();
  const own = asStranger === undefined || userId === undefined ? {} : { userId };
  const base = { sh, ...(env === undefined ? {} : { env }) };
  const trial = { visible, files };
  if (bwrap !== undefined) {
    const found = { tools: { ...base, bwrap }, limits, visible };
    if (await canCage(bwrap, own.userId?.(), trial)) return { ...found, ...own };
    if (own.userId !== undefined && (await canCage(bwrap, undefined, trial))) return found;
  }
  const binds = setpriv !== undefined && (await canBind(setpriv, own.userId?.()));
  return { tools: binds ? { ...base, setpriv } : base, limits, visible, ...own };
}
