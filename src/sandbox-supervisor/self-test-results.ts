// The newest self-test results: of hosts without the just-in-time compiler, and of those with it.
import type { IsolationLayers } from './isolation/isolation-levels.ts';
import type { SelfTest, SelfTestResult } from './model/sandbox.ts';

export interface SelfTestResults {
  /** The newest result; while the self-test runs, no items. */
  latest(jit: boolean): SelfTest;
  /** The layers of the hosts in which the self-test ran: true for those that held. Undefined before its first result. */
  heldLayers(jit: boolean): IsolationLayers | undefined;
  /** The given layers, true only for those that held in the self-test. Undefined before its first result. */
  provenLayers(layers: IsolationLayers, jit: boolean): IsolationLayers | undefined;
  /** Runs the self-test. While one of that kind runs, returns the latest result. */
  run(jit: boolean): Promise<SelfTest>;
}

const NOT_RUN: SelfTest = { state: 'not-run', items: [] };
const RUNNING: SelfTest = { state: 'running', items: [] };

/** Creates the results, of which there are none yet. */
export function createSelfTestResults(runTest: (jit: boolean) => Promise<SelfTestResult>): SelfTestResults {
  const results = new Map<boolean, SelfTest>();
  const held = new Map<boolean, IsolationLayers>();
  const latest = (jit: boolean) => results.get(jit) ?? NOT_RUN;
  return {
    latest,
    heldLayers: (jit) => held.get(jit),
    provenLayers(layers, jit) {
      const proven = held.get(jit);
      if (proven === undefined) return undefined;
      return Object.fromEntries(
        Object.entries(layers).map(([name, isActive]) => [name, isActive && proven[name] === true]),
      );
    },
    async run(jit) {
      if (latest(jit).state === 'running') return latest(jit);
      results.set(jit, RUNNING);
      const { walls, state, items } = await runTest(jit);
      held.set(jit, walls);
      results.set(jit, { state, items });
      return latest(jit);
    },
  };
}
