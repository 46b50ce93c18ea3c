// Programs of the machine that isolate hosts, none of them required, and how a host runs under bubblewrap: its command line,
// and the pipes to it.

import { accessSync, constants, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';

interface BwrapOptions {
  /** Absolute paths of all that the host sees, read-only. */
  readonly files: readonly string[];
  /** Descriptor from which bwrap reads the system call filter, if there is one for this machine. */
  readonly filter: number | undefined;
  /** Descriptor to which bwrap writes the pid. */
  readonly status: number;
}

/** Paths of the libraries of the running Node, as its loader looks for them. */
export function nodeLibraryPaths(): string[] {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const before = report.excludeNetwork;
  // Including the network would make DNS queries.
  report.excludeNetwork = true;
  const { sharedObjects } = report.getReport() as unknown as { readonly sharedObjects: readonly string[] };
  report.excludeNetwork = before;
  return sharedObjects.filter((path) => path.startsWith('/') && !path.endsWith('.node'));
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
function hostPid(status: string): number | undefined {
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
    pid ??= hostPid(printed);
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
