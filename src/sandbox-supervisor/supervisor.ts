// The sandbox that runs posted code in host processes: here the whole way of an invocation is told, from its request to its result.

import type { FromHost } from '../../sandbox/protocol.ts';
import type { CountCall } from '../deployment/coordination.ts';
import { createWatchdog } from '../lib/async/watchdog.ts';
import { PendingGuestCalls } from './guest-calls.ts';
import type { Host } from './host.ts';
import {
  attributeCrash,
  type ExitCause,
  exitCauseOfDisposal,
  exitCauseOfLoss,
  exitCauseOfViolation,
  incidentOfExit,
  MODULE_SUSPENDED,
} from './host-exit.ts';
import { createHostPool } from './host-pool.ts';
import { createInspector } from './inspector.ts';
import { failedResult } from './invocation.ts';
import { checkIsolationLevel } from './isolation/isolation-levels.ts';
import type { Launcher } from './isolation/launcher.ts';
import { createSelfTestResults } from './isolation/self-test-results.ts';
import type {
  Incident,
  InvocationRequest,
  InvocationResult,
  Sandbox,
  SandboxObserver,
  SelfTestResult,
  UsageObserver,
} from './model/sandbox.ts';
import { cpuMsOf } from './process-usage.ts';
import type { ResultMessage } from './protocol/host-messages.ts';
import { createResultReader } from './result-frames.ts';
import { createStatus } from './sandbox-status.ts';
import { createScheduler } from './scheduler.ts';
import { checkTimeouts } from './timeouts.ts';
import { CHECK_INTERVAL_MS, REAP_INTERVAL_MS } from './tuning.ts';

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
  readonly usage?: UsageObserver | undefined;
  /** Counts calls of modules whose policies limit them. */
  readonly countCall: CountCall;
  /** Steady clock, in milliseconds; that of the process unless given. */
  readonly now?: () => number;
}

/** How long `stop` waits for pending guest calls of a module. */
const STOP_TIMEOUT_MS = 5000;

const CLOSED = failedResult('ENDPOINT_CRASHED', 'The server is stopping');
const RATE_LIMITED = failedResult('ENDPOINT_RATE_LIMITED', 'It was called too often within a minute');
const SUSPENDED = failedResult('ENDPOINT_SUSPENDED', 'It was suspended');
const CRASHED = failedResult('ENDPOINT_CRASHED', 'The process in which it waited was ended');

/**
 * Creates the sandbox. It starts no process before the first invocation or inspection. The way of an invocation:
 *
 * 1. counted, accepted and queued: `invoke`, then `enqueue` of the scheduler puts an `Invocation` into the `ModuleQueue` of its module;
 * 2. dispatched: the scheduler selects a `Host`, whose `send` writes one frame for a batch to its `HostConnection`;
 * 3. back: the connection reads a frame and passes the parsed message to `onMessage`, a result frame goes on to `onResults`;
 * 4. answered: the result reader performs guest calls, each result of which starts another time slice, and settles the
 *    invocations that have ended: each resolves the promise that `invoke` returned. `release` frees the host for other modules.
 *
 * Where a host exits instead, `onExit` settles or queues again what it had; timeouts kill hosts and settle what waits too long.
 */
