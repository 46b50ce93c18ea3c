// The sandbox as the rest of the server sees it: takes jobs, hands them to host processes, and answers for each of them.
import type { Incident, Sandbox, SelfTestResult } from '../sandbox.ts';
import type { Unit } from '../unit.ts';
import { createCallsInFlight } from './calls-in-flight.ts';
import { watchHost, watchQueue } from './clocks.ts';
import { STOPPED } from './deaths.ts';
import { createDispatcher } from './dispatcher.ts';
import { retire } from './handover.ts';
import { createInspections } from './inspections.ts';
import { createPool } from './pool.ts';
import { cpuMsOf } from './process-meters.ts';
import { failure, settle } from './requests.ts';
import { createSelfTests } from './self-tests.ts';
import type { Host, NumberOf } from './state.ts';
import { createSweep } from './sweep.ts';
import { createTurnsReader } from './turns.ts';
import { type Cause, incidentOfEnd, judge } from './verdict.ts';
import type { Launcher } from './walls/launch.ts';
import { checkLevel, levelOf } from './walls/levels.ts';

export interface SandboxOptions {
  readonly launcher: Launcher;
  /** Runs the self-test in real hosts, with the just-in-time compiler or without. */
  readonly selfTest: (jit: boolean) => Promise<SelfTestResult>;
  /** Hosts below this level are not used; 0 demands nothing. */
  readonly minimumLevel: number;
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
  /** Whether nothing of this module may run. */
  readonly isSuspended: (unitId: string) => boolean;
}

const SWEEP_MS = 25;
const TIDY_MS = 250;
/** How long a suspension waits for host calls that had begun. */
const STOP_MS = 5000;

const CLOSED = failure('ENDPOINT_CRASHED', 'The server is stopping');
const SUSPENDED = failure('ENDPOINT_SUSPENDED', 'It was suspended');

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
  const { now, onIncident, jitDomains, minimumLevel, isSuspended } = options;
  const bounds = { busyHosts: options.busyHosts, maxHosts: options.maxHosts };
  const callsInFlight = createCallsInFlight();
  const selfTests = createSelfTests(options.selfTest);
  let isClosed = false;

  const fell = (host: Host, cause: Cause) => {
    const { blamed, lost, alone, again } = judge(host, cause);
    const incident = incidentOfEnd(host, cause, blamed);
    host.frames.length = 0;
    if (incident !== null) onIncident(incident);
    if (blamed !== null) settle(host, blamed, failure(cause.code, cause.message));
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
    admits: (walls) => checkLevel(minimumLevel, walls) === undefined,
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
      // Whoever looked the module up before it was suspended, and waited since, comes too late.
      if (isSuspended(job.unit.id)) return Promise.resolve(SUSPENDED);
      clocks.start();
      tidy.start();
      return dispatcher.run(callsInFlight.track(job));
    },
    inspect(source, kind, by = null) {
      tidy.start();
      return inspections.inspect(source, kind, by);
    },
    retire(unitId) {
      for (const host of pool.hosts) if (host.state !== 'dead') retire(host, unitId);
    },
    stop(unitId) {
      dispatcher.refuse(unitId, SUSPENDED);
      for (const host of [...pool.hosts]) {
        if (host.state === 'dead') continue;
        if (host.lane?.id !== unitId) {
          retire(host, unitId);
          continue;
        }
        // It serves nobody else, and a process ends faster than any turn.
        for (const request of [...host.requests.values()]) settle(host, request, SUSPENDED);
        pool.kill(host, STOPPED);
      }
      return callsInFlight.end(unitId, STOP_MS);
    },
    status() {
      const alive = pool.hosts.filter(({ state }) => state !== 'dead');
      const seen = pool.seen(false);
      // Hosts whose walls are too weak are not used: then only the self-test knows which there are.
      const said = seen?.walls ?? selfTests.held(false) ?? {};
      const proven = selfTests.proven(said, false);
      const withJit = () => selfTests.proven(pool.seen(true)?.walls ?? {}, true) ?? {};
      return {
        level: proven === undefined ? 0 : levelOf(proven),
        walls: proven ?? said,
        selfTest: selfTests.shown(false),
        jit: jitDomains.length === 0 ? null : { level: levelOf(withJit()), selfTest: selfTests.shown(true) },
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
      const [plain] = await Promise.all([selfTests.run(false), jitDomains.length > 0 && selfTests.run(true)]);
      return plain;
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
