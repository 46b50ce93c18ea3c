// The status of the sandbox as admins see it: which isolation is proven, and how many hosts there are.

import type { Host } from './host.ts';
import type { HostPool } from './host-pool.ts';
import { isolationLevel, missingForNextLevel } from './isolation/isolation-levels.ts';
import type { SelfTestResults } from './isolation/self-test-results.ts';
import type { HostStatus, SandboxStatus } from './model/sandbox.ts';
import { residentBytesOf } from './process-usage.ts';
import type { Scheduler } from './scheduler.ts';

interface StatusDeps {
  readonly pool: Pick<HostPool, 'hosts' | 'report'>;
  readonly scheduler: Pick<Scheduler, 'waitingCount'>;
  readonly selfTests: Pick<SelfTestResults, 'latest' | 'heldLayers' | 'provenLayers'>;
  /** Hosts in all. */
  readonly maxHosts: number;
  /** Some trust domains have hosts with the just-in-time compiler. */
  readonly hasJit: boolean;
  /** Milliseconds of the steady clock of the hosts. */
  readonly now: () => number;
}

function stateOf({ state, isSpare, isBusy }: Host): HostStatus['state'] {
  if (state === 'starting') return 'starting';
  if (isSpare) return 'spare';
  return isBusy ? 'busy' : 'idle';
}

const describeHost = (host: Host, now: number): HostStatus => ({
  state: stateOf(host),
  memory: host.pid === undefined ? null : residentBytesOf(host.pid),
  uptime: (now - host.startedAt) / 1000,
  jit: host.jit,
});

/** Creates the function that returns the status of the moment. */
export function createStatus(deps: StatusDeps): () => SandboxStatus {
  const { pool, scheduler, selfTests, maxHosts, hasJit, now } = deps;
  const jitStatus = () => {
    const proven = selfTests.provenLayers(pool.report(true)?.layers ?? {}, true) ?? {};
    return { level: isolationLevel(proven), selfTest: selfTests.latest(true) };
  };

  return () => {
    const alive = pool.hosts.filter(({ state }) => state !== 'dead');
    const report = pool.report(false);
    // Hosts whose isolation is too weak are not used: then only the self-test knows their layers.
    const layers = report?.layers ?? selfTests.heldLayers(false) ?? {};
    const proven = selfTests.provenLayers(layers, false);
    return {
      level: proven === undefined ? 0 : isolationLevel(proven),
      missing: proven === undefined ? [] : missingForNextLevel(proven),
      layers: proven ?? layers,
      selfTest: selfTests.latest(false),
      jit: hasJit ? jitStatus() : null,
      hosts: {
        running: alive.length,
        busy: alive.filter(({ isBusy }) => isBusy).length,
        spare: alive.filter(({ isSpare }) => isSpare).length,
        max: maxHosts,
      },
      processes: alive.map((host) => describeHost(host, now())),
      calls: {
        waiting: scheduler.waitingCount(),
        running: alive.reduce((sum, { startedCount }) => sum + startedCount, 0),
      },
      versions: report?.versions ?? null,
    };
  };
}
