// How long a thread keeps others waiting, whatever else the machine does meanwhile.

/** The longest that this thread worked without a turn for others while `work` ran, in milliseconds of processor time. */
export async function heldBy(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let cpu = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(cpu);
    longest = Math.max(longest, (user + system) / 1000);
    cpu = process.threadCpuUsage();
  };
  const timer = setInterval(look, 2);
  await work();
  look();
  clearInterval(timer);
  return longest;
}
