// How long a thread has really run: clocks on the wall go on while a busy machine lets it stand still.

/** Milliseconds of the processor that this thread has had. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
