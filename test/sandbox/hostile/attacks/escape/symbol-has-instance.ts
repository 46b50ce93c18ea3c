// instanceof and concat ask the guest.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'Symbol.hasInstance and isConcatSpreadable',
  source: probe(`
let asked = 0;
for (const C of [Object, Array, Error, Uint8Array, ArrayBuffer, Promise, Function]) {
  attempt('define', () => { Object.defineProperty(C, Symbol.hasInstance, { value: () => { asked += 1; return true; }, configurable: true }); });
}
const before = asked;
try { res.setHeader('x-list', ['a', 'b']); } catch {}
attempt('asked', () => asked > before);
`),
  expect: HELD,
};
