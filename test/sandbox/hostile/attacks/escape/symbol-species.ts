// Methods make their results with the species, so a species sees the values of others.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'Symbol.species of arrays, promises and buffers',
  source: probe(`
const taken = [];
class Spy extends Array { constructor(...args) { super(...args); taken.push(args); } }
for (const C of [Array, Promise, ArrayBuffer, RegExp, Map, Uint8Array]) {
  attempt('species', () => { Object.defineProperty(C, Symbol.species, { get: () => Spy, configurable: true }); });
}
attempt('constructor', () => { Array.prototype.constructor = Spy; });
const before = taken.length;
res.setHeader('x-a', '1'); res.getHeader('x-a'); new URL('http://a/b?c=d').searchParams.getAll('c'); structuredClone([1, 2]);
attempt('taken', () => taken.length > before);
`),
  expect: HELD,
};
