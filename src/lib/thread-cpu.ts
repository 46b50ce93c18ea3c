// CPU time of the current thread, which unlike wall-clock time does not pass while a busy machine runs others.

/** Milliseconds of CPU time that this thread has used. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
