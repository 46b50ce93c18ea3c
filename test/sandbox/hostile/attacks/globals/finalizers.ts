// A finalizer runs without a clock, inside somebody else's request.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'FinalizationRegistry and WeakRef',
  source: probe(`
attempt('registry', () => typeof FinalizationRegistry !== 'undefined');
attempt('weak', () => typeof WeakRef !== 'undefined');
`),
  expect: HELD,
};
