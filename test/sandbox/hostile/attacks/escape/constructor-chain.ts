// The classic: a function of the host has the host's Function as its constructor.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'the constructor of everything handed over',
  source: probe(`
for (const name of Object.keys(HANDED)) attempt(name, () => outside(HANDED[name]));
`),
  expect: HELD,
};
