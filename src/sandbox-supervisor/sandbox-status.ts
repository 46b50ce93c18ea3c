// The status of the sandbox as admins see it: which isolation is proven, and how many hosts there are.

import type { HostPool } from './host-pool.ts';
import { isolationLevel, missingForNextLevel } from './isolation/isolation-levels.ts';
import type { SelfTestResults } from './isolation/self-test-results.ts';
import type { SandboxStatus } from './model/sandbox.ts';

interface StatusDeps {
  readonly pool: Pick<HostPool, 'hosts' | 'report'>;
  readonly selfTests: Pick<SelfTestResults, 'latest' | 'heldLayers' | 'provenLayers'>;
  /** Hosts in all. */
  readonly maxHosts: number;
  /** Some trust domains have hosts with the just-in-time compiler. */
  readonly hasJit: boolean;
}

/** Creates the function that returns the status of the moment. */
export function createStatus({ pool, selfTests, maxHosts, hasJit }: StatusDeps): () => SandboxStatus {
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
      versions: report?.versions ?? null,
    };
  };
}
