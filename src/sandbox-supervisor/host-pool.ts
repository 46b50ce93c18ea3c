// The host processes: started when needed, one ahead of need, and gone when they are old, large, surplus or broken.
import type { FromHost } from '../../sandbox/protocol.ts';
import type { ExitCause } from './crash-attribution.ts';
import {
  EVICTED,
  exitCauseOfDisposal,
  exitCauseOfSignal,
  exitCauseOfViolation,
  NOT_STARTED,
  OUT_OF_HOST_MEMORY,
  WEAK_ISOLATION,
} from './exit-causes.ts';
import { unassign } from './host.ts';
import { connectHost } from './host-connection.ts';
import { isInspectionDomain } from './inspection-domain.ts';
import { activeLayers, type IsolationLayers } from './isolation/isolation-levels.ts';
import type { HostProcess, Launcher } from './isolation/launcher.ts';
import type { HostLimits } from './placement.ts';
import { residentBytesOf } from './process-usage.ts';
import type { ProtocolViolation } from './result-frames.ts';
import type { Host, HostVersions, ResultMessage } from './state.ts';

export type InspectedMessage = Extract<FromHost, { readonly t: 'inspected' }>;
type Ready = Extract<FromHost, { readonly t: 'ready' }>;

export interface HostPoolDeps {
  readonly launcher: Launcher;
  readonly memoryMb: number;
  readonly bounds: HostLimits;
  readonly now: () => number;
  /** Whether a host within these walls may be used. It is asked for each: what was there for the first may be gone. */
  readonly admits: (walls: IsolationLayers) => boolean;
  /** Takes in what happened in a host. */
  readonly turns: (host: Host, turns: ResultMessage, raw: Buffer) => ProtocolViolation | null;
  /** Takes in an inspection; false when nobody asked for it. */
  readonly inspected: (host: Host, message: InspectedMessage) => boolean;
  /** A host is locked and listening. */
  readonly ready: (host: Host) => void;
  /** A host is dead to us; its requests are still in it. */
  readonly fell: (host: Host, cause: ExitCause) => void;
  /** There may be room for more. */
  readonly changed: () => void;
}

interface HostReport {
  readonly versions: HostVersions;
  readonly walls: IsolationLayers;
}

export interface HostPool {
  /** Every host whose process may still be there, dead ones included. */
  readonly hosts: readonly Host[];
  /** Starts a host, or explains with null that there may be none more at present. */
  start(domain: string | null, jit: boolean): Host | null;
  /** A free host for this domain, taken or started; null when there is none at present. */
  take(domain: string): Host | null;
  kill(host: Host, cause: ExitCause): void;
  /** Keeps one host ahead of need. */
  keepSpare(): void;
  /** Sends hosts away that are old, large, surplus, or do not come up. Every second or so. */
  reap(): void;
  /** No host comes up: whoever waits waits in vain. */
  isBroken(): boolean;
  /** What is known of the newest host that came up, with the compiler or without; null before the first. */
  seen(jit: boolean): HostReport | null;
  close(): Promise<void>;
}

const SURPLUS_MS = 1000;
const LIFETIME_MS = 600_000;
const MAX_IDLE_BYTES = 157_286_400;
/** A machine under load takes its time; past this, something is wrong. */
const START_MS = 10_000;
const RETRY_MS = 500;
const MAX_FAILURES = 3;

function createHost(link: Host['link'], jit: boolean, now: number): Host {
  return {
    link,
    jit,
    domain: null,
    state: 'starting',
    lane: null,
    requests: new Map(),
    lastNumber: 0,
    frames: [],
    begun: 0,
    exclusive: false,
    inspecting: false,
    units: new Map(),
    retired: new Set(),
    progressAt: now,
    cpuMark: null,
    startedAt: now,
    idleSince: now,
    draining: false,
  };
}

const isIdle = (host: Host) =>
  host.state === 'ready' && host.lane === null && host.frames.length === 0 && !host.inspecting;
const isSpare = (host: Host) => host.domain === null && host.state !== 'dead';
/** What has seen code before anybody accepted it does not stay for the code of the next author. */
const hasInspected = (host: Host, time: number) =>
  isInspectionDomain(host.domain) && time - host.idleSince >= SURPLUS_MS / 2;

