// yield* and using call methods by name on what they are given.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'yield* over host promises and disposal hooks',
  source: probe(`
const gather = async function* () { yield* [res, req, crypto.subtle.digest('SHA-256', new Uint8Array(1))]; };
for await (const value of gather()) attempt('yielded', () => outside(value));
attempt('dispose', () => typeof Symbol.dispose === 'symbol' && outside(res[Symbol.dispose]));
attempt('asyncDispose', () => typeof Symbol.asyncDispose === 'symbol' && outside(res[Symbol.asyncDispose]));
`),
  expect: HELD,
};
