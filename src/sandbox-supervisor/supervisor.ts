// The sandbox that runs posted code in host processes: queues invocations, watches the hosts, and settles every invocation. And
// the one of a server without custom code, which starts nothing.

import { AppError } from '../errors/errors.ts';
import type { Host } from './host.ts';
import { createPendingHostCalls } from './host-calls.ts';
import { cpuMsOf } from './host-connection.ts';
import {
  attributeCrash,
  type ExitCause,
  exitCauseOfDisposal,
  exitCauseOfViolation,
  incidentOfExit,
  MODULE_SUSPENDED,
} from './host-exit.ts';
import { createHostPool } from './host-pool.ts';
import { createInspector } from './inspector.ts';
import { failedResult } from './invocation.ts';
import { checkIsolationLevel, isolationLevel } from './isolation/isolation-levels.ts';
import type { Launcher } from './isolation/launcher.ts';
import { createSelfTestResults } from './isolation/self-test-results.ts';
import type { Incident, Sandbox, SandboxObserver, SelfTestResult } from './model/sandbox.ts';
import { createResultReader, PROTOCOL_VIOLATION, type ResultMessage } from './result-frames.ts';
import { createScheduler } from './scheduler.ts';
import { checkTimeouts } from './timeouts.ts';

export interface SupervisorOptions {
  readonly launcher: Launcher;
  /** Runs the self-test in real hosts, with the just-in-time compiler or without. */
  readonly selfTest: (jit: boolean) => Promise<SelfTestResult>;
  /** Hosts below this isolation level are not used; 0 accepts all. */
  readonly minimumLevel: number;
  /** Hosts in all. */
  readonly maxHosts: number;
  /** Hosts that may run time slices at the same time. */
  readonly busyHosts: number;
  /** Private memory of one host, in MB. */
  readonly hostMemoryMb: number;
  readonly jitDomains: readonly string[];
  /** Steady clock, in milliseconds; that of the process unless given. */
  readonly now?: () => number;
}

const CHECK_INTERVAL_MS = 25;
const REAP_INTERVAL_MS = 250;
/** A tick that comes later by this factor means that this process was busy: what hosts sent meanwhile is not read yet. */
const LATE_FACTOR = 4;
/** How long `stop` waits for pending host calls of a module. */
const STOP_TIMEOUT_MS = 5000;

const CLOSED = failedResult('ENDPOINT_CRASHED', 'The server is stopping');
const SUSPENDED = failedResult('ENDPOINT_SUSPENDED', 'It was suspended');
const CRASHED = failedResult('ENDPOINT_CRASHED', 'The process in which it waited was ended');

interface WatchdogOptions {
  readonly intervalMs: number;
  readonly now: () => number;
  /** Asked after each tick: false stops the ticks until the next `start`. */
  readonly isNeeded: () => boolean;
  readonly onTick: (now: number) => void;
}

interface Watchdog {
  /** Does nothing while it is running. */
  start(): void;
  stop(): void;
}

/**
 * An interval timer that runs only while it is needed, and keeps no process alive. A late tick is left out once, as it would
 * blame hosts for a delay of the server.
 */
export function createWatchdog({ intervalMs, now, isNeeded, onTick }: WatchdogOptions): Watchdog {
  let timer: NodeJS.Timeout | undefined;
  let lastTick = 0;
  let wasLate = false;

  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const tick = () => {
    const time = now();
    wasLate = !wasLate && time - lastTick > intervalMs * LATE_FACTOR;
    lastTick = time;
    if (wasLate) return;
    onTick(time);
    if (!isNeeded()) stop();
  };
  return {
    start() {
      if (timer !== undefined) return;
      lastTick = now();
      timer = setInterval(tick, intervalMs).unref();
    },
    stop,
  };
}

