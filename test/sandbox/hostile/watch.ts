// Watches the process that serves: how long it works in one piece, and how much memory it takes.
const EVERY_MS = 5;

export interface Watch {
  /** Milliseconds of processor time of the longest piece of work: what waits for the machine is not counted. */
  longestWork(): number;
  /** Bytes by which resident memory has grown at its largest. */
  grown(): number;
  stop(): void;
}

export function watchProcess(): Watch {
  const startedWith = process.memoryUsage.rss();
  let largest = startedWith;
  let longest = 0;
  let last = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    longest = Math.max(longest, (user + system) / 1000);
    largest = Math.max(largest, process.memoryUsage.rss());
  }, EVERY_MS);
  return {
    longestWork: () => longest,
    grown: () => largest - startedWith,
    stop: () => clearInterval(timer),
  };
}
