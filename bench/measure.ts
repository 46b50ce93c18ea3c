// Sends load with autocannon to one server after the other, in turns, and reads what it costs each: processor time first, as
// it minds least what else runs on the machine.
import autocannon from 'autocannon';
import { CORES, descendantsOf, machineTime, memoryOf, pinGenerator, processorTime } from './processes.ts';

const CONNECTIONS = 10;
/** V8 compiles the hot path in the meantime. */
const WARM_UP_SECONDS = 4;
const TURNS = 5;

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

export interface Server {
  readonly url: string;
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The process of its database, where that is another one. */
  readonly database?: number;
}

/** One server under one load for some seconds. */
export interface Turn {
  /** Processor time of one request in microseconds, over all threads of the server and the processes that it started. */
  readonly cpu: number;
  /** The same of the database's process; 0 where there is none. */
  readonly databaseCpu: number;
  /** Bytes (PSS) of the server, and with the processes that it started. */
  readonly server: number;
  readonly all: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Answers other than 2xx. */
  readonly refused: number;
  /** Shares of the machine: what neither server nor generator used, and what a hypervisor took. */
  readonly others: number;
  readonly stolen: number;
}

/** Medians of the turns, and the turns themselves. */
export interface Measurement extends Turn {
  readonly turns: readonly Turn[];
}

/** A server and what is asked of it. */
export interface Target {
  readonly server: Server;
  readonly load: Load;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function bodyOf({ body }: Load): Partial<autocannon.Request> {
  if (typeof body !== 'function') return body === undefined ? {} : { body };
  return { setupRequest: (request) => ({ ...request, body: body() }) };
}

/** Sends the load for so many seconds. Rejects when any answer is not 2xx, unless the load allows it. */
export async function sendLoad({ url, headers }: Server, load: Load, seconds: number) {
  const type = load.body === undefined ? {} : { 'content-type': load.contentType ?? 'application/json' };
  const result = await autocannon({
    url,
    connections: load.connections ?? CONNECTIONS,
    duration: seconds,
    requests: load.paths.map((path) => ({
      method: load.method,
      path,
      headers: { ...headers, ...type },
      ...bodyOf(load),
    })),
  });
  if (load.refusals !== true && (result.non2xx > 0 || result.errors > 0)) {
    throw new Error(`${load.method} ${load.paths[0]}: ${result.non2xx} refused, ${result.errors} broken`);
  }
  return result;
}

/** Seconds of processor time: of the server with its processes, of its database, of this process, and of the machine. */
function readClocks({ pid, database }: Server) {
  const own = process.cpuUsage();
  return {
    server: new Map([pid, ...descendantsOf(pid)].map((one) => [one, processorTime(one)])),
    database: database === undefined ? 0 : processorTime(database),
    generator: (own.user + own.system) / 1e6,
    machine: machineTime(),
  };
}

/** Sends the load and reads clocks and memory before and after. */
export async function runTurn(server: Server, load: Load, seconds: number): Promise<Turn> {
  const before = readClocks(server);
  const { requests, latency, non2xx } = await sendLoad(server, load, seconds);
  const after = readClocks(server);
  const used = (name: 'database' | 'generator') => after[name] - before[name];
  // Of the processes that are still there: hosts come and go.
  const usedByServer = [...after.server].reduce(
    (all, [pid, time]) => all + time - (before.server.get(pid) ?? 0),
    0,
  );
  const ofMachine = (name: 'busy' | 'stolen' | 'all') => after.machine[name] - before.machine[name];
  const others = ofMachine('busy') - usedByServer - used('database') - used('generator');
  const memory = memoryOf(server.pid);
  return {
    cpu: (usedByServer / requests.total) * 1e6,
    databaseCpu: (used('database') / requests.total) * 1e6,
    server: memory.server,
    all: memory.server + memory.hosts,
    perSecond: requests.average,
    p50: latency.p50,
    p99: latency.p99,
    refused: non2xx,
    others: Math.max(0, others) / ofMachine('all'),
    stolen: ofMachine('stolen') / ofMachine('all'),
  };
}

export function summarize(turns: readonly Turn[]): Measurement {
  const of = (name: keyof Turn) => median(turns.map((turn) => turn[name]));
  return {
    cpu: of('cpu'),
    databaseCpu: of('databaseCpu'),
    server: of('server'),
    all: of('all'),
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    refused: of('refused'),
    others: of('others'),
    stolen: of('stolen'),
    turns,
  };
}

/**
 * Warms all up, then measures them, from a core of its own, in turns of `seconds` each, every second round in the opposite order: what slows the machine
 * down for a while hits all alike. Rejects when any answer is not 2xx.
 */
export async function measure<Name extends string>(
  targets: Readonly<Record<Name, Target>>,
  seconds: number,
  rounds = TURNS,
): Promise<Record<Name, Measurement>> {
  const entries = Object.entries<Target>(targets);
  const turns = new Map(entries.map(([name]) => [name, [] as Turn[]]));
  using _pinned = pinGenerator();
  for (const [, { server, load }] of entries) await sendLoad(server, load, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, { server, load }] of round % 2 === 0 ? entries : entries.toReversed()) {
      turns.get(name)?.push(await runTurn(server, load, seconds));
    }
  }
  return Object.fromEntries([...turns].map(([name, taken]) => [name, summarize(taken)])) as Record<
    Name,
    Measurement
  >;
}

/** How many times as much processor time `other` takes: the median of the ratios of the rounds. Above 1, `one` is cheaper. */
export function cpuRatio(one: Measurement, other: Measurement): number {
  return median(one.turns.map(({ cpu }, round) => (other.turns[round]?.cpu ?? Number.NaN) / cpu));
}

/** How far the turns of a measurement lie apart, as a share of their median. */
function spread({ cpu, turns }: Measurement): number {
  const all = turns.map((turn) => turn.cpu);
  return (Math.max(...all) - Math.min(...all)) / cpu;
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

/** Prints how quiet the machine was. What other programs use makes all figures worse, processor time least of all. */
export function printNoise(measurements: readonly Measurement[]): void {
  const turns = measurements.flatMap((measurement) => measurement.turns);
  const others = turns.map((turn) => turn.others);
  const spreads = measurements.map(spread);
  console.log(
    `noise: other programs used ${percent(median(others))} of the ${CORES} cores (at most ${percent(Math.max(...others))}),`,
    `the hypervisor took ${percent(median(turns.map(({ stolen }) => stolen)))};`,
    `turns of one row lie ${percent(median(spreads))} apart (at most ${percent(Math.max(...spreads))})`,
  );
}
