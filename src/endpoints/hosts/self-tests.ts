// What the self-test has shown so far, of hosts without the just-in-time compiler and of those with it.
import type { SelfTest, SelfTestResult } from '../sandbox.ts';
import type { Walls } from './walls/levels.ts';

export interface SelfTests {
  /** The newest result; while it runs, no items. */
  shown(jit: boolean): SelfTest;
  /** Of walls that are said to be in force, those that held when they were tried; undefined until then. */
  proven(walls: Walls, jit: boolean): Walls | undefined;
  /** The walls of the hosts in which it ran, as far as they held; undefined until then. */
  held(jit: boolean): Walls | undefined;
  /** One at a time of each kind: a call beside another gives what is shown. */
  run(jit: boolean): Promise<SelfTest>;
}

const NOT_RUN: SelfTest = { state: 'not-run', items: [] };
const RUNNING: SelfTest = { state: 'running', items: [] };

/** Runs nothing yet. */
export function createSelfTests(run: (jit: boolean) => Promise<SelfTestResult>): SelfTests {
  const shown = new Map<boolean, SelfTest>();
  const held = new Map<boolean, Walls>();
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
