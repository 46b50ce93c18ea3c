// Drives one server with autocannon, and watches the memory of its process meanwhile.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

const CONNECTIONS = 10;
const WARM_UP_SECONDS = 1;
const SAMPLE_MS = 100;

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
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The most that the server's process held, in bytes. */
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

/** Warms up, then measures for `seconds`. Rejects when any answer is not 2xx. */
export async function measure(target: Target, load: Load, seconds: number): Promise<Measurement> {
  await fire(target, load, WARM_UP_SECONDS);
  let rss = residentMemory(target.pid);
  const sampler = setInterval(() => {
    rss = Math.max(rss, residentMemory(target.pid));
  }, SAMPLE_MS);
  try {
    const { requests, latency } = await fire(target, load, seconds);
    return { perSecond: requests.average, p50: latency.p50, p99: latency.p99, rss };
  } finally {
    clearInterval(sampler);
  }
}
