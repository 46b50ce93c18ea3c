// What this process has really used: clocks on the wall go on while a busy machine lets it stand still, and not all memory is counted by V8.

/** Milliseconds of the processor that this thread has had. */
export function cpu() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The most megabytes of memory that this process has ever had at a time. */
export const peakMb = () => process.resourceUsage().maxRSS / 1024;
