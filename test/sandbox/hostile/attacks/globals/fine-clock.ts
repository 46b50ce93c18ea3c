// Timing attacks need one.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'clocks finer than a millisecond',
  source: probe(`
attempt('performance', () => typeof performance !== 'undefined');
attempt('fraction', () => { for (let n = 0; n < 1000; n += 1) if (Date.now() % 1 !== 0) return Date.now(); return false; });
attempt('temporal', () => typeof Temporal !== 'undefined' && Temporal.Now.instant().epochNanoseconds % 1000000n !== 0n && 'nanoseconds');
`),
  expect: HELD,
};
