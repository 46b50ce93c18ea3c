// What the self-test has shown so far, of hosts without the just-in-time compiler and of those with it.

import type { IsolationLayers } from './isolation/isolation-levels.ts';
import type { SelfTest, SelfTestResult } from './sandbox.ts';

export interface SelfTestResults {
  /** The newest result; while it runs, no items. */
  shown(jit: boolean): SelfTest;
  /** Of walls that are said to be in force, those that held when they were tried; undefined until then. */
  proven(walls: IsolationLayers, jit: boolean): IsolationLayers | undefined;
  /** The walls of the hosts in which it ran, as far as they held; undefined until then. */
  held(jit: boolean): IsolationLayers | undefined;
  /** One at a time of each kind: a call beside another gives what is shown. */
  run(jit: boolean): Promise<SelfTest>;
}

const NOT_RUN: SelfTest = { state: 'not-run', items: [] };
const RUNNING: SelfTest = { state: 'running', items: [] };

/** Runs nothing yet. */
export function createSelfTestResults(run: (jit: boolean) => Promise<SelfTestResult>): SelfTestResults {
  const shown = new Map<boolean, SelfTest>();
  const held = new Map<boolean, IsolationLayers>();
  const shownOf = (jit: boolean) => shown.get(jit) ?? NOT_RUN;
  return {
    shown: shownOf,
    held: (jit) => held.get(jit),
    proven(walls, jit) {
      const proven = held.get(jit);
      if (proven === undefined) return undefined;
      return Object.fromEntries(
        Object.entries(walls).map(([name, isSaid]) => [name, isSaid && proven[name] === true]),
      );
    },
    async run(jit) {
      if (shownOf(jit).state === 'running') return shownOf(jit);
      shown.set(jit, RUNNING);
      const { walls, state, items } = await run(jit);
      held.set(jit, walls);
      shown.set(jit, { state, items });
      return shownOf(jit);
    },
  };
}
