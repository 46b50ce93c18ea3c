// Drives one server with autocannon, and watches the memory of its process meanwhile.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

const CONNECTIONS = 10;
const WARM_UP_SECONDS = 1;
const SAMPLE_MS = 100;
const TURNS = 5;
// What Linux counts processor time in.
const TICKS_PER_SECOND = 100;

export interface Load {
  readonly method: 'GET' | 'POST';
  /** Requested in turn. */
  readonly paths: readonly string[];
  /** The body of each request, or what makes it. */
  readonly body?: string | (() => string | Buffer);
  /** JSON unless given. */
  readonly contentType?: string;
  /** Requests in flight; 10 unless given. */
  readonly connections?: number;
  /** Whether answers other than 2xx are part of it. */
  readonly refusals?: boolean;
}

export interface Target {
  readonly url: string;
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Other processes that work for it. */
  readonly helpers?: () => readonly number[];
  /** The process of its database, where that is another one. */
  readonly database?: number;
}

/** Medians over the turns. */
export interface Measurement {
  readonly perSecond: number;
  /** Processor time of the server for one request, in microseconds. */
  readonly cpu: number;
  /** The same of the database's process; 0 where there is none. */
  readonly databaseCpu: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The most that the server's process held, in bytes. */
  readonly rss: number;
}

export interface Comparison {
  readonly ours: Measurement;
  readonly theirs: Measurement;
  /** How many times as many requests ours answers: the median of the ratios of the turns. */
  readonly ratio: number;
  /** The same for processor time: how many times as much theirs takes. */
  readonly cpuRatio: number;
}

export interface Slice {
  readonly perSecond: number;
  readonly cpu: number;
  readonly databaseCpu: number;
  readonly p50: number;
  readonly p99: number;
  readonly rss: number;
  /** Answers other than 2xx. */
  readonly refused: number;
}

/** Resident memory in bytes; 0 where the platform does not tell. */
export function residentMemory(pid: number): number {
  try {
    const kilobytes = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmRSS:\s+(\d+)/m)?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function bodyOf({ body }: Load): Partial<autocannon.Request> {
  if (typeof body !== 'function') return body === undefined ? {} : { body };
  return { setupRequest: (request) => ({ ...request, body: body() }) };
}

/** Sends the load for so many seconds. Rejects when any answer is not 2xx, unless the load allows it. */
export async function fire(target: Target, load: Load, seconds: number) {
  const result = await autocannon({
    url: target.url,
    connections: load.connections ?? CONNECTIONS,
    duration: seconds,
    requests: load.paths.map((path) => ({
      method: load.method,
      path,
      headers: {
        ...target.headers,
        ...(load.body === undefined ? {} : { 'content-type': load.contentType ?? 'application/json' }),
      },
      ...bodyOf(load),
    })),
  });
  if (load.refusals !== true && (result.non2xx > 0 || result.errors > 0)) {
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

/** One turn: fires the load and watches the server meanwhile. */
export async function slice(target: Target, load: Load, seconds: number): Promise<Slice> {
  let rss = residentMemory(target.pid);
  const sampler = setInterval(() => {
    rss = Math.max(rss, residentMemory(target.pid));
  }, SAMPLE_MS);
  const used = () =>
    [target.pid, ...(target.helpers?.() ?? [])].reduce((all, pid) => all + processorTime(pid), 0);
  const usedByDatabase = () => (target.database === undefined ? 0 : processorTime(target.database));
  const before = used();
  const databaseBefore = usedByDatabase();
  try {
    const { requests, latency, non2xx } = await fire(target, load, seconds);
    return {
      perSecond: requests.average,
      cpu: ((used() - before) / requests.total) * 1_000_000,
      databaseCpu: ((usedByDatabase() - databaseBefore) / requests.total) * 1_000_000,
      p50: latency.p50,
      p99: latency.p99,
      rss,
      refused: non2xx,
    };
  } finally {
    clearInterval(sampler);
  }
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function summary(slices: readonly Slice[]): Measurement {
  const medianOf = (name: keyof Slice) => median(slices.map((slice) => slice[name]));
  const rss = Math.max(...slices.map((slice) => slice.rss));
  return {
    perSecond: medianOf('perSecond'),
    cpu: medianOf('cpu'),
    databaseCpu: medianOf('databaseCpu'),
    p50: medianOf('p50'),
    p99: medianOf('p99'),
    rss,
  };
}

export interface Contest {
  readonly target: Target;
  readonly load: Load;
}

/** Warms both up, then measures them in turns of `seconds` each. Rejects when any answer is not 2xx. */
export async function compare(ours: Contest, theirs: Contest, seconds: number): Promise<Comparison> {
  for (const { target, load } of [ours, theirs]) await fire(target, load, WARM_UP_SECONDS);
  const turns: { readonly ours: Slice; readonly theirs: Slice }[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const mine = await slice(ours.target, ours.load, seconds);
    turns.push({ ours: mine, theirs: await slice(theirs.target, theirs.load, seconds) });
  }
  return {
    ours: summary(turns.map((turn) => turn.ours)),
    theirs: summary(turns.map((turn) => turn.theirs)),
    ratio: median(turns.map((turn) => turn.ours.perSecond / turn.theirs.perSecond)),
    cpuRatio: median(turns.map((turn) => turn.theirs.cpu / turn.ours.cpu)),
  };
}
