// The host processes: started when needed, one ahead of need, and killed when they are old, large, surplus or broken.
import { Host } from './host.ts';
import { connectHost, type HostConnectionEvents } from './host-connection.ts';
import {
  EVICTED,
  type ExitCause,
  exitCauseOfSignal,
  exitCauseOfViolation,
  NOT_STARTED,
  WEAK_ISOLATION,
} from './host-exit.ts';
import { activeLayers, type IsolationLayers } from './isolation/isolation-levels.ts';
import type { Launcher } from './isolation/launcher.ts';
import { residentBytesOf } from './process-usage.ts';
import type { ReadyMessage } from './protocol/host-messages.ts';
import { PROTOCOL_VIOLATION } from './result-frames.ts';
import { MAX_IDLE_BYTES, MAX_IDLE_MS, MAX_START_FAILURES, MAX_START_MS, RETRY_MS } from './tuning.ts';

export interface HostPoolOptions {
  readonly launcher: Launcher;
  /** Private memory of one host, in MB. */
  readonly memoryMb: number;
  readonly maxHosts: number;
  /** Hosts that are kept although they are idle. */
  readonly busyHosts: number;
  /** Milliseconds of a steady clock. */
  readonly now: () => number;
  /** Whether a host with these layers may be used. Asked for each: what isolated the first one may be gone. */
  readonly accepts: (layers: IsolationLayers) => boolean;
}

/** Hears what happens in the pool. */
interface HostPoolListener extends Pick<HostConnectionEvents<Host>, 'onMessage'> {
  /** A host is locked and listening. */
  onReady(host: Host): void;
  /** A host is dead; its invocations are still in it. */
  onExit(host: Host, cause: ExitCause): void;
  /** A host may have become available, or another one may be started now. */
  onChange(): void;
}

interface HostReport {
  readonly versions: ReadyMessage['versions'];
  readonly layers: IsolationLayers;
}

export interface HostPool {
  /** Every host whose process may still be there, dead ones included. */
  readonly hosts: readonly Host[];
  /** Sets who hears what happens: once, before the first host. */
  listen(listener: HostPoolListener): void;
  /** Starts a host, unless there may be none more at present. */
  start(domain: string | null, jit: boolean): Host | null;
  /** An idle host for this domain, taken or started; null when there is none at present. */
  acquire(domain: string): Host | null;
  kill(host: Host, cause: ExitCause): void;
  /** Takes the message of a host that it is ready. False: it was ready before. */
  becomeReady(host: Host, message: ReadyMessage): boolean;
  /** Keeps one host ahead of need. */
  keepSpare(): void;
  /** Kills hosts that are old, large, surplus, or do not come up. */
  reap(): void;
  /** Hosts do not come up: waiting for one is in vain. */
  isBroken(): boolean;
  /** What the newest host reported that came up, with the compiler or without; null before the first. */
  report(jit: boolean): HostReport | null;
  close(): Promise<void>;
}

const MAX_AGE_MS = 600_000;

const byIdleTime = (a: Host, b: Host) => a.idleSince - b.idleSince;

