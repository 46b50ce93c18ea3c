// The attempts of the self-test with the isolation layers that stop each, and the newest results: with the just-in-time
// compiler and without.

import type { SelfTest, SelfTestItem, SelfTestResult } from '../model/sandbox.ts';
import type { IsolationLayers } from './isolation-levels.ts';

interface Attempt {
  readonly attempt: string;
  /** Each of these layers stops it; none: every host stops it. */
  readonly stoppedBy: readonly string[];
  /** The just-in-time compiler needs it, so nothing stops it in hosts with that. */
  readonly unlessJit?: true;
}

const NODE_LAYERS = ['permissions'];
const OUTER_LAYERS = ['namespaces', 'selfLock'];

/** By name, as in `sandbox/self-test.js`. */
const ATTEMPTS: ReadonlyMap<string, Attempt> = new Map([
  ['guest-loop', { attempt: 'loop in a guest', stoppedBy: [] }],
  ['guest-memory', { attempt: 'take more memory than a guest may', stoppedBy: [] }],
  ['loop', { attempt: 'loop where the engine cannot stop it', stoppedBy: [] }],
  ['memory', { attempt: 'take more memory than a host may', stoppedBy: ['memoryLimit'] }],
  ['environment', { attempt: 'read an environment of its own', stoppedBy: ['emptyEnvironment'] }],
  ['descriptors', { attempt: 'use a descriptor of the server', stoppedBy: [] }],
  ['read', { attempt: 'read a file', stoppedBy: NODE_LAYERS }],
  ['own-script', { attempt: 'read a file of its own', stoppedBy: NODE_LAYERS }],
  ['list', { attempt: 'list the root folder', stoppedBy: NODE_LAYERS }],
  ['write', { attempt: 'write a file', stoppedBy: NODE_LAYERS }],
  ['connect', { attempt: 'connect to a port of this machine', stoppedBy: NODE_LAYERS }],
  ['socket', { attempt: 'connect to a socket of this machine', stoppedBy: NODE_LAYERS }],
  ['spawn', { attempt: 'start a program', stoppedBy: NODE_LAYERS }],
  ['worker', { attempt: 'start a worker thread', stoppedBy: NODE_LAYERS }],
  ['inspector', { attempt: 'open the inspector', stoppedBy: NODE_LAYERS }],
  ['addon', { attempt: 'load native code', stoppedBy: NODE_LAYERS }],
  ['ffi', { attempt: 'call native code', stoppedBy: NODE_LAYERS }],
  ['server-environ', { attempt: 'read the environment of the server', stoppedBy: NODE_LAYERS }],
  ['parent-environ', { attempt: 'read the environment of its parent', stoppedBy: NODE_LAYERS }],
  ['first-environ', { attempt: 'read the environment of the first process', stoppedBy: NODE_LAYERS }],
  ['signal', { attempt: 'send the server a signal', stoppedBy: [...OUTER_LAYERS, 'ownUser'] }],
  ['native-read', { attempt: 'read a file, natively', stoppedBy: OUTER_LAYERS }],
  [
    'native-server-environ',
    { attempt: 'read the environment of the server, natively', stoppedBy: [...OUTER_LAYERS, 'ownUser'] },
  ],
  ['native-connect', { attempt: 'connect to a port of this machine, natively', stoppedBy: OUTER_LAYERS }],
  ['native-socket', { attempt: 'connect to a socket of this machine, natively', stoppedBy: OUTER_LAYERS }],
  [
    'native-signal',
    { attempt: 'send the server a signal, natively', stoppedBy: [...OUTER_LAYERS, 'ownUser'] },
  ],
  ['native-fork', { attempt: 'start a process, natively', stoppedBy: ['startFilter', 'selfLock'] }],
  ['native-io-uring', { attempt: 'open an io_uring', stoppedBy: ['startFilter', 'selfLock'] }],
  ['native-executable', { attempt: 'make memory executable', stoppedBy: ['selfLock'], unlessJit: true }],
]);

export const NATIVE_ATTEMPTS = [...ATTEMPTS.keys()].filter((name) => name.startsWith('native-'));
export const NODE_ATTEMPTS = [...ATTEMPTS.keys()].filter((name) => !name.startsWith('native-'));

export interface AttemptResult {
  readonly item: SelfTestItem;
  /** An active layer did not hold. */
  readonly broken: boolean;
  /** As for the attempt. */
  readonly stoppedBy: readonly string[];
}

/** `got`: what the attempt got; empty for nothing, undefined when it was not made. */
export function evaluateAttempt(
  name: string,
  got: string | undefined,
  layers: IsolationLayers,
): AttemptResult {
  const known = ATTEMPTS.get(name);
  const { attempt, stoppedBy, unlessJit }: Attempt = known ?? { attempt: name, stoppedBy: [] };
  const isNeeded = unlessJit === true && layers['jitless'] !== true;
  const promised = !isNeeded && (stoppedBy.length === 0 || stoppedBy.some((name) => layers[name] === true));
  const held = got === '';
  const tried = got === undefined ? 'not tried' : got.slice(0, 100);
  const detail = held ? 'refused' : promised ? tried : `${tried}; no layer of this level stops it`;
  return { item: { attempt, held, detail }, broken: promised && !held, stoppedBy };
}

/** The layers, without those that let an attempt through; none when an attempt succeeded that every host must stop. */
export function layersThatHeld(layers: IsolationLayers, results: readonly AttemptResult[]): IsolationLayers {
  const broken = results.filter((result) => result.broken);
  if (broken.some(({ stoppedBy }) => stoppedBy.length === 0)) return {};
  const failed = new Set(broken.flatMap(({ stoppedBy }) => stoppedBy));
  return Object.fromEntries(
    Object.entries(layers).map(([name, isActive]) => [name, isActive && !failed.has(name)]),
  );
}

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
      const { layers, state, items } = await runTest(jit);
      held.set(jit, layers);
      results.set(jit, { state, items });
      return latest(jit);
    },
  };
}
