// Drives one server with autocannon, and watches the memory of its process meanwhile.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

const CONNECTIONS = 10;
const WARM_UP_SECONDS = 1;
const SAMPLE_MS = 100;
const TURNS = 3;
// What Linux counts processor time in.
const TICKS_PER_SECOND = 100;

export interface Load {
  readonly method: 'GET' | 'POST';
  /** Requested in turn. */
  readonly paths: readonly string[];
  /** Makes the body of each request. */
  readonly body?: () => string;
}

export interface Target {
  readonly url: string;
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Measurement {
  /** Of the best slice: what else the machine was doing takes from the others. */
  readonly perSecond: number;
  /** Processor time of the server for one request, in microseconds, over all slices. */
  readonly cpu: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The most that the server's process held, in bytes. */
  readonly rss: number;
}

interface Slice {
  readonly perSecond: number;
  readonly total: number;
  readonly used: number;
  readonly p50: number;
  readonly p99: number;
  readonly rss: number;
}

/** Resident memory in bytes; 0 where the platform does not tell. */
function residentMemory(pid: number): number {
  try {
    const kilobytes = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmRSS:\s+(\d+)/m)?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

async function fire(target: Target, load: Load, seconds: number) {
  const result = await autocannon({
    url: target.url,
    connections: CONNECTIONS,
    duration: seconds,
    requests: load.paths.map((path) => ({
      method: load.method,
      path,
      headers: {
        ...target.headers,
        ...(load.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(load.body === undefined
        ? {}
        : { setupRequest: (request: autocannon.Request) => ({ ...request, body: load.body?.() ?? '' }) }),
    })),
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${load.method} ${load.paths[0]}: ${result.non2xx} refused, ${result.errors} broken`);
  }
  return result;
}

/** Processor time that a process has used, in seconds, its threads included; 0 where the platform does not tell. */
function processorTime(pid: number): number {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(afterName[11]) + Number(afterName[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

async function slice(target: Target, load: Load, seconds: number): Promise<Slice> {
  let rss = residentMemory(target.pid);
  const sampler = setInterval(() => {
    rss = Math.max(rss, residentMemory(target.pid));
  }, SAMPLE_MS);
  const before = processorTime(target.pid);
  try {
    const { requests, latency } = await fire(target, load, seconds);
    const used = processorTime(target.pid) - before;
    return {
      perSecond: requests.average,
      total: requests.total,
      used,
      p50: latency.p50,
      p99: latency.p99,
      rss,
    };
  } finally {
    clearInterval(sampler);
  }
}

function summary(slices: readonly Slice[]): Measurement {
  const best = slices.reduce((a, b) => (b.perSecond > a.perSecond ? b : a));
  const total = slices.reduce((sum, { total }) => sum + total, 0);
  const used = slices.reduce((sum, { used }) => sum + used, 0);
  const rss = Math.max(...slices.map((one) => one.rss));
  return { perSecond: best.perSecond, cpu: (used / total) * 1_000_000, p50: best.p50, p99: best.p99, rss };
}

/** Warms both up, then measures them in turns of `seconds` each. Rejects when any answer is not 2xx. */
export async function compare(
  contestants: readonly (readonly [Target, Load])[],
  seconds: number,
): Promise<Measurement[]> {
  for (const [target, load] of contestants) await fire(target, load, WARM_UP_SECONDS);
  const slices: Slice[][] = contestants.map(() => []);
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const [at, [target, load]] of contestants.entries())
      slices[at]?.push(await slice(target, load, seconds));
  }
  return slices.map(summary);
}