/** Creates the sandbox. It starts no process before the first invocation or inspection. */
export function createSupervisor(options: SupervisorOptions): Sandbox {
  const { now = () => performance.now(), jitDomains, minimumLevel, busyHosts, maxHosts } = options;
  let observer: SandboxObserver | undefined;
  const onIncident = (incident: Incident) => observer?.onIncident(incident);
  const pool = createHostPool({
    launcher: options.launcher,
    memoryMb: options.hostMemoryMb,
    ...{ busyHosts, maxHosts, now },
    accepts: (layers) => checkIsolationLevel(minimumLevel, layers) === undefined,
  });
  const pendingHostCalls = createPendingHostCalls();
  const scheduler = createScheduler({
    ...{ pool, busyHosts, maxHosts, now },
    jitDomains: new Set(jitDomains),
    track: pendingHostCalls.track,
  });
  const inspector = createInspector({ pool, now });
  const readResults = createResultReader({ now, onIncident, requeue: scheduler.requeue });
  const selfTests = createSelfTestResults(options.selfTest);
  let isClosed = false;

  const onResults = (host: Host, message: ResultMessage, raw: Buffer) => {
    const disposal = message.disposed ? exitCauseOfDisposal(host, message) : null;
    const violation = readResults(host, message, raw);
    if (violation !== null) pool.kill(host, exitCauseOfViolation(violation));
    else if (disposal !== null) pool.kill(host, disposal);
    else host.release(now());
  };

  const onExit = (host: Host, cause: ExitCause) => {
    const { culprit, failed, isolatedRetries, requeued } = attributeCrash(host, cause);
    const incident = incidentOfExit(host, cause, culprit);
    host.frames.clear();
    if (incident !== null) onIncident(incident);
    if (culprit !== null) host.settle(culprit, failedResult(cause.code, cause.message));
    for (const invocation of failed) host.settle(invocation, CRASHED);
    for (const invocation of isolatedRetries) invocation.isolate();
    const retried = [...requeued, ...isolatedRetries];
    for (const invocation of retried) invocation.restartWait(now());
    scheduler.requeue(host, retried);
    if (isClosed) scheduler.rejectAll(CLOSED);
    inspector.onHostExit(host);
  };

  pool.on('results', onResults);
  pool.on('exit', onExit);
  pool.on('ready', (host) => {
    inspector.onHostReady(host);
    scheduler.onHostReady(host);
  });
  pool.on('inspected', (host, message) => {
    if (!inspector.onInspected(host, message)) pool.kill(host, exitCauseOfViolation(PROTOCOL_VIOLATION));
  });
  pool.on('change', () => {
    inspector.next();
    scheduler.schedule();
  });

  const timeouts = createWatchdog({
    intervalMs: CHECK_INTERVAL_MS,
    now,
    isNeeded: () => scheduler.isWaiting() || pool.hosts.some(({ hasWork }) => hasWork),
    onTick(time) {
      for (const host of [...pool.hosts]) {
        if (host.state === 'ready') checkTimeouts(host, time, { onIncident, cpuMsOf, kill: pool.kill });
      }
      scheduler.rejectExpired(time);
      scheduler.schedule();
    },
  });
  const reaper = createWatchdog({
    intervalMs: REAP_INTERVAL_MS,
    now,
    isNeeded: () => !isClosed && pool.hosts.length > 0,
    onTick() {
      pool.reap();
      scheduler.disposeUnused();
      inspector.next();
    },
  });

  return {
    attach(attached) {
      observer = attached;
    },
    invoke(request) {
      if (isClosed) return Promise.resolve(CLOSED);
      // The caller may have looked the module up before it was suspended.
      if (observer?.isSuspended(request.moduleVersion.id) === true) return Promise.resolve(SUSPENDED);
      timeouts.start();
      reaper.start();
      return scheduler.enqueue(request);
    },
    inspect(source, kind, author = null) {
      reaper.start();
      return inspector.inspect(source, kind, author);
    },
    evict(moduleId) {
      for (const host of pool.hosts) if (host.state !== 'dead') host.evict(moduleId);
    },
    stop(moduleId) {
      scheduler.rejectModule(moduleId, SUSPENDED);
      for (const host of [...pool.hosts]) {
        if (host.state === 'dead') continue;
        if (host.queue?.moduleId !== moduleId) {
          host.evict(moduleId);
          continue;
        }
        // It serves no other module, and a process ends faster than any time slice.
        for (const invocation of [...host.invocations.values()]) host.settle(invocation, SUSPENDED);
        pool.kill(host, MODULE_SUSPENDED);
      }
      return pendingHostCalls.abort(moduleId, STOP_TIMEOUT_MS);
    },
    status() {
      const alive = pool.hosts.filter(({ state }) => state !== 'dead');
      const report = pool.report(false);
      // Hosts whose isolation is too weak are not used: then only the self-test knows their layers.
      const layers = report?.layers ?? selfTests.heldLayers(false) ?? {};
      const proven = selfTests.provenLayers(layers, false);
      const provenWithJit = () => selfTests.provenLayers(pool.report(true)?.layers ?? {}, true) ?? {};
      return {
        level: proven === undefined ? 0 : isolationLevel(proven),
        walls: proven ?? layers,
        selfTest: selfTests.latest(false),
        jit:
          jitDomains.length === 0
            ? null
            : { level: isolationLevel(provenWithJit()), selfTest: selfTests.latest(true) },
        hosts: {
          running: alive.length,
          busy: alive.filter(({ isBusy }) => isBusy).length,
          spare: alive.filter(({ isSpare }) => isSpare).length,
          max: maxHosts,
        },
        versions: report?.versions ?? null,
      };
    },
    async selfTest() {
      const [plain] = await Promise.all([selfTests.run(false), jitDomains.length > 0 && selfTests.run(true)]);
      return plain;
    },
    async close() {
      isClosed = true;
      timeouts.stop();
      reaper.stop();
      inspector.close();
      scheduler.rejectAll(CLOSED);
      await pool.close();
    },
  };
}

const MESSAGE = 'Custom code is switched off';

/** Creates a sandbox that rejects every invocation and inspection with SANDBOX_DISABLED. */
export function createDisabledSandbox(): Sandbox {
  const selfTest = { state: 'not-run', items: [] } as const;
  const hosts = { running: 0, busy: 0, spare: 0, max: 0 };
  return {
    attach: () => undefined,
    invoke: async () => failedResult('SANDBOX_DISABLED', MESSAGE),
    inspect: async () => {
      throw new AppError('SANDBOX_DISABLED', { retryAfter: 2 });
    },
    evict: () => undefined,
    stop: async () => undefined,
    status: () => ({ level: 0, walls: {}, selfTest, jit: null, hosts, versions: null }),
    selfTest: async () => selfTest,
    close: async () => undefined,
  };
}