/** Makes the pool. No process is started before `start`, `take` or `keepSpare`. */
export function createHostPool(options: HostPoolDeps): HostPool {
  const { launcher, memoryMb, bounds, now, admits, turns, inspected, ready, fell, changed } = options;
  const hosts: Host[] = [];
  const seen = new Map<boolean, HostReport>();
  let failures = 0;
  let notBefore = 0;
  let isClosed = false;
  let whenEmpty: (() => void) | undefined;

  const kill = (host: Host, cause: ExitCause) => {
    if (host.state === 'dead') return;
    host.state = 'dead';
    host.link.kill();
    fell(host, cause);
    keepSpare();
  };

  const notStarted = () => {
    failures += 1;
    notBefore = now() + RETRY_MS;
    // Whoever waits for a host keeps a command running until the next try, which nothing else does.
    setTimeout(changed, RETRY_MS + 10);
  };

  const onReady = (host: Host, child: HostProcess, { versions, walls: within }: Ready) => {
    const walls = activeLayers(child.walls, within);
    if (admits(walls)) {
      host.state = 'ready';
      host.progressAt = now();
      host.idleSince = now();
      failures = 0;
      seen.set(host.jit, { versions, walls });
      ready(host);
    } else {
      notStarted();
      kill(host, WEAK_ISOLATION);
    }
    changed();
  };

  const onMessage = (host: Host, child: HostProcess, message: FromHost, raw: Buffer): boolean => {
    switch (message.t) {
      case 'ready':
        if (host.state !== 'starting') return false;
        onReady(host, child, message);
        return true;
      case 'turns': {
        const disposal = message.disposed ? exitCauseOfDisposal(host, message) : null;
        const violation = turns(host, message, raw);
        if (violation !== null) kill(host, exitCauseOfViolation(violation));
        else if (disposal !== null) kill(host, disposal);
        else unassign(host, now());
        changed();
        return true;
      }
      case 'inspected':
        return inspected(host, message);
      case 'lost': {
        const blamed = message.job === null ? undefined : host.requests.get(message.job);
        kill(host, { ...OUT_OF_HOST_MEMORY, ...(blamed === undefined ? {} : { culprit: blamed }) });
        return true;
      }
    }
  };

  const onGone = (host: Host, signal: NodeJS.Signals | undefined) => {
    if (host.state === 'starting') {
      notStarted();
      kill(host, NOT_STARTED);
    } else kill(host, exitCauseOfSignal(signal));
    hosts.splice(hosts.indexOf(host), 1);
    if (hosts.length === 0) whenEmpty?.();
    changed();
  };

  const launch = (jit: boolean): Host => {
    let child: HostProcess | undefined;
    const link = connectHost(launcher.launch({ jit, memoryMb }), {
      started: (started) => {
        child = started;
      },
      message: (message, raw) => child !== undefined && onMessage(host, child, message, raw),
      violation: () => kill(host, exitCauseOfViolation({ limit: 'protocol', request: null })),
      gone: (signal) => onGone(host, signal),
    });
    const host = createHost(link, jit, now());
    return host;
  };

  /** The host of another domain that has been idle for longest makes room. */
  const evict = () => {
    const idle = hosts.filter(isIdle).sort((a, b) => a.idleSince - b.idleSince);
    if (idle[0] !== undefined) kill(idle[0], EVICTED);
  };

  const start = (domain: string | null, jit: boolean): Host | null => {
    if (isClosed || now() < notBefore) return null;
    if (hosts.length >= bounds.maxHosts) {
      if (domain !== null) evict();
      return null;
    }
    const host = launch(jit);
    host.domain = domain;
    hosts.push(host);
    return host;
  };

  const keepSpare = () => {
    if (!hosts.some(isSpare)) start(null, false);
  };

  const tidyHost = (host: Host, time: number) => {
    if (host.state === 'starting' && time - host.startedAt > START_MS) host.link.kill();
    if (time - host.startedAt > LIFETIME_MS) host.draining = true;
    if (!isIdle(host)) return;
    const pid = host.link.pid();
    const isLarge = pid !== undefined && (residentBytesOf(pid) ?? 0) > MAX_IDLE_BYTES;
    if (host.draining || isLarge || hasInspected(host, time)) kill(host, EVICTED);
  };

  const dropSurplus = (time: number) => {
    const used = hosts.filter((host) => host.state !== 'dead' && !isSpare(host));
    const idle = used.filter((host) => isIdle(host) && time - host.idleSince > SURPLUS_MS / 2);
    idle.sort((a, b) => a.idleSince - b.idleSince);
    for (const host of idle.slice(0, Math.max(0, used.length - bounds.busyHosts))) kill(host, EVICTED);
  };

  return {
    hosts,
    start,
    kill,
    keepSpare,
    take(domain) {
      const free = hosts.find((host) => isIdle(host) && host.domain === domain) ?? hosts.find(isSpare);
      const host = free ?? start(domain, false);
      if (host !== null) host.domain = domain;
      return host;
    },
    reap() {
      const time = now();
      for (const host of [...hosts]) tidyHost(host, time);
      dropSurplus(time);
      if (hosts.length > 0) keepSpare();
    },
    isBroken: () => failures >= MAX_FAILURES,
    seen: (jit) => seen.get(jit) ?? null,
    async close() {
      isClosed = true;
      for (const host of [...hosts]) kill(host, EVICTED);
      if (hosts.length > 0) {
        await new Promise<void>((resolve) => {
          whenEmpty = resolve;
        });
      }
    },
  };
}
