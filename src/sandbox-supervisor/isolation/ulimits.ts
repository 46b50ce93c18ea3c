// Limits that the kernel keeps for a host, set by the shell that starts it.

export interface UlimitOptions {
  readonly jit: boolean;
  /** Private memory in MB; not set with the compiler, which reserves more than it uses. */
  readonly memoryMb: number;
  /** It has a user of its own: the kernel counts threads by user, and would count those of others too. */
  readonly ownUser: boolean;
}

/** A backstop for a host that nobody kills any more. The server replaces hosts long before. */
const MAX_CPU_SECONDS = 900;
/** Threads and processes: a host has a dozen. */
const MAX_THREADS = 64;

/** Options of `ulimit`. Sizes are in kilobytes, but for files, whose unit differs from shell to shell: zero is zero in all. */
export function ulimitOptions({ jit, memoryMb, ownUser }: UlimitOptions): string[] {
  return [
    // A dump of memory would hold what callers sent.
    '-c 0',
    '-f 0',
    '-n 64',
    // Also the stack of guests: 12,700 frames. Stacks of threads count as private memory.
    '-s 1024',
    `-t ${MAX_CPU_SECONDS}`,
    // The same in the words of different shells: of two, one accepts it.
    ...(ownUser ? [`-u ${MAX_THREADS}`, `-p ${MAX_THREADS}`] : []),
    ...(jit ? [] : [`-d ${memoryMb * 1024}`]),
  ];
}

/**
 * A script that sets the limits and becomes its arguments. One option for each `ulimit` and `&&` between them: given two at
 * once, dash prints an error, and after `;` the host would start unlimited.
 */
export function ulimitScript(options: readonly string[]): string {
  return [...options.map((option) => `ulimit ${option}`), 'exec "$0" "$@"'].join(' && ');
}

/** A script that prints those options, one a line, which this shell and kernel accept. */
export function ulimitProbeScript(options: readonly string[]): string {
  return options.map((option) => `(ulimit ${option}) 2>/dev/null && echo '${option}'`).join('\n');
}
