// The sandbox: how long calls wait, and how many processes there are. Processor time goes to the counts of endpoints.
import type { SandboxStatus, UsageObserver } from '../sandbox-supervisor/model/sandbox.ts';
import type { EndpointCounts } from './endpoint-counts.ts';
import { Histogram, type Series } from './metric.ts';

/** The hosts by state. Each is in one of them. */
export function hostSeries({ running, busy, spare }: SandboxStatus['hosts']): readonly Series[] {
  const states = { busy, idle: Math.max(0, running - busy - spare), spare };
  return Object.entries(states).map(([state, value]) => ({ labels: { state }, value }));
}

/** Creates what hears of the sandbox, and reads the queue. */
export function createSandboxCounts(
  endpoints: EndpointCounts,
): UsageObserver & { readQueue(): readonly Series[] } {
  const waits = new Histogram();
  return {
    onStarted: (waitedMs) => waits.observe(waitedMs / 1000),
    onCpu: (moduleId, ms) => endpoints.addCpu(moduleId, ms),
    readQueue: () => [{ labels: {}, value: waits }],
  };
}
