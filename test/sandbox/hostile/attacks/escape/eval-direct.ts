// isolated-vm allows code generation again although contexts are made without it.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'eval, direct and indirect',
  source: probe(`
attempt('direct', () => eval('1 + 1') === 2);
attempt('indirect', () => (0, eval)('1 + 1') === 2);
attempt('global', () => globalThis.eval('1'));
attempt('reflected', () => Reflect.get(globalThis, 'eval')('1'));
`),
  expect: HELD,
};
