// A with statement once passed the filter of a known product.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'with over host objects and unscopables',
  source: probe(`
const sloppy = {};
attempt('unscopables', () => { with ({ [Symbol.unscopables]: null }) { return outside(constructor.constructor); } });
attempt('with res', () => { with (res) { return typeof end === 'function' && outside(end); } });
attempt('with global', () => { with (globalThis) { return typeof process !== 'undefined' && 'process'; } });
attempt('with proxy', () => { with (new Proxy({}, { has: () => true, get: (t, k) => (k === Symbol.unscopables ? undefined : k) })) { return outside(anything); } });
`),
  expect: HELD,
};