export function createSupervisor(options: SupervisorOptions): Sandbox {
  const { now = () => performance.now(), jitDomains, minimumLevel, busyHosts, maxHosts } = options;
  const { usage, countCall } = options;
  let observer: SandboxObserver | undefined;
  const onIncident = (incident: Incident) => observer?.onIncident(incident);
  const pool = createHostPool({
    launcher: options.launcher,
    memoryMb: options.hostMemoryMb,
    busyHosts,
    maxHosts,
    now,
    accepts: (layers) => checkIsolationLevel(minimumLevel, layers) === undefined,
  });
  const pendingGuestCalls = new PendingGuestCalls();
  const scheduler = createScheduler({
    pool,
    busyHosts,
    maxHosts,
    now,
    hostMemoryMb: options.hostMemoryMb,
    jitDomains: new Set(jitDomains),
    pendingGuestCalls,
    onStarted: usage?.onStarted,
  });
  const inspector = createInspector({ pool, now });
  const readResults = createResultReader({
    now,
    onIncident,
    onCpu: usage?.onCpu,
    onHeap: usage?.onHeap,
    requeue: scheduler.requeue,
  });
  const selfTests = createSelfTestResults(options.selfTest);
  let isClosed = false;

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

  /** Why a module does not run now. */
  const resultWithoutRun = (moduleId: string): InvocationResult | undefined => {
    if (isClosed) return CLOSED;
    // The caller may have looked the module up before it was suspended.
    return observer?.isSuspended(moduleId) === true ? SUSPENDED : undefined;
  };

  const accept = (request: InvocationRequest): Promise<InvocationResult> => {
    timeouts.start();
    reaper.start();
    return scheduler.enqueue(request);
  };

  const invoke = (request: InvocationRequest): Promise<InvocationResult> => {
    const { id, policy } = request.moduleVersion;
    const { perMinute } = policy.limits;
    // The call of a module that does not run is not counted.
    const result = resultWithoutRun(id);
    if (result !== undefined) return Promise.resolve(result);
    const isWithin = perMinute === 0 || countCall(id, perMinute);
    if (isWithin === true) return accept(request);
    if (isWithin === false) return Promise.resolve(RATE_LIMITED);
    return isWithin.then((counted) => (counted ? (resultWithoutRun(id) ?? accept(request)) : RATE_LIMITED));
  };

  /** What hosts send. False: the message has no place here, so the host is compromised. */
  const onMessage = (host: Host, message: FromHost, raw: Buffer): boolean => {
    switch (message.t) {
      case 'results':
        onResults(host, message, raw);
        return true;
      case 'inspected':
        return inspector.onInspected(host, message);
      case 'ready':
        return pool.becomeReady(host, message);
      case 'lost':
        pool.kill(host, exitCauseOfLoss(host, message.number));
        return true;
    }
  };

  const onResults = (host: Host, message: ResultMessage, raw: Buffer) => {
    // Before `readResults`, which settles the culprit.
    const disposal = message.disposed ? exitCauseOfDisposal(host, message) : null;
    const violation = readResults(host, message, raw);
    if (violation !== null) pool.kill(host, exitCauseOfViolation(violation));
    else if (disposal !== null) pool.kill(host, disposal);
    else host.release(now());
    scheduleNext();
  };

  /** Uses a host that may have become available. */
  const scheduleNext = () => {
    inspector.next();
    scheduler.schedule();
  };

  const onExit = (host: Host, cause: ExitCause) => {
    const { culprit, failed, isolatedRetries, requeued, isShared } = attributeCrash(host, cause);
    const incident = incidentOfExit(host, cause, culprit);
    // What it has used of the frame that it never answers.
    if (culprit !== null) usage?.onCpu(culprit.moduleVersion.id, host.addCpu(host.frames.cpuMs, now()));
    host.frames.clear();
    if (isShared) host.queue?.recordSharedLoss(now());
    if (incident !== null) onIncident(incident);
    culprit?.settle(failedResult(cause.code, cause.message));
    for (const invocation of failed) invocation.settle(CRASHED);
    for (const invocation of isolatedRetries) invocation.isolate();
    const retried = [...requeued, ...isolatedRetries];
    for (const invocation of retried) invocation.restartWait(now());
    scheduler.requeue(host, retried);
    host.release(now());
    scheduler.schedule();
    if (isClosed) scheduler.rejectAll(CLOSED);
    inspector.onHostExit(host);
  };

  pool.listen({
    onMessage,
    onExit,
    onChange: scheduleNext,
    onReady(host) {
      inspector.onHostReady(host);
      scheduler.onHostReady(host);
    },
  });

  return {
    attach(attached) {
      observer = attached;
    },
    invoke,
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
        for (const invocation of [...host.invocations.values()]) invocation.settle(SUSPENDED);
        pool.kill(host, MODULE_SUSPENDED);
      }
      return pendingGuestCalls.abort(moduleId, STOP_TIMEOUT_MS);
    },
    status: createStatus({ pool, scheduler, selfTests, maxHosts, hasJit: jitDomains.length > 0, now }),
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