/** Creates the pool. No process is started before `start`, `acquire` or `keepSpare`. */
export function createHostPool(options: HostPoolOptions): HostPool {
  const { launcher, memoryMb, maxHosts, busyHosts, now, accepts } = options;
  let listener: HostPoolListener | undefined;
  const hosts: Host[] = [];
  const reports = new Map<boolean, HostReport>();
  let startFailures = 0;
  let notBefore = 0;
  let isClosed = false;
  let onEmpty: (() => void) | undefined;

  const kill = (host: Host, cause: ExitCause) => {
    if (host.state === 'dead') return;
    host.exit();
    listener?.onExit(host, cause);
    keepSpare();
  };

  const countStartFailure = () => {
    startFailures += 1;
    notBefore = now() + RETRY_MS;
    // Not unreferenced: nothing else keeps a command running that waits for a host until the next try.
    setTimeout(() => listener?.onChange(), RETRY_MS + 10);
  };

  const becomeReady = (host: Host, { versions, layers: reported }: ReadyMessage): boolean => {
    if (host.state !== 'starting') return false;
    const layers = activeLayers(host.outerLayers, reported);
    if (accepts(layers)) {
      host.becomeReady(now());
      startFailures = 0;
      reports.set(host.jit, { versions, layers });
      listener?.onReady(host);
    } else {
      countStartFailure();
      kill(host, WEAK_ISOLATION);
    }
    listener?.onChange();
    return true;
  };

  const onGone = (host: Host, signal: NodeJS.Signals | undefined) => {
    if (host.state === 'starting') {
      countStartFailure();
      kill(host, NOT_STARTED);
    } else kill(host, exitCauseOfSignal(signal));
    hosts.splice(hosts.indexOf(host), 1);
    if (hosts.length === 0) onEmpty?.();
    listener?.onChange();
  };

  const launch = (jit: boolean, { onMessage }: HostPoolListener): Host => {
    const onViolation = (host: Host) => kill(host, exitCauseOfViolation(PROTOCOL_VIOLATION));
    const connect = (host: Host) =>
      connectHost(host, launcher.launch({ jit, memoryMb }), { onMessage, onViolation, onGone });
    return new Host({ connect, jit, now: now() });
  };

  const evict = (host: Host | undefined) => {
    if (host !== undefined) kill(host, EVICTED);
  };

  const start = (domain: string | null, jit: boolean): Host | null => {
    if (isClosed || listener === undefined || now() < notBefore) return null;
    if (hosts.length >= maxHosts) {
      // The host of another domain that has been idle for longest makes space.
      if (domain !== null) evict(hosts.filter(({ isIdle }) => isIdle).sort(byIdleTime)[0]);
      return null;
    }
    const host = launch(jit, listener);
    if (domain !== null) host.reserve(domain);
    hosts.push(host);
    return host;
  };

  const keepSpare = () => {
    if (!hosts.some(({ isSpare }) => isSpare)) start(null, false);
  };

  const isLarge = ({ pid }: Host) => pid !== undefined && (residentBytesOf(pid) ?? 0) > MAX_IDLE_BYTES;

  const reapHost = (host: Host, time: number) => {
    if (host.state === 'starting' && time - host.startedAt > MAX_START_MS) host.killProcess();
    if (time - host.startedAt > MAX_AGE_MS) host.drain();
    if (!host.isIdle) return;
    // A host that has run code before it was accepted must not stay for the code of the next author.
    const hasInspected = host.hasInspected && time - host.idleSince >= MAX_IDLE_MS;
    if (host.isDraining || isLarge(host) || hasInspected) evict(host);
  };

  const reapSurplus = (time: number) => {
    const used = hosts.filter(({ state, isSpare }) => state !== 'dead' && !isSpare);
    const idle = used.filter((host) => host.isIdle && time - host.idleSince > MAX_IDLE_MS).sort(byIdleTime);
    for (const host of idle.slice(0, Math.max(0, used.length - busyHosts))) evict(host);
  };

  return {
    hosts,
    listen(heard) {
      listener = heard;
    },
    start,
    kill,
    becomeReady,
    keepSpare,
    acquire(domain) {
      const idle =
        hosts.find((host) => host.isIdle && host.domain === domain) ?? hosts.find(({ isSpare }) => isSpare);
      const host = idle ?? start(domain, false);
      host?.reserve(domain);
      return host;
    },
    reap() {
      const time = now();
      for (const host of [...hosts]) reapHost(host, time);
      reapSurplus(time);
      if (hosts.length > 0) keepSpare();
    },
    isBroken: () => startFailures >= MAX_START_FAILURES,
    report: (jit) => reports.get(jit) ?? null,
    async close() {
      isClosed = true;
      for (const host of [...hosts]) evict(host);
      if (hosts.length > 0) {
        await new Promise<void>((resolve) => {
          onEmpty = resolve;
        });
      }
    },
  };
}
