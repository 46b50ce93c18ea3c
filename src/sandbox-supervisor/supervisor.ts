// The sandbox as the rest of the server sees it: takes jobs, hands them to host processes, and answers for each of them.

import { attributeCrash, type ExitCause, incidentForExit } from './crash-attribution.ts';
import { STOPPED } from './exit-causes.ts';
import { evictModule } from './host.ts';
import { createHostPool } from './host-pool.ts';
import { createInspector } from './inspector.ts';
import { failedOutcome, settle } from './invocation.ts';
import { checkIsolationLevel, isolationLevel } from './isolation/isolation-levels.ts';
import type { Launcher } from './isolation/launcher.ts';
import type { ModuleVersion } from './module-version.ts';
import { createPendingHostCalls } from './pending-host-calls.ts';
import { cpuMsOf } from './process-usage.ts';
import { createResultReader } from './result-frames.ts';
import type { Incident, Sandbox, SelfTestResult } from './sandbox.ts';
import { createScheduler } from './scheduler.ts';
import { createSelfTestResults } from './self-test-results.ts';
import type { Host, ModuleNumbers } from './state.ts';
import { checkHost, checkQueue } from './timeouts.ts';
import { createWatchdog } from './watchdog.ts';

export interface SupervisorOptions {
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

const CLOSED = failedOutcome('ENDPOINT_CRASHED', 'The server is stopping');
const SUSPENDED = failedOutcome('ENDPOINT_SUSPENDED', 'It was suspended');

/** Every version of every module has a number, the same in all hosts. */
function createNumbers(): ModuleNumbers {
  const numbers = new WeakMap<ModuleVersion, number>();
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
export function createSupervisor(options: SupervisorOptions): Sandbox {
  const { now, onIncident, jitDomains, minimumLevel, isSuspended } = options;
  const bounds = { busyHosts: options.busyHosts, maxHosts: options.maxHosts };
  const callsInFlight = createPendingHostCalls();
  const selfTests = createSelfTestResults(options.selfTest);
  let isClosed = false;

  const fell = (host: Host, cause: ExitCause) => {
    const { blamed, lost, alone, again } = attributeCrash(host, cause);
    const incident = incidentForExit(host, cause, blamed);
    host.frames.length = 0;
    if (incident !== null) onIncident(incident);
    if (blamed !== null) settle(host, blamed, failedOutcome(cause.code, cause.message));
    for (const request of lost) {
      settle(host, request, failedOutcome('ENDPOINT_CRASHED', 'The process in which it waited was ended'));
    }
    for (const request of [...alone, ...again]) request.queuedAt = now();
    for (const request of alone) request.alone = true;
    dispatcher.requeue(host, alone);
    dispatcher.requeue(host, again);
    if (isClosed) dispatcher.rejectAll(CLOSED);
    inspections.fell(host);
  };

  const pool = createHostPool({
    launcher: options.launcher,
    memoryMb: options.hostMemoryMb,
    bounds,
    now,
    admits: (walls) => checkIsolationLevel(minimumLevel, walls) === undefined,
    turns: createResultReader({ now, onIncident, requeue: (host, back) => dispatcher.requeue(host, back) }),
    inspected: (host, message) => inspections.inspected(host, message),
    ready(host) {
      inspections.ready(host);
      dispatcher.onHostReady(host);
    },
    fell,
    changed: () => {
      inspections.next();
      dispatcher.schedule();
    },
  });
  const numberOf = createNumbers();
  const dispatcher = createScheduler({ pool, bounds, jitDomains: new Set(jitDomains), numberOf, now });
  const inspections = createInspector({ pool, now });

  const clocks = createWatchdog({
    everyMs: SWEEP_MS,
    now,
    isNeeded: () =>
      dispatcher.isWaiting() || pool.hosts.some(({ requests, frames }) => requests.size + frames.length > 0),
    sweep(time) {
      for (const host of [...pool.hosts]) if (host.state === 'ready') checkHost(host, time, watch);
      // A machine under load starts processes slowly: whoever waits for that is not sent away meanwhile.
      const isStarting = pool.hosts.some(({ state, frames }) => state === 'starting' && frames.length > 0);
      for (const lane of dispatcher.queues.values()) {
        if (lane.queue.length > 0 && !(isStarting && lane.hosts.size === 0)) checkQueue(lane, time);
      }
      dispatcher.schedule();
    },
  });
  const watch = { onIncident, cpuMs: cpuMsOf, kill: pool.kill };
  const tidy = createWatchdog({
    everyMs: TIDY_MS,
    now,
    isNeeded: () => !isClosed && pool.hosts.length > 0,
    sweep() {
      pool.reap();
      dispatcher.disposeIdleQueues();
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
      return dispatcher.enqueue(callsInFlight.track(job));
    },
    inspect(source, kind, by = null) {
      tidy.start();
      return inspections.inspect(source, kind, by);
    },
    retire(unitId) {
      for (const host of pool.hosts) if (host.state !== 'dead') evictModule(host, unitId);
    },
    stop(unitId) {
      dispatcher.rejectModule(unitId, SUSPENDED);
      for (const host of [...pool.hosts]) {
        if (host.state === 'dead') continue;
        if (host.lane?.id !== unitId) {
          evictModule(host, unitId);
          continue;
        }
        // It serves nobody else, and a process ends faster than any turn.
        for (const request of [...host.requests.values()]) settle(host, request, SUSPENDED);
        pool.kill(host, STOPPED);
      }
      return callsInFlight.abort(unitId, STOP_MS);
    },
    status() {
      const alive = pool.hosts.filter(({ state }) => state !== 'dead');
      const seen = pool.seen(false);
      // Hosts whose walls are too weak are not used: then only the self-test knows which there are.
      const said = seen?.walls ?? selfTests.held(false) ?? {};
      const proven = selfTests.proven(said, false);
      const withJit = () => selfTests.proven(pool.seen(true)?.walls ?? {}, true) ?? {};
      return {
        level: proven === undefined ? 0 : isolationLevel(proven),
        walls: proven ?? said,
        selfTest: selfTests.shown(false),
        jit:
          jitDomains.length === 0
            ? null
            : { level: isolationLevel(withJit()), selfTest: selfTests.shown(true) },
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
      dispatcher.rejectAll(CLOSED);
      await pool.close();
    },
  };
}
