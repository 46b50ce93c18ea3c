// The sandbox as the rest of the server sees it: takes jobs, hands them to host processes, and answers for each of them.
import type { Incident, Sandbox, SandboxStatus } from '../sandbox.ts';
import type { Unit } from '../unit.ts';
import { watchHost, watchQueue } from './clocks.ts';
import { createDispatcher } from './dispatcher.ts';
import { retire } from './handover.ts';
import { createInspections } from './inspections.ts';
import { createPool } from './pool.ts';
import { cpuMsOf } from './process-meters.ts';
import { failure, incidentOf, settle } from './requests.ts';
import type { Host, NumberOf } from './state.ts';
import { createSweep } from './sweep.ts';
import { createTurnsReader } from './turns.ts';
import { type Cause, judge } from './verdict.ts';
import type { Launcher } from './walls/launch.ts';
import { levelOf, wallsInForce } from './walls/levels.ts';

export interface SandboxOptions {
  readonly launcher: Launcher;
  /** Runs the self-test in a real host. */
  readonly selfTest: () => Promise<SandboxStatus['selfTest']>;
  /** Hosts in all. */
  readonly maxHosts: number;
  /** Hosts that may run turns at the same time. */
  readonly busyHosts: number;
  /** Private memory of one host, in MB. */
  readonly hostMemoryMb: number;
  readonly jitDomains: readonly string[];
  /** Steady clock, in milliseconds. */
  readonly now: () => number;
  readonly onIncident: (incident: Incident) => void;
}

const SWEEP_MS = 25;
const TIDY_MS = 250;

const CLOSED = failure('ENDPOINT_CRASHED', 'The server is stopping');

/** Every version of every module has a number, the same in all hosts. */
function createNumbers(): NumberOf {
  const numbers = new WeakMap<Unit, number>();
  let last = 0;
  return (unit) => {
    let number = numbers.get(unit);
    if (number === undefined) {
      last += 1;
      number = last;
      numbers.set(unit, number);
    }
    return number;
  };
}

/** Starts no process before the first job or inspection. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { now, onIncident, jitDomains } = options;
  const bounds = { busyHosts: options.busyHosts, maxHosts: options.maxHosts };
  let selfTest: SandboxStatus['selfTest'] = { state: 'not-run', items: [] };
  let isClosed = false;

  const fell = (host: Host, cause: Cause) => {
    const { blamed, lost, alone, again } = judge(host, cause);
    host.frames.length = 0;
    if (blamed !== null) {
      onIncident(incidentOf(blamed, cause.kind, cause.limit));
      settle(host, blamed, failure(cause.code, cause.message));
    }
    for (const request of lost) {
      settle(host, request, failure('ENDPOINT_CRASHED', 'The process in which it waited was ended'));
    }
    for (const request of [...alone, ...again]) request.queuedAt = now();
    for (const request of alone) request.alone = true;
    dispatcher.putBack(host, alone);
    dispatcher.putBack(host, again);
    if (isClosed) dispatcher.refuseAll(CLOSED);
    inspections.fell(host);
  };

  const pool = createPool({
    launcher: options.launcher,
    memoryMb: options.hostMemoryMb,
    bounds,
    now,
    turns: createTurnsReader({ now, onIncident, requeue: (host, back) => dispatcher.putBack(host, back) }),
    inspected: (host, message) => inspections.inspected(host, message),
    ready(host) {
      inspections.ready(host);
      dispatcher.started(host);
    },
    fell,
    changed: () => {
      inspections.next();
      dispatcher.schedule();
    },
  });
  const numberOf = createNumbers();
  const dispatcher = createDispatcher({ pool, bounds, jitDomains: new Set(jitDomains), numberOf, now });
  const inspections = createInspections({ pool, now });

  const clocks = createSweep({
    everyMs: SWEEP_MS,
    now,
    isNeeded: () =>
      dispatcher.isWaiting() || pool.hosts.some(({ requests, frames }) => requests.size + frames.length > 0),
    sweep(time) {
      for (const host of [...pool.hosts]) if (host.state === 'ready') watchHost(host, time, watch);
      // A machine under load starts processes slowly: whoever waits for that is not sent away meanwhile.
      const isStarting = pool.hosts.some(({ state, frames }) => state === 'starting' && frames.length > 0);
      for (const lane of dispatcher.lanes.values()) {
        if (lane.queue.length > 0 && !(isStarting && lane.hosts.size === 0)) watchQueue(lane, time);
      }
      dispatcher.schedule();
    },
  });
  const watch = { onIncident, cpuMs: cpuMsOf, kill: pool.kill };
  const tidy = createSweep({
    everyMs: TIDY_MS,
    now,
    isNeeded: () => !isClosed && pool.hosts.length > 0,
    sweep() {
      pool.tidy();
      dispatcher.tidy();
      inspections.next();
    },
  });

  return {
    run(job) {
      if (isClosed) return Promise.resolve(CLOSED);
      clocks.start();
      tidy.start();
      return dispatcher.run(job);
    },
    inspect(source, kind) {
      tidy.start();
      return inspections.inspect(source, kind);
    },
    retire(unitId) {
      for (const host of pool.hosts) if (host.state !== 'dead') retire(host, unitId);
    },
    status() {
      const alive = pool.hosts.filter(({ state }) => state !== 'dead');
      const seen = pool.seen();
      const walls = seen === null ? {} : wallsInForce(seen.child.walls, seen.walls);
      return {
        level: seen === null ? 0 : levelOf(walls),
        walls,
        selfTest,
        hosts: {
          running: alive.length,
          busy: alive.filter(({ frames, inspecting }) => frames.length > 0 || inspecting).length,
          spare: alive.filter(({ domain }) => domain === null).length,
          max: bounds.maxHosts,
        },
        versions: seen?.versions ?? null,
      };
    },
    async selfTest() {
      if (selfTest.state === 'running') return selfTest;
      selfTest = { state: 'running', items: [] };
      selfTest = await options.selfTest();
      return selfTest;
    },
    async close() {
      isClosed = true;
      clocks.stop();
      tidy.stop();
      inspections.close();
      dispatcher.refuseAll(CLOSED);
      await pool.close();
    },
  };
}
