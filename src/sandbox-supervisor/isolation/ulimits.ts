// Kernel limits of a host (`ulimit`), set by the shell that starts it.

export interface UlimitOptions {
  readonly jit: boolean;
  /** Private memory in MB; not limited with the compiler, which reserves more than it uses. */
  readonly memoryMb: number;
  /** Each host has its own user. Else threads are not limited: the kernel counts those of all processes of the user. */
  readonly ownUser: boolean;
}

/** A last resort for a host that the server no longer kills. The server replaces hosts long before. */
const MAX_CPU_SECONDS = 900;
/** Threads and processes: a host has a dozen. */
const MAX_THREADS = 64;

/** Options of `ulimit`. Sizes are in kilobytes, except for files, whose unit differs between shells: zero is zero in all. */
export function ulimitOptions({ jit, memoryMb, ownUser }: UlimitOptions): string[] {
  return [
    // A core dump would hold what callers sent.
    '-c 0',
    '-f 0',
    '-n 64',
    // Also the stack of guests: 12,700 frames. Stacks of threads count as private memory.
    '-s 1024',
    `-t ${MAX_CPU_SECONDS}`,
    // Shells differ in the letter: each accepts one of the two.
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

/** A script that prints, one a line, the options that this shell and kernel accept. */
export function ulimitProbeScript(options: readonly string[]): string {
  return options.map((option) => `(ulimit ${option}) 2>/dev/null && echo '${option}'`).join('\n');
}
