// The names that every exploit tries first.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'process, global, Buffer, Deno, Bun and friends',
  source: probe(`
for (const name of ['process', 'Buffer', 'Deno', 'Bun', 'window', 'ivm', '_ivm', '$0', '__filename', '__dirname', 'importScripts', 'performance', 'setImmediate$', 'gc', 'print', 'load', 'read', 'quit', 'WebAssembly', 'SharedArrayBuffer', 'Atomics', 'FinalizationRegistry', 'WeakRef', 'ShadowRealm', 'Worker', 'MessageChannel', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'navigator']) {
  attempt(name, () => name in globalThis && name);
}
attempt('typeof process', () => typeof process !== 'undefined');
attempt('this', () => (function () { return this && this !== globalThis && outside(this); })());
attempt('intrinsics', () => typeof '%GetOptimizationStatus' === 'function');
`),
  expect: HELD,
};
